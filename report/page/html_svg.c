/*
 * html_svg.c - a picture inside a page.
 *
 * Of the file, elements and attributes are taken that draw; all else is left out, so that a page
 * is as harmless as text, whatever the picture came from.
 */
#include "report/page/html.h"

#include "core/file/paths.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct inlining {
	FILE *out;
	const char *prefix, *label;
	bool within;            /* a text, whose words are shown */
};

static bool html_svg_is_among(const char *word, size_t n, const char *const *words)
{
	for (; *words; words++)
		if (strlen(*words) == n && !strncmp(word, *words, n))
			return true;
	return false;
}

static bool html_svg_draws(const char *tag, size_t n)
{
	static const char *const tags[] = {
		"g", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text",
		"tspan", "use", "defs", "clipPath", "pattern", NULL
	};

	return html_svg_is_among(tag, n, tags);
}

static bool is_safe(const char *name, size_t n)
{
	static const char *const names[] = {
		"x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "rx", "ry", "dx", "dy", "d",
		"width", "height", "points", "transform", "class", "fill", "fill-opacity",
		"fill-rule", "stroke", "stroke-width", "stroke-opacity", "stroke-linecap",
		"stroke-linejoin", "stroke-dasharray", "stroke-miterlimit", "opacity", "color",
		"font-family", "font-size", "font-weight", "font-style", "text-anchor",
		"dominant-baseline", "baseline-shift", "clip-path", "clip-rule", "patternUnits",
		"xml:space", NULL
	};

	return html_svg_is_among(name, n, names);
}

/* An attribute's value, of which entities stay as they are; "#" names an id of this picture. */
static void put_value(const struct inlining *in, const char *value, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (value[i] == '"')
			fputs("&quot;", in->out);
		else if (value[i] == '<')
			fputs("&lt;", in->out);
		else
			putc(value[i], in->out);
		if (value[i] == '#' && i >= 4 && !strncmp(value + i - 4, "url(", 4))
			fputs(in->prefix, in->out);
	}
}

static void html_svg_put_attribute(const struct inlining *in, const char *name, size_t n,
				   const char *value, size_t length)
{
	static const char *const links[] = { "href", "xlink:href", NULL };
	const bool link = html_svg_is_among(name, n, links) && *value == '#';
	const char *url = strstr(value, "url(");
	const bool leaves = url && url < value + length && url[4] != '#';

	if (link) {
		fprintf(in->out, " href=\"#%s", in->prefix);
		put_value(in, value + 1, length - 1);
	} else if (n == 2 && !strncmp(name, "id", 2)) {
		fprintf(in->out, " id=\"%s", in->prefix);
		put_value(in, value, length);
	} else if (is_safe(name, n) && !leaves) {
		fprintf(in->out, " %.*s=\"", (int)n, name);
		put_value(in, value, length);
	} else {
		return;
	}
	putc('"', in->out);
}

/* The attributes of a tag that ends at `end`. */
static void put_attributes(const struct inlining *in, const char *at, const char *end)
{
	static const char space[] = " \t\r\n/";

	for (at += strspn(at, space); at < end; at += strspn(at, space)) {
		const char *name = at, *quote;
		const size_t n = strcspn(at, " \t\r\n=>");

		at += n;
		at += strspn(at, " \t\r\n=");
		quote = *at == '"' || *at == '\'' ? strchr(at + 1, *at) : NULL;
		if (!quote || quote > end)
			return;
		html_svg_put_attribute(in, name, n, at + 1, (size_t)(quote - at - 1));
		at = quote + 1;
	}
}

/* The '>' that ends a tag: not one within quotes. */
static const char *tag_end(const char *at)
{
	char quote = 0;

	for (; *at; at++) {
		if (quote)
			quote = *at == quote ? 0 : quote;
		else if (*at == '"' || *at == '\'')
			quote = *at;
		else if (*at == '>')
			return at;
	}
	return NULL;
}

/* The picture's size is the page's matter: its viewBox alone is taken. */
static void put_root(const struct inlining *in, const char *at, const char *end)
{
	const char *box = strstr(at, "viewBox=\"");
	const size_t n = box && box < end ? strcspn(box + 9, "\"<>&") : 0;
	char size[64];

	snprintf(size, sizeof(size), "%.*s", (int)n, n ? box + 9 : "");
	html_open(in->out, "svg", "role", "img", "aria-label", in->label, "viewBox",
		  *size ? size : "0 0 640 480", NULL);
}

static bool is_text(const char *tag, size_t n)
{
	static const char *const tags[] = { "text", "tspan", NULL };

	return html_svg_is_among(tag, n, tags);
}

/* What stands between a tag's '<' and '>'. */
static void put_tag(struct inlining *in, const char *at, const char *end)
{
	const bool closing = *at == '/';
	const char *tag = at + closing;
	const size_t n = strcspn(tag, " \t\r\n/>");

	in->within = is_text(tag, n) && !(closing && n == 4);
	if (n == 3 && !strncmp(tag, "svg", 3)) {
		if (closing)
			html_close(in->out, "svg");
		else
			put_root(in, tag + n, end);
	} else if (html_svg_draws(tag, n)) {
		fprintf(in->out, "<%s%.*s", closing ? "/" : "", (int)n, tag);
		if (!closing)
			put_attributes(in, tag + n, end);
		fputs(end[-1] == '/' ? "/>" : ">", in->out);
	}
}

int html_svg(FILE *out, const char *path, const char *prefix, const char *label)
{
	struct inlining in = { .out = out, .prefix = prefix, .label = label };
	char *text = file_read(path, NULL);
	const char *at = text, *end;

	if (!text)
		return -1;
	while (*at) {
		end = *at == '<' ? tag_end(at) : NULL;
		if (end)
			put_tag(&in, at + 1, end);
		else if (in.within && *at != '<')
			putc(*at, out);
		at = end ? end + 1 : at + 1;
	}
	free(text);
	return 0;
}

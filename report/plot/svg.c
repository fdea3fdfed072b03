/*
 * svg.c - a third off gnuplot's SVG without a pixel's difference: symbols that no point has, groups
 * in which nothing is drawn, and attributes that a group has from the one around it.
 */
#include "report/plot/plot.h"

#include "core/base/mem.h"
#include "core/text/word.h"
#include "report/text/escape.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Attributes that nearly every group of gnuplot's sets. */
static const char *const common[] = {
	" fill=\"none\" color=\"black\" stroke=\"currentColor\"",
	" stroke-linecap=\"butt\" stroke-linejoin=\"miter\"",
};

enum { COMMON = sizeof(common) / sizeof(common[0]) };

/* Whether the bytes before `to` refer to the id of an element, id='gpPt5', between its quotes. */
static bool is_used(const char *id, size_t n, const char *from, const char *to)
{
	while ((from = memchr(from, '#', (size_t)(to - from))))
		if ((size_t)(to - ++from) > n && strncmp(from, id, n) == 0 && strchr("')", from[n]))
			return true;
	return false;
}

/* The next symbol's line, with the line's end before it, after `defs` and before `end`; or end. */
static const char *symbol_next(const char *defs, const char *end)
{
	static const char begin[] = "\n\t<";

	do
		defs = strstr(defs + 1, begin);
	while (defs && defs < end && defs[strlen(begin)] == '/');
	return defs && defs < end ? defs : end;
}

/*
 * Copies the symbols from `defs` to `end`, a line or more each, that the picture before `to` or a
 * symbol after it uses.
 */
static void symbols_put(const char *defs, const char *end, const char *to, FILE *out)
{
	static const char mark[] = " id='";
	const char *next, *id;

	for (defs = symbol_next(defs, end); defs < end; defs = next) {
		next = symbol_next(defs, end);
		id = strstr(defs, mark);
		if (!id || id > next || is_used(id + strlen(mark), strcspn(id + strlen(mark), "'"),
						next, to))
			fwrite(defs, 1, (size_t)(next - defs), out);
	}
}

/* Text after the group and its line's end if nothing is in it, else NULL. */
static const char *empty_group_end(const char *group)
{
	static const char end[] = "</g>";
	const char *rest = word_starts(group, "<g ") ? strchr(group, '>') : NULL;

	if (!rest || rest[-1] == '/')
		return NULL;
	rest++;
	rest += strspn(rest, " \t\n");
	if (!word_starts(rest, end))
		return NULL;
	rest += strlen(end);
	return rest + strspn(rest, " \t\n");
}

/* Copies a group's tag, which ends before `to`, without the common attributes; returns its end. */
static const char *tag_put(const char *tag, const char *to, FILE *out)
{
	while (tag < to && *tag != '>') {
		int i = 0;

		while (i < COMMON && !word_starts(tag, common[i]))
			i++;
		if (i < COMMON)
			tag += strlen(common[i]);
		else
			putc(*tag++, out);
	}
	return tag;
}

/* Copies a text's CDATA, which ends before `to`; returns its end. */
static const char *cdata_put(const char *cdata, const char *to, FILE *out)
{
	const char *end = strstr(cdata, "]]>");

	end = end && end < to ? end : to;
	fwrite(cdata, 1, (size_t)(end - cdata), out);
	return end;
}

static const char title_begin[] = "<title>", title_end[] = "</title>";

/* Copies the picture up to its title, and writes this one instead; returns what follows. */
static const char *title_put(const char *svg, const char *title, FILE *out)
{
	const char *own = strstr(svg, title_begin), *end = own ? strstr(own, title_end) : NULL;

	if (!end)
		return svg;
	own += strlen(title_begin);
	fwrite(svg, 1, (size_t)(own - svg), out);
	escape_html(title, out);
	return end;
}

char *svg_title(const char *svg)
{
	const char *from = strstr(svg, title_begin), *to = from ? strstr(from, title_end) : NULL;

	return to ? unescape_html(from + strlen(title_begin), to) : NULL;
}

char *svg_lean(const char *svg, const char *title)
{
	static const char defs[] = "<defs>", defs_end[] = "\n</defs>\n", end[] = "</svg>";
	const char *symbols = strstr(svg, defs), *from = symbols ? strstr(symbols, defs_end) : NULL;
	const char *to = from, *next;
	char *text;
	size_t n;
	FILE *out;

	while (to && (next = strstr(to + 1, end)))
		to = next;
	if (!from || to == from)
		return xstrdup(svg);
	symbols += strlen(defs);
	out = xmemstream(&text, &n);
	svg = title_put(svg, title, out);
	fwrite(svg, 1, (size_t)(symbols - svg), out);
	symbols_put(symbols, from, to, out);
	fprintf(out, "%s<g%s%s>\n", defs_end, common[0], common[1]);
	from += strlen(defs_end);
	while (from < to)
		if ((next = empty_group_end(from)))
			from = next;
		else if (word_starts(from, "<g "))
			from = tag_put(from, to, out);
		else if (word_starts(from, "<![CDATA["))
			from = cdata_put(from, to, out);
		else
			putc(*from++, out);
	fprintf(out, "</g>\n%s", to);
	xmemclose(out);
	return text;
}

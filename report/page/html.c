/* HTML for pages: tags, escaped text, pictures and the style sheet; well-formed as XML. */
#include "report/page/html.h"

#include "core/file/paths.h"
#include "report/plot/plot.h"
#include "report/text/escape.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void put_tag(FILE *out, const char *tag, va_list ap, const char *end)
{
	const char *name;

	fprintf(out, "<%s", tag);
	while ((name = va_arg(ap, const char *))) {
		fprintf(out, " %s=\"", name);
		escape_html(va_arg(ap, const char *), out);
		putc('"', out);
	}
	fputs(end, out);
}

void html_open(FILE *out, const char *tag, ...)
{
	va_list ap;

	va_start(ap, tag);
	put_tag(out, tag, ap, ">");
	va_end(ap);
}

void html_void(FILE *out, const char *tag, ...)
{
	va_list ap;

	va_start(ap, tag);
	put_tag(out, tag, ap, "/>\n");
	va_end(ap);
}

void html_close(FILE *out, const char *tag)
{
	fprintf(out, "</%s>\n", tag);
}

void html_leaf(FILE *out, const char *tag, const char *class, const char *text)
{
	if (class)
		html_open(out, tag, "class", class, NULL);
	else
		html_open(out, tag, NULL);
	escape_html(text, out);
	html_close(out, tag);
}

/* ---- pictures ---- */

struct inlining {
	FILE *out;
	const char *prefix, *label;
	bool within;            /* a text, whose words are shown */
};

static bool svg_is_among(const char *word, size_t n, const char *const *words)
{
	for (; *words; words++)
		if (strlen(*words) == n && !strncmp(word, *words, n))
			return true;
	return false;
}

static bool svg_draws(const char *tag, size_t n)
{
	static const char *const tags[] = {
		"g", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text",
		"tspan", "use", "defs", "clipPath", "pattern", NULL
	};

	return svg_is_among(tag, n, tags);
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

	return svg_is_among(name, n, names);
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

static void svg_put_attribute(const struct inlining *in, const char *name, size_t n,
				   const char *value, size_t length)
{
	static const char *const links[] = { "href", "xlink:href", NULL };
	const bool link = svg_is_among(name, n, links) && *value == '#';
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
		svg_put_attribute(in, name, n, at + 1, (size_t)(quote - at - 1));
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

	return svg_is_among(tag, n, tags);
}

/* Writes the inside of a tag, between '<' and '>'. */
static void svg_put_tag(struct inlining *in, const char *at, const char *end)
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
	} else if (svg_draws(tag, n)) {
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
			svg_put_tag(&in, at + 1, end);
		else if (in.within && *at != '<')
			putc(*at, out);
		at = end ? end + 1 : at + 1;
	}
	free(text);
	return 0;
}

/* ---- the style sheet ---- */

/* Light and dark as the reader has it; pictures are turned over in the dark, hues kept. */
const char html_style[] =
	":root{color-scheme:light dark;--fg:#1b1f24;--dim:#57606a;--bg:#fff;--card:#f6f8fa;"
	"--line:#d0d7de;--link:#0b57a4;--yes:#0f6b3c;--no:#b3261e;--open:#6e5494}\n"
	"@media(prefers-color-scheme:dark){:root{--fg:#e6e6e6;--dim:#a3adb8;--bg:#14171a;"
	"--card:#1d2126;--line:#3a424b;--link:#7db8f5;--yes:#5fcf94;--no:#ff8a80;--open:#c3a8ef}"
	".picture{background:#141414}.picture svg{filter:invert(.92) hue-rotate(180deg)}}\n"
	"*{box-sizing:border-box}\n"
	"body{margin:0;background:var(--bg);color:var(--fg);"
	"font:1rem/1.55 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}\n"
	"main{max-width:62rem;margin:0 auto;padding:1.5rem 1rem 4rem;overflow-wrap:break-word}\n"
	"h1{font-size:1.7rem;line-height:1.25;margin:.2rem 0 .4rem}\n"
	"h2{font-size:1.25rem;margin:2.6rem 0 .8rem;padding-bottom:.3rem;"
	"border-bottom:1px solid var(--line)}\n"
	"h3{font-size:1.05rem;margin:1.6rem 0 .5rem}\n"
	"h4{font-size:.95rem;margin:1rem 0 .3rem;color:var(--dim)}\n"
	"a{color:var(--link)}\n"
	".dim,.notes,cite,footer{color:var(--dim);font-size:.9rem;font-style:normal}\n"
	".warn{border-left:4px solid var(--no);padding:.4rem .8rem;background:var(--card)}\n"
	".picture .warn{margin:0}.changed{color:var(--no)}\n"
	".score{font-size:1.05rem}\n"
	".wide{overflow-x:auto;max-width:100%}\n"
	"table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
	"th,td{padding:.35rem .8rem;text-align:left;vertical-align:top;"
	"border-bottom:1px solid var(--line)}\n"
	"thead th{background:var(--card);white-space:nowrap}\n"
	".number{text-align:right;white-space:nowrap}\n"
	"td small{display:block;color:var(--dim)}\n"
	".verdicts{list-style:none;margin:0;padding:0}\n"
	".verdicts li{background:var(--card);border-left:4px solid var(--open);margin:.6rem 0;"
	"padding:.6rem .9rem;border-radius:0 .4rem .4rem 0}\n"
	".verdicts li.holds{border-color:var(--yes)}.verdicts li.fails{border-color:var(--no)}\n"
	".verdicts b{margin-right:.5rem;color:var(--open)}\n"
	".holds b{color:var(--yes)}.fails b{color:var(--no)}\n"
	".verdicts p{margin:.25rem 0 0}\n"
	"code,pre{font:.86rem/1.5 ui-monospace,'DejaVu Sans Mono',monospace;"
	"overflow-wrap:anywhere}\n"
	"pre{background:var(--card);padding:.8rem;border-radius:.4rem;overflow-x:auto;"
	"white-space:pre-wrap}\n"
	"figure{margin:1.2rem 0 2rem}\n"
	".picture{overflow-x:auto;max-width:100%;border:1px solid var(--line);"
	"border-radius:.4rem}\n"
	".picture svg{display:block;width:100%;min-width:20rem;max-width:44rem;"
	"height:auto;margin:auto}\n"
	"figcaption{color:var(--dim);font-size:.9rem;margin-top:.4rem}\n"
	"dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.2rem 1.2rem}\n"
	"dt{color:var(--dim)}dd{margin:0}\n"
	"@media(max-width:34rem){.picture{margin:0 -1rem;max-width:none;border-width:1px 0;"
	"border-radius:0}dl{grid-template-columns:minmax(0,1fr)}dd{margin-bottom:.5rem}}\n";

const char html_answer_style[] =
	":root{--s0:#0b6bb8;--s1:#c75300;--s3:#a0408a;"
	"--s6:#b3261e;--grid:#e2e6ea;--whisker:#333}\n"
	"@media(prefers-color-scheme:dark){:root{--s0:#5aaef0;--s1:#f08c4a;"
	"--s3:#dd8fcb;--s6:#ff8a80;--grid:#30363d;--whisker:#ddd}}\n"
	".answer{background:var(--card);border-left:4px solid var(--yes);padding:.7rem 1rem;"
	"border-radius:0 .4rem .4rem 0}.answer p{margin:.2rem 0}\n"
	".answer .first{font-size:1.2rem;font-weight:600}\n"
	".wide table{font-size:.86rem}.wide th,.wide td{padding:.3rem .5rem}\n"
	".pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));"
	"gap:0 1.5rem}\n"
	"@media(min-width:60rem){.pair figure:first-child{grid-row:span 2}}\n"
	".chart{display:block;width:100%;height:auto;font-size:13px}\n"
	".chart text{fill:var(--fg)}.chart .grid{stroke:var(--grid)}\n"
	".chart .axis{stroke:var(--dim)}.chart .mark{stroke:var(--dim);stroke-dasharray:5 4}\n"
	".chart .whisker{stroke:var(--whisker);stroke-width:1.6}.chart .strip{fill:var(--grid)}\n"
	".chart .line{fill:none;stroke-width:2}.chart .over{stroke-dasharray:8 7}\n"
	".chart .other{fill:var(--grid)}\n"
	".chart g *{fill:currentColor;stroke:currentColor}"
	".chart polyline{fill:none!important}\n"
	".chart .band{fill-opacity:.18;stroke:none}\n"
	".chart .computing{fill:" COLOR_COMPUTING "}.chart .handling{fill:" COLOR_HANDLING "}\n"
	".chart .communicating{fill:" COLOR_COMMUNICATING "}"
	".chart .waiting{fill:" COLOR_WAITING "}.chart .away{fill:" COLOR_AWAY "}"
	".chart .lost{fill:" COLOR_LOST "}\n"
	"@media screen and (prefers-color-scheme:dark){.chart .waiting{fill:#6b5526}"
	".chart g{filter:invert(.92) hue-rotate(180deg)}}\n"
	".chart .h0{fill:var(--s0)}.chart .h1{fill:var(--grid)}"
	".chart .h2{fill:var(--s1);fill-opacity:.3}.chart .h3{fill:var(--s1);fill-opacity:.6}\n"
	".chart .h4{fill:var(--s1)}.chart .h5{fill:var(--s6);fill-opacity:.8}"
	".chart .h6{fill:var(--s3)}\n"
	"@page{size:A4;margin:8mm}\n"
	"dl.facts{display:block}dl.facts div{margin:.15rem 0}dl.facts dt{display:inline;"
	"margin-right:.5rem}dl.facts dd{display:inline}dl.facts small{color:var(--dim)}\n"
	"@media print{:root{color-scheme:light;--fg:#111;--dim:#555;--bg:#fff;--card:#f4f6f8;"
	"--line:#ccc;--link:#111;--yes:#0f6b3c;--s0:#0b6bb8;--s1:#c75300;"
	"--s3:#a0408a;--s6:#b3261e;--grid:#e2e6ea;--whisker:#333}\n"
	"*{print-color-adjust:exact;-webkit-print-color-adjust:exact}\n"
	"body{font-size:7.2pt;line-height:1.3}main{max-width:none;padding:0}\n"
	"h1{font-size:13pt;margin:0 0 1mm}h2{font-size:9pt;margin:2mm 0 1mm;padding:0}\n"
	"p,ul{margin:.6mm 0}.answer{padding:1mm 3mm}.answer .first{font-size:10pt}\n"
	"th,td{padding:.3mm 1.6mm}figure{margin:0;break-inside:avoid}\n"
	".pair{grid-template-columns:1fr 1fr;gap:0 4mm}.pair .chart{max-height:21mm}"
	".pair figure:first-child .chart{max-height:46mm}\n"
	".pair figure:first-child{grid-row:span 2}figcaption{font-size:6.4pt;margin:0}\n"
	"ul.columns,ul.notes{padding-left:4mm}.notes,footer{font-size:6.4pt}\n"
	"dl,ul.columns{columns:2;column-gap:5mm;display:block}dl div{display:block;"
	"break-inside:avoid}dt,dd{display:inline}pre{padding:1mm;font-size:6.4pt;margin:1mm 0}\n"
	".wide{overflow:visible}.wide table{font-size:6.8pt}"
	".wide th,.wide td{padding:.2mm 1.4mm}code,pre{font-size:6.4pt}"
	"dl.facts,ul{font-size:6.6pt;line-height:1.2}dl.facts div{margin:0}"
	"ul.columns{font-size:6pt}}\n";

/* A picture inside a page, and a picture made shorter. */
#include "report/page/html.h"

#include "core/base/mem.h"
#include "report/plot/plot.h"
#include "tests/support/check.h"
#include "tests/support/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What stands of the SVG's inside in a page; the caller frees. */
static char *inlined(const char *inside)
{
	char *folder = folder_new(), *path = xasprintf("%s/a.svg", folder), *text = NULL;
	char *svg = xasprintf("<?xml version='1.0'?><svg viewBox=\"0 0 1 1\">%s</svg>", inside);
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	folder_write(folder, "a.svg", PACK_PLAIN, svg, strlen(svg));
	assert_int_equal(html_svg(out, path, "p1-", "what"), 0);
	fclose(out);
	free(svg);
	free(path);
	folder_remove(folder);
	return text;
}

/* What draws is taken, and nothing of it leaves its attribute. */
static void test_inside(void **state)
{
	static const char head[] = "<svg role=\"img\" aria-label=\"what\" viewBox=\"0 0 1 1\">";
	static const struct {
		const char *from, *to;
	} cases[] = {
		{ "<g id='a'><use xlink:href='#a' x=\"1\"/></g>",
		  "<g id=\"p1-a\"><use href=\"#p1-a\" x=\"1\"/></g>" },
		{ "<rect fill=\"url(#a)\"/>", "<rect fill=\"url(#p1-a)\"/>" },
		{ "<text>a &lt; b</text> c", "<text>a &lt; b</text>" },
		{ "<rect onload=\"alert(1)\" style=\"x\" x='1'/>", "<rect x=\"1\"/>" },
		{ "<script>alert(1)</script><image href=\"x\"/>", "" },
		{ "<use href=\"http://x\"/><rect fill=\"url(http://x)\"/>", "<use/><rect/>" },
		{ "<g id='a\" onload=\"b<'/>", "<g id=\"p1-a&quot; onload=&quot;b&lt;\"/>" },
		{ "<use href='#a\" onload=\"b'/>", "<use href=\"#p1-a&quot; onload=&quot;b\"/>" },
		{ "<rect x='1\" onload=\"b'/>", "<rect x=\"1&quot; onload=&quot;b\"/>" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = inlined(cases[i].from);
		char *whole = xasprintf("%s%s</svg>\n", head, cases[i].to);

		assert_string_equal(text, whole);
		free(whole);
		free(text);
	}
}

#define USUAL " fill=\"none\" color=\"black\" stroke=\"currentColor\""
#define LINES " stroke-linecap=\"butt\" stroke-linejoin=\"miter\""
#define HEAD "<svg><g id=\"c\"><rect/><defs>\n</defs>\n"
#define P1 "\n\t<use xlink:href='#p5' id='p1'/>"
#define BOX "\n\t<filter id='box'>\n\t  <feFlood/>\n\t</filter>"
#define P5 "\n\t<circle id='p5'/>"
#define P11 "\n\t<path id='p11'/>"

/* What most groups have is said once; what draws nothing is left out; texts stay as they are. */
static void test_lean(void **state)
{
	static const struct {
		const char *from, *to;
	} cases[] = {
		{ "<g" USUAL " stroke-width=\"2\"" LINES "><path/></g>",
		  "<g stroke-width=\"2\"><path/></g>" },
		{ "<g" USUAL ">\n</g>\n<g id='a'>\n\t<path/></g>", "<g id='a'>\n\t<path/></g>" },
		{ "<g color=\"red\"" LINES "><path/></g>", "<g color=\"red\"><path/></g>" },
		{ "<path" LINES "/>", "<path" LINES "/>" },
		{ "<text><![CDATA[<g a></g>" LINES "]]></text>",
		  "<text><![CDATA[<g a></g>" LINES "]]></text>" },
		{ "<g a", "<g a" },
		{ "<use xlink:href='#p1'/>#p", "<use xlink:href='#p1'/>#p" },
		{ "<text><![CDATA[<g a></g>", "<text><![CDATA[<g a></g>" },
	};
	static const struct {
		const char *used, *from, *to;
	} symbols[] = {
		{ "<use xlink:href='#p1'/>", P5 P11 P1 BOX, P5 P1 },
		{ "<use xlink:href='#p11'/>", P1 P11 BOX, P11 },
		{ "<g filter='url(#box)'/>", P5 BOX P11, BOX },
		{ "#p5", P5, "" },
	};
	static const char *const others[] = { "<g></g>", "<svg></svg>", HEAD, ("</svg>" HEAD), "" };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *from = xasprintf(HEAD "%s</g></svg>\n", cases[i].from);
		char *to = xasprintf(HEAD "<g" USUAL LINES ">\n%s</g></g>\n</svg>\n", cases[i].to);
		char *lean = svg_lean(from, "T");

		assert_string_equal(lean, to);
		free(lean);
		free(to);
		free(from);
	}
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		char *from = xasprintf("<svg><defs>\n%s\n</defs>\n%s</svg>", symbols[i].from,
				       symbols[i].used);
		char *to = xasprintf("<svg><defs>%s\n</defs>\n<g" USUAL LINES ">\n%s</g>\n</svg>",
				     symbols[i].to, symbols[i].used);
		char *lean = svg_lean(from, "T");

		assert_string_equal(lean, to);
		free(lean);
		free(to);
		free(from);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		char *lean = svg_lean(others[i], "T");

		assert_string_equal(lean, others[i]);
		free(lean);
	}
}

/* The title replaces gnuplot's, not those of its groups, and is read back as it was. */
static void test_title(void **state)
{
	static const char title[] = "a < b & \"c\", it's &amp;";
	static const char from[] = "<svg><title>Gnuplot</title><desc/><g><title>d</title></g>"
				   "<defs>\n</defs>\n</svg>";
	char *lean = svg_lean(from, title), *own = svg_title(lean);

	(void)state;
	assert_non_null(strstr(lean, "<svg><title>a &lt; b &amp; &quot;c&quot;, it&#39;s &amp;amp;"
				     "</title><desc/><g><title>d</title></g>"));
	assert_string_equal(own, title);
	assert_null(svg_title("<svg></svg>"));
	assert_null(svg_title("<title>a"));
	free(own);
	free(lean);
}

RUN_ALL(test_inside, test_lean, test_title)

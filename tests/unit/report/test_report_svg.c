/* A picture inside a page: what draws is taken, and nothing of it leaves its attribute. */
#include "report/page/html.h"

#include "core/base/mem.h"
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

RUN_ALL(test_inside)

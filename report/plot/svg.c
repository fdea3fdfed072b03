/*
 * svg.c - a third off gnuplot's SVG without a pixel's difference: groups in which nothing is drawn,
 * and attributes that a group has from the one around it.
 */
#include "report/plot/plot.h"

#include "core/base/mem.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* What nearly every group of gnuplot's sets. */
static const char *const common[] = {
	" fill=\"none\" color=\"black\" stroke=\"currentColor\"",
	" stroke-linecap=\"butt\" stroke-linejoin=\"miter\"",
};

enum { COMMON = sizeof(common) / sizeof(common[0]) };

static bool starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* What follows the group and its line's end if nothing is in it, else NULL. */
static const char *empty_group_end(const char *group)
{
	static const char end[] = "</g>";
	const char *rest = starts_with(group, "<g ") ? strchr(group, '>') : NULL;

	if (!rest || rest[-1] == '/')
		return NULL;
	rest++;
	rest += strspn(rest, " \t\n");
	if (!starts_with(rest, end))
		return NULL;
	rest += strlen(end);
	return rest + strspn(rest, " \t\n");
}

/* Copies a group's tag, which ends before `to`, without the common attributes; returns its end. */
static const char *tag_put(const char *tag, const char *to, FILE *out)
{
	while (tag < to && *tag != '>') {
		int i = 0;

		while (i < COMMON && !starts_with(tag, common[i]))
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

char *svg_lean(const char *svg)
{
	static const char defs_end[] = "</defs>\n", end[] = "</svg>";
	const char *from = strstr(svg, defs_end), *to = from, *next;
	char *text;
	size_t n;
	FILE *out;

	while (to && (next = strstr(to + 1, end)))
		to = next;
	if (!from || to == from)
		return xstrdup(svg);
	from += strlen(defs_end);
	out = xmemstream(&text, &n);
	fwrite(svg, 1, (size_t)(from - svg), out);
	fprintf(out, "<g%s%s>\n", common[0], common[1]);
	while (from < to)
		if ((next = empty_group_end(from)))
			from = next;
		else if (starts_with(from, "<g "))
			from = tag_put(from, to, out);
		else if (starts_with(from, "<![CDATA["))
			from = cdata_put(from, to, out);
		else
			putc(*from++, out);
	fprintf(out, "</g>\n%s", to);
	xmemclose(out);
	return text;
}

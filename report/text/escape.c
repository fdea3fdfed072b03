/* Any text inside CSV, Markdown, LaTeX or HTML, and fields of a line of CSV. */
#include "report/text/escape.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/word.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void escape_csv(const char *s, FILE *out)
{
	if (!strpbrk(s, ",\"\n\r")) {
		fputs(s, out);
		return;
	}
	putc('"', out);
	for (; *s; s++) {
		if (*s == '"')
			putc('"', out);
		putc(*s, out);
	}
	putc('"', out);
}

void csv_text(const char *text, FILE *out)
{
	putc(',', out);
	escape_csv(text ? text : "", out);
}

void csv_number(double x, FILE *out)
{
	scoped_json cJSON *number = json_of_number(x);
	char *text;

	json_print_exactly(number);
	text = json_format(number, false);
	csv_text(isnan(x) ? "" : x >= DBL_MAX ? "inf" : text, out);
	free(text);
}

static const char joint[] = ", ";

void csv_joined(const char *text, int n, FILE *out)
{
	for (; n > 1; n--) {
		const char *end = strstr(text, joint);
		scoped char *own = end ? xasprintf("%.*s", (int)(end - text), text) : xstrdup(text);

		escape_csv(own, out);
		putc(',', out);
		text = end ? end + strlen(joint) : "";
	}
	escape_csv(text, out);
}

int csv_count(const char *text)
{
	int n = 1;

	while ((text = strstr(text, joint))) {
		text += strlen(joint);
		n++;
	}
	return n;
}

/* ---- Markdown ---- */

/*
 * Signs that begin emphasis, code, a tag or a cell, or make a link or a picture of what is in
 * brackets. "_" within a word means nothing.
 */
static bool means_something(const char *text, const char *at)
{
	const bool in_word = at > text && isalnum((unsigned char)at[-1]) &&
			     isalnum((unsigned char)at[1]);

	if (*at == '_')
		return !in_word;
	if (*at == ']')
		return at[1] && strchr("([:", at[1]);
	return strchr("|<\\`*", *at) != NULL;
}

void escape_markdown(const char *s, FILE *out)
{
	for (const char *c = s; *c; c++) {
		if (means_something(s, c))
			putc('\\', out);
		putc(*c == '\n' ? ' ' : *c, out);
	}
}

struct change {
	const char *from, *to;
};

/* Writes s with every `from` as its `to`; the rest as it is, but on one line. */
static void put_changed(const char *s, const struct change *list, FILE *out)
{
	while (*s) {
		const struct change *c = list;

		while (c->from && strncmp(s, c->from, strlen(c->from)) != 0)
			c++;
		if (c->from)
			fputs(c->to, out);
		else
			putc((unsigned char)*s < ' ' ? ' ' : *s, out);
		s += c->from ? strlen(c->from) : 1;
	}
}

void escape_latex(const char *s, FILE *out)
{
	static const struct change list[] = {
		{ "\\", "\\textbackslash{}" }, { "{", "\\{" }, { "}", "\\}" }, { "$", "\\$" },
		{ "&", "\\&" }, { "#", "\\#" }, { "_", "\\_" }, { "%", "\\%" },
		{ "~", "\\textasciitilde{}" }, { "^", "\\textasciicircum{}" },
		{ "<", "$<$" }, { ">", "$>$" }, { "|", "$|$" },
		{ "±", "$\\pm$" }, { "∞", "$\\infty$" }, { "−", "$-$" }, { "×", "$\\times$" },
		{ "≤", "$\\leq$" }, { "≥", "$\\geq$" }, { NULL, NULL },
	};

	/* After a row's end these would be its argument. */
	if (s[strspn(s, " ")] == '[' || s[strspn(s, " ")] == '*')
		fputs("{}", out);
	put_changed(s, list, out);
}

void escape_latex_label(const char *prefix, const char *name, FILE *out)
{
	fputs(prefix, out);
	for (; *name; name++)
		putc(strchr("-._", *name) || (*name > 0 && isalnum((unsigned char)*name)) ? *name
											: '-',
		     out);
}

static const struct change html_changes[] = {
	{ "&", "&amp;" }, { "<", "&lt;" }, { ">", "&gt;" }, { "\"", "&quot;" },
	{ "'", "&#39;" }, { "\n", "\n" }, { NULL, NULL },
};

void escape_html(const char *s, FILE *out)
{
	put_changed(s, html_changes, out);
}

char *unescape_html(const char *from, const char *to)
{
	char *text = xcalloc((size_t)(to - from) + 1, 1), *end = text;

	while (from < to) {
		const struct change *c = html_changes;

		while (c->to && !word_starts(from, c->to))
			c++;
		*end++ = c->from ? *c->from : *from;
		from += c->to ? strlen(c->to) : 1;
	}
	return text;
}

/*
 * gnuplot.c - what every script has: texts, paths, what gnuplot draws on; and running it with a
 * limit on its time.
 */
#include "report/plot/plot.h"

#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/text/utf8.h"
#include "report/text/escape.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- text ---- */

/*
 * Between single quotes nothing but the quote means anything; gnuplot misreads a doubled one at
 * the beginning, so a text that has any stands between double quotes, escaped. So does a text of
 * several lines.
 */
static void quoted_put(const char *text, char twice, FILE *out)
{
	const bool escape = strpbrk(text, "'\n") != NULL;
	const char quote = escape ? '"' : '\'';

	putc(quote, out);
	for (; *text; text++) {
		if (*text == twice)
			putc(*text, out);
		if (*text == '\n')
			fputs("\\n", out);
		else if (escape && (*text == '"' || *text == '\\' || *text == '`'))
			fprintf(out, "\\%03o", (unsigned char)*text);
		else
			putc((unsigned char)*text < ' ' || *text == 127 ? ' ' : *text, out);
	}
	putc(quote, out);
}

static bool in_latex;           /* LaTeX draws the texts */

void gnuplot_strings_in_latex(bool latex)
{
	in_latex = latex;
}

/* A line of text for LaTeX; the caller frees. */
static char *latex_text(const char *text)
{
	char *all;
	size_t n;
	FILE *out = xmemstream(&all, &n);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		scoped char *one = NULL;

		line += *line == '\n';
		one = xasprintf("%.*s", (int)strcspn(line, "\n"), line);
		if (line != text)
			putc('\n', out);
		escape_latex(one, out);
	}
	xmemclose(out);
	return all;
}

/* Text that is drawn: gnuplot puts it into SVG as CDATA, which "]]>" would end. */
static void drawn_put(const char *text, char twice, FILE *out)
{
	scoped char *copy = in_latex ? latex_text(text) : xstrdup(text), *all = xstrdup("");
	char *rest = copy, *end;

	utf8_make_printable(copy);
	for (; (end = strstr(rest, "]]>")); rest = end + 2)
		xappendf(&all, "", "%.*s ", (int)(end + 2 - rest), rest);
	xappend(&all, "", rest);
	quoted_put(all, twice, out);
}

void gnuplot_string(const char *text, FILE *out)
{
	drawn_put(text, '\0', out);
}

void gnuplot_tic(const char *text, FILE *out)
{
	drawn_put(text, '%', out);
}

void gnuplot_path(const char *name, const char *suffix, FILE *out)
{
	scoped char *path =
		xasprintf("%s%s%s", isalnum((unsigned char)*name) ? "" : "./", name, suffix);

	quoted_put(path, '\0', out);
}

void gnuplot_head(const char *name, FILE *out)
{
	scoped char *line = xasprintf("# Edit, and run in this folder: gnuplot %s.gp", name);

	for (char *c = line; *c; c++)
		putc((unsigned char)*c < ' ' || *c == 127 ? ' ' : *c, out);
	fputs("\nset encoding utf8\n", out);
}

/* ---- what it draws on ---- */

/* A PDF or TikZ picture, of the asked or usual size. */
static void print_terminal_put(const struct plot_file *p, FILE *out)
{
	const struct plot_form *form = p->form;
	const double cm = form && form->width > 0 ? form->width : PDF_WIDTH;
	const double font = form && form->font > 0 ? form->font : PDF_FONT;
	const double high = form && form->height > 0 ? form->height
			    : cm * p->height / (p->width > 0 ? p->width : PLOT_WIDTH);

	if (p->medium == PLOT_PDF)
		fprintf(out, "set terminal pdfcairo size %gcm,%.1fcm font 'Sans,%g' "
			"linewidth 1.5%s\n", cm, high, font, form ? " pointscale 0.5" : "");
	else
		fprintf(out, "set terminal tikz size %gcm,%.1fcm linewidth 1.5 "
			"font '\\fontsize{%gpt}{%gpt}\\selectfont'\n",
			cm, high, font, 1.2 * font);
	fputs("set output ", out);
	gnuplot_path(p->name, p->medium == PLOT_PDF ? ".pdf" : ".tikz", out);
	putc('\n', out);
}

/* Every gnuplot has SVG. Its letters are large for its width: a telephone shrinks it to a half. */
void plot_terminals_begin(const struct plot_file *p, FILE *out)
{
	if (p->medium != PLOT_PICTURES) {
		print_terminal_put(p, out);
		return;
	}
	fprintf(out, "set terminal svg size %d,%d font 'sans-serif,%d' background rgb 'white'\n"
		"set output ", PLOT_WIDTH, p->height, PLOT_FONT);
	gnuplot_path(p->name, ".svg", out);
	putc('\n', out);
}

void plot_terminals_end(const struct plot_file *p, const char *again, FILE *out)
{
	const int width = 2 * PLOT_WIDTH, height = 2 * p->height;

	if (p->medium == PLOT_PICTURES) {
		fprintf(out, "terminals = ' '.GPVAL_TERMINALS.' '\n"
			"cairo = strstrt(terminals, ' pngcairo ') > 0\n"
			"if (cairo) {\n\tset terminal pngcairo size %d,%d font 'Sans,17' "
			"fontscale 1.6 linewidth 2 pointscale 3\n}\n"
			"if (!cairo && strstrt(terminals, ' png ')) {\n"
			"\tset terminal png size %d,%d font ',28' linewidth 2\n}\n"
			"if (cairo || strstrt(terminals, ' png ')) {\n\tset output ", width,
			height, width, height);
		gnuplot_path(p->name, ".png", out);
		fprintf(out, "\n%s}\n", again);
	}
	fputs("set output\n", out);
}

/* ---- the run ---- */

enum { LIMIT_S = 60 };

static bool (*stop_asked)(void);

void gnuplot_stop_when(bool (*stop)(void))
{
	stop_asked = stop;
}

bool gnuplot_stopped(void)
{
	return stop_asked && stop_asked();
}

static bool stop_now(void *arg)
{
	(void)arg;
	return gnuplot_stopped();
}

/* The first line of complaint that says something. */
static void first_line(const char *complaints, char why[256])
{
	while (*complaints) {
		const size_t n = strcspn(complaints, "\n");

		snprintf(why, 256, "%.*s", (int)(n < 256 ? n : utf8_whole(complaints, 255)),
			 complaints);
		if (why[strspn(why, " \t^")])
			return;
		complaints += n + (complaints[n] == '\n');
	}
	strcpy(why, "gnuplot failed");
}

int gnuplot_run(const char *script, const char *dir, FILE *out, char why[256])
{
	char *words[] = { "gnuplot", "-d", (char *)script, NULL };
	const struct process_way way = { .words = words, .dir = dir, .in = PROCESS_NULL,
					 .out = out ? fileno(out) : PROCESS_NULL,
					 .err = PROCESS_PIPE, .group = true };
	const struct process_limits limits = { .seconds = LIMIT_S, .tick = stop_now };
	struct process_answer a;
	struct process child;
	bool drawn;

	if (process_start(&child, &way) < 0) {
		snprintf(why, 256, "%s", strerror(errno));
		return errno == ENOENT ? 1 : -1;
	}
	a = process_collect(&child, &limits);
	drawn = a.end == PROCESS_ENDED && process_succeeded(a.status);
	if (a.end != PROCESS_ENDED)
		strcpy(why, a.end == PROCESS_STOPPED ? "interrupted" : "gnuplot took too long");
	else if (!drawn)
		first_line(a.text, why);
	free(a.text);
	return drawn ? 0 : -1;
}

/* Text inside a script of gnuplot, and running it with a limit on its time. */
#include "report/plot/plot.h"

#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/text/utf8.h"

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
static void put_quoted(const char *text, char twice, FILE *out)
{
	const bool escape = strpbrk(text, "'\n") != NULL;
	const char quote = escape ? '"' : '\'';

	putc(quote, out);
	for (; *text; text++) {
		if (*text == twice)
			putc(*text, out);
		if (*text == '\n' && !twice)
			fputs("\\n", out);
		else if (escape && (*text == '"' || *text == '\\' || *text == '`'))
			fprintf(out, "\\%03o", (unsigned char)*text);
		else
			putc((unsigned char)*text < ' ' || *text == 127 ? ' ' : *text, out);
	}
	putc(quote, out);
}

/* Text that is drawn: gnuplot puts it into SVG as CDATA, which "]]>" would end. */
static void put_drawn(const char *text, char twice, FILE *out)
{
	char *copy = xstrdup(text), *all = xstrdup(""), *rest = copy, *end;

	utf8_make_printable(copy);
	for (; (end = strstr(rest, "]]>")); rest = end + 2)
		xappend_own(&all, "", xasprintf("%.*s ", (int)(end + 2 - rest), rest));
	xappend(&all, "", rest);
	put_quoted(all, twice, out);
	free(all);
	free(copy);
}

void gnuplot_string(const char *text, FILE *out)
{
	put_drawn(text, '\0', out);
}

void gnuplot_tic(const char *text, FILE *out)
{
	put_drawn(text, '%', out);
}

void gnuplot_path(const char *name, const char *suffix, FILE *out)
{
	char *path = xasprintf("%s%s%s", isalnum((unsigned char)*name) ? "" : "./", name, suffix);

	put_quoted(path, '\0', out);
	free(path);
}

void gnuplot_head(const char *name, FILE *out)
{
	char *line = xasprintf("# Edit, and run in this folder: gnuplot %s.gp", name);

	for (char *c = line; *c; c++)
		putc((unsigned char)*c < ' ' || *c == 127 ? ' ' : *c, out);
	fputs("\nset encoding utf8\n", out);
	free(line);
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

		snprintf(why, 256, "%.*s", (int)(n < 255 ? n : 255), complaints);
		if (why[strspn(why, " \t^")])
			return;
		complaints += n + (complaints[n] == '\n');
	}
	strcpy(why, "gnuplot failed");
}

static int gnuplot_judge(const struct process_answer *a, char why[256])
{
	if (a->end == PROCESS_ENDED && process_succeeded(a->status))
		return 0;
	if (a->end != PROCESS_ENDED)
		strcpy(why, a->end == PROCESS_STOPPED ? "interrupted" : "gnuplot took too long");
	else
		first_line(a->text, why);
	return -1;
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
	int rc;

	if (process_start(&child, &way) < 0) {
		snprintf(why, 256, "%s", strerror(errno));
		return errno == ENOENT ? 1 : -1;
	}
	a = process_collect(&child, &limits);
	rc = gnuplot_judge(&a, why);
	free(a.text);
	return rc;
}

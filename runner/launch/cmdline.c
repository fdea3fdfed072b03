/* The words of a command line that is to be run. */
#include "runner/launch/cmdline.h"

#include "core/base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Takes the word. */
static void cmdline_take(struct cmdline *w, char *word)
{
	w->v = xrealloc(w->v, w->n + 2, sizeof(*w->v));
	w->v[w->n++] = word;
	w->v[w->n] = NULL;
}

void cmdline_add(struct cmdline *w, const char *word)
{
	cmdline_take(w, xstrdup(word));
}

void cmdline_add_pair(struct cmdline *w, const char *key, const char *value)
{
	cmdline_add(w, key);
	cmdline_add(w, value);
}

void cmdline_addf(struct cmdline *w, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	cmdline_take(w, xvasprintf(fmt, ap));
	va_end(ap);
}

void cmdline_split(struct cmdline *w, const char *text)
{
	char *copy = xstrdup(text), *rest = copy;

	for (char *word; (word = strtok_r(rest, " \t", &rest));)
		cmdline_add(w, word);
	free(copy);
}

char *cmdline_join(const struct cmdline *w)
{
	char *text = xstrdup("");

	for (size_t i = 0; i < w->n; i++)
		xappend(&text, " ", w->v[i]);
	return text;
}

void cmdline_release(struct cmdline *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->v[i]);
	free(w->v);
}

/* A dry run's table of settings: each with its values, and where they come from. */
#include "runner/settings_table.h"

#include "core/base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES = 4 };            /* of a line; "..." stands for more */

struct line {                   /* a setting's values that come from one source */
	char *source;           /* owned */
	const char *value[VALUES + 1];  /* [n], each once; borrowed */
	size_t n;
};

struct lines {
	struct line *v;         /* [n], owned */
	size_t n;
};

static void line_add(struct line *l, const char *value)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->value[i], value) == 0)
			return;
	if (l->n <= VALUES)
		l->value[l->n++] = value;
}

/* Takes the source over. */
static void lines_add(struct lines *all, char *source, const char *value)
{
	size_t i = 0;

	while (i < all->n && strcmp(all->v[i].source, source) != 0)
		i++;
	if (i == all->n) {
		all->v = xrealloc(all->v, all->n + 1, sizeof(*all->v));
		all->v[all->n++] = (struct line){ .source = source };
	} else {
		free(source);
	}
	line_add(&all->v[i], value);
}

/* "  workers       4, 8, 16                  given"; frees the line's source. */
static void line_print(const char *key, struct line *l)
{
	char *text = xstrdup(l->value[0]);

	for (size_t i = 1; i < l->n; i++)
		xappend(&text, ", ", i < VALUES ? l->value[i] : "...");
	printf("%-15s %-28s  %s\n", key, text, l->source);
	free(text);
	free(l->source);
}

static void print_setting(const struct setup *const *runs, size_t n, size_t setting, bool all)
{
	struct lines lines = { 0 };
	bool shown = all;

	for (size_t i = 0; i < n; i++) {
		const struct setting_source *src = &runs[i]->sources[setting];

		shown |= src->from != FROM_DEFAULT;
		lines_add(&lines, setting_source_text(src), runs[i]->canonical[setting].value);
	}
	for (size_t i = 0; i < lines.n; i++)
		if (shown)
			line_print(runs[0]->canonical[setting].key, &lines.v[i]);
		else
			free(lines.v[i].source);
	free(lines.v);
}

void settings_table_print(const struct setup *const *runs, size_t n, bool all)
{
	for (size_t i = 0; n && i < runs[0]->ncanonical; i++)
		print_setting(runs, n, i, all);
}

void settings_table_of_plan(const struct plan *p)
{
	const size_t n = p->n - p->nbaselines;
	const struct setup **runs = xcalloc(n + 1, sizeof(*runs));

	for (size_t i = 0; i < n; i++)
		runs[i] = &p->runs[i].su;
	settings_table_print(runs, n, false);
	free(runs);
}

/* Names the groups of a table whose runs diverged, with counts. */
#include "report/table/table.h"

#include "core/base/mem.h"
#include "core/file/json.h"

#include <stdlib.h>
#include <string.h>

enum { NAMED = 6 };             /* cells, at most */

struct tally {
	long runs, diverged;
	int cells;
	char *names;            /* of the first cells */
};

/* "ASGD, 16 (2 of 3)"; the caller frees. */
static char *diverged_cell_name(const cJSON *row, const cJSON *head, int diverged, int runs)
{
	const char *group = json_word(head, "group");
	char *part = runs > 1 ? xasprintf(" (%d of %d)", diverged, runs) : xstrdup("");
	char *name = xasprintf("%s%s%s%s", json_word(row, "label"), *group ? ", " : "", group,
			       part);

	free(part);
	return name;
}

static void diverged_name_cell(struct tally *t, const cJSON *row, const cJSON *head, int diverged,
			       int runs)
{
	if (t->cells++ < NAMED)
		xappend_own(&t->names, "; ", diverged_cell_name(row, head, diverged, runs));
}

static void count_cell(struct tally *t, const cJSON *row, const cJSON *head, const cJSON *cell)
{
	const int diverged = table_count(cell, "diverged"), runs = table_count(cell, "runs");

	t->runs += runs;
	if (!diverged)
		return;
	t->diverged += diverged;
	diverged_name_cell(t, row, head, diverged, runs);
}

/* The cells of a group, one a measure, are of the same runs: the first one counts. */
static void count_row(struct tally *t, const cJSON *table, const cJSON *row)
{
	const cJSON *cell = json_get(row, "cells")->child, *head;
	const char *last = NULL;

	cJSON_ArrayForEach(head, json_get(table, "heads")) {
		const char *group = json_word(head, "value");

		if (!last || strcmp(group, last) != 0)
			count_cell(t, row, head, cell);
		last = group;
		cell = cell->next;
	}
}

static char *tally_words(const struct tally *t)
{
	char *more = t->cells > NAMED ? xasprintf("; and %d more", t->cells - NAMED) :
					 xstrdup("");
	char *words = xasprintf("%ld of %ld runs diverged (a loss was not finite): %s%s",
				t->diverged, t->runs, t->names, more);

	free(more);
	return words;
}

char *table_diverged(const cJSON *table)
{
	struct tally t = { 0 };
	const cJSON *row;
	char *words;

	cJSON_ArrayForEach(row, json_get(table, "rows"))
		count_row(&t, table, row);
	words = t.diverged ? tally_words(&t) : NULL;
	free(t.names);
	return words;
}

/*
 * select.h - selections of runs, as tables, plots and claims ask for them, and published numbers.
 *
 * Where a section of a spec names keys, it may give one text or a list of them.
 */
#ifndef RECORD_SELECT_H
#define RECORD_SELECT_H

#include "record/result.h"

struct selection {
	const struct result **run;      /* [n] borrowed; the array is owned */
	size_t n;
};

/*
 * The runs that agree with the object `where`: {key: value, or a list of choices}; NULL: all runs.
 * If a setting is not in the grid, a choice may name only some of its options.
 */
struct selection select_where(const struct results *runs, const cJSON *where);

/* A text of the values of keys for each run, or "": [s->n], then NULL; path_list_free(). */
char **select_texts(const struct selection *s, const cJSON *keys);

/* The runs whose text is `text`; texts[s->n] are those of select_texts(). */
struct selection select_text(const struct selection *s, char *const *texts, const char *text);

/* Distinct values of keys in order of appearance: NULL-ended, path_list_free(). */
char **select_distinct(const struct selection *s, const cJSON *keys);

/* A setting other than the seed and `except` in which the runs differ, or NULL. Borrowed. */
const char *select_mixes(const struct selection *s, const char *except);

/* How many of the runs diverged. */
int select_diverged(const struct selection *s);

/*
 * x[s->n] <- the measure of each run. A run that diverged ended early: if others did not, its time,
 * or another measure that is not learnt, would not compare with theirs, and is NaN.
 */
void select_numbers(const struct selection *s, const char *key, double *x);

/* spread_of() the numbers of select_numbers(). */
struct spread select_spread(const struct selection *s, const char *key);

/*
 * Adds a run, unless it is in the selection: two points of a grid may be the same run, which is one
 * sample of a mean. Its array must have a free element.
 */
void selection_add(struct selection *s, const struct result *r);

/* Leaves out what selection_add() would not have added. */
void selection_once(struct selection *s);

void selection_release(struct selection *s);

/* The number of `measure` in the first published cell that agrees with the run, or NULL. */
const cJSON *published_number(const cJSON *cells, const struct result *r, const char *measure);

/*
 * True when every setting of a published cell agrees with the run. A number under the key `x` is a
 * coordinate, and is skipped; x may be NULL.
 */
bool published_agrees(const cJSON *cell, const struct result *r, const char *x);

#endif

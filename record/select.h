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
 * All runs, or those that agree with the object `where` (a value, or a list of choices, by key). Of
 * a setting that is not in the grid, a choice may name some of its options alone.
 */
struct selection select_where(const struct results *runs, const cJSON *where);

/* The values of keys of each run, [s->n] and NULL: path_list_free(). */
char **select_texts(const struct selection *s, const cJSON *keys);

/* Those whose text is this one, of texts as above. */
struct selection select_text(const struct selection *s, char *const *texts, const char *text);

/* Those whose values of keys are `values`. NULL keys: all. */
struct selection select_values(const struct selection *s, const cJSON *keys, const char *values);

/* Distinct values of keys in order of appearance: NULL-ended, path_list_free(). */
char **select_distinct(const struct selection *s, const cJSON *keys);

/* The first run with those values, or NULL. */
const struct result *select_first(const struct selection *s, const cJSON *keys, const char *values);

/* A setting other than the seed and `except` in which the runs differ, or NULL. Borrowed. */
const char *select_mixes(const struct selection *s, const char *except);

/* How many of the runs diverged. */
int select_diverged(const struct selection *s);

/*
 * x[s->n] <- the measure of each run. Of what was not learnt, such as times, runs that diverged
 * have none where others did not: they are shorter.
 */
void select_numbers(const struct selection *s, const char *key, double *x);

/* spread_of() these. */
struct spread select_spread(const struct selection *s, const char *key);

void selection_release(struct selection *s);

/* "NAME" or "NAME:OPTION=VALUE,..." agrees with a text of this name that has these options. */
bool plugin_is_part(const char *wanted, const char *own);

/* What a cell of published numbers says of `measure` for a run, or NULL. */
const cJSON *published_number(const cJSON *cells, const struct result *r, const char *measure);

/*
 * True when every setting of a published cell agrees with the run. A number under the key `x` is a
 * coordinate, and is skipped; x may be NULL.
 */
bool published_agrees(const cJSON *cell, const struct result *r, const char *x);

#endif

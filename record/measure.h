/*
 * measure.h - what tables and plots ask of run objects: values, groups, means, labels.
 *
 * A key is the name of a setting or of a measure; '-' and '_' are the same in it.
 * Where a section names keys, it may give one text or a list of them.
 */
#ifndef RECORD_MEASURE_H
#define RECORD_MEASURE_H

#include "core/math/statistics.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

/* Names of the numbers of a run object, NULL-ended. */
extern const char *const measure_names[];

/* One of them, or a target as in target.h. */
bool measure_known(const char *name);

/* True of those that are of the real clock: other runs at the same time change them. */
bool measure_is_real(const char *name);

/* "time_per_epoch_s" -> "time per epoch [s]", or what labels says. The caller frees. */
char *measure_label(const char *name, const cJSON *labels);

/* "latency_s" -> "latency [s]": of a plug-in's option. The caller frees. */
char *option_label(const char *name);

/* The member of an object by key, or NULL. */
const cJSON *key_find(const cJSON *object, const char *key);

/* The i-th key of a section's text or list; NULL past the end. */
const char *keys_at(const cJSON *keys, int i);

/*
 * A run's value of a setting or measure as text: as written in the grid, else
 * canonical, else its own member. The caller frees; NULL when there is none.
 */
char *run_text(const cJSON *run, const char *key);

/* True of a run that ended because a loss was not finite. */
bool run_diverged(const cJSON *run);

/* True of losses, accuracies and the like, which a run that diverged has not. */
bool measure_learnt(const char *key);

/*
 * The same as a number: measure, "slow_factor", or setting. NaN when there is none, HUGE_VAL for
 * a target that was not met and for the losses of a run that diverged, -HUGE_VAL for all else that
 * it learnt.
 */
double run_number(const cJSON *run, const char *key);

/* A JSON value as text; the caller frees; NULL for null, lists and objects. */
char *value_text(const cJSON *value);

/* The largest factor of a "slow" setting: 1 for "none", NaN when it is not one. */
double slow_factor(const char *slow);

/* Values of all keys as one text, shown as labels would have them. The caller frees. */
char *run_label(const cJSON *run, const cJSON *keys, const cJSON *labels);
char *run_values(const cJSON *run, const cJSON *keys);

/* Runs that a section shows; borrowed pointers into a JSON array. */
struct group {
	const cJSON **run;
	size_t n;
};

/*
 * All runs, or those that agree with the object `where` (a value, or a list of choices, by key). Of
 * a setting that is not in the grid, a choice may name some of its options alone.
 */
struct group group_where(const cJSON *runs, const cJSON *where);

/* Those of g whose values of keys are `values`. NULL keys: all. */
struct group group_pick(const struct group *g, const cJSON *keys, const char *values);

/* The values of keys of each run, [g->n] and NULL: path_list_free(). */
char **group_texts(const struct group *g, const cJSON *keys);

/* group_pick() by these: for a group that is picked from again and again. */
struct group group_pick_text(const struct group *g, char *const *texts, const char *text);

/* Distinct values of keys in order of appearance, as a JSON array of texts. */
cJSON *group_values(const struct group *g, const cJSON *keys);

/* The first run with those values: for labels. NULL when there is none. */
const cJSON *group_first(const struct group *g, const cJSON *keys, const char *values);

/* A setting other than the seed in which runs of the group differ, or NULL. Borrowed. */
const char *group_mixes(const struct group *g, const char *except);

/* How many of the runs diverged. */
int group_diverged(const struct group *g);

void group_release(struct group *g);

/*
 * x[g->n] <- the measure of each run. Of what was not learnt, such as times, runs that diverged
 * have none where others did not: they are shorter.
 */
void group_numbers(const struct group *g, const char *key, double *x);

/* spread_of() these. */
struct spread group_spread(const struct group *g, const char *key);

/* What a cell of published numbers says of `measure` for a run, or NULL. */
const cJSON *published_find(const cJSON *cells, const cJSON *run, const char *measure);

/*
 * True when every setting of a published cell agrees with the run. A number
 * under the key `x` is a coordinate, and passed over; x may be NULL.
 */
bool published_matches(const cJSON *cell, const cJSON *run, const char *x);

struct bound {
	bool less, equal;       /* < or <=; <= or >= */
	double limit;
};

/* "<N", ">N", "<=N" or ">=N" with a finite number N and nothing else; false: not a bound. */
bool bound_parse(const char *text, struct bound *b);
bool bound_holds(const struct bound *b, double x);

/* ---- a run's speedup against its baseline ---- */

/*
 * Fills "speedup", the baseline's time_per_epoch_s / the run's own, and "baseline", the hash of
 * that; both null without a baseline.
 */
void result_speedup(cJSON *run, const cJSON *baseline);

/*
 * Notes of the runs whose speedup is above their number of workers, a text for each reason; the
 * baselines are those of their hashes. An array, maybe empty, that the caller frees.
 */
cJSON *speedup_notes(const cJSON *runs, const cJSON *baselines);

/*
 * Notes of the runs that cannot be compared with others, by their "remark": an array, maybe empty,
 * that the caller frees.
 */
cJSON *remark_notes(const cJSON *runs);

/* ---- values that select runs, and that no run can have ---- */

/*
 * Warns of each value in a "where" of the spec's tables and plots, and of each setting of its
 * published cells, that stands for its setting in no grid, base or baseline of the spec or of its
 * scales, with the nearest that does. A number of a cell may also stand on the axis of a plot that
 * shows published points. `defaults` are {setting: text}, for what the spec leaves open; `path` is
 * the spec's.
 */
void where_warn(const cJSON *spec, const cJSON *defaults, const char *path);

#endif

/* Runs as jq's values, which filters may have changed: members, settings, measures and targets. */
#ifndef REPORT_CLAIMS_JQ_RUN_H
#define REPORT_CLAIMS_JQ_RUN_H

#include <cjson/cJSON.h>
#include <jv.h>
#include <stdbool.h>

/* Values are borrowed; what is returned is the caller's to free, unless it is said otherwise. */

/* An invalid value with a message, by a format of two texts. */
jv rule_error(const char *format, const char *a, const char *b);

/* A tree as jq's value, in which the largest number is infinity. */
jv value_of_json(const cJSON *json);

/* null where there is no such member, or `object` is none. */
jv run_member(jv object, const char *key);

/* Number of a value, which it frees; NaN: it is none. */
double number_taken(jv value);

/* Text of a value, which it frees, or `other` where it is none. */
char *text_taken(jv value, const char *other);

/* The text, or the value as JSON. */
char *value_word(jv value);

/* Numbers of a column, which it frees, NaN where there is none; *n <- how many rows. */
double *column_taken(jv column, int *n);

char *run_setting(jv run, const char *key, const char *other);
bool run_has_diverged(jv run);
jv run_seed(jv run);

/* "algo=asgd workers=4": settings of the grid, without the seed. */
char *run_point_text(jv run);

/* Number of test samples that the accuracy is of; NaN: not known. */
double run_test_samples(jv run);

/*
 * How far the run was at the first row of its curves that meets the target of a measure such as
 * "time_to:train_loss<=0.5": infinite where none does or the run diverged, null where it has no
 * values. *step <- from the row before to that one.
 */
jv run_target(jv run, const char *measure, double *step);

/*
 * True of losses, accuracies and targets, of which a run that diverged has the worst value; a time
 * or a gap of it is that of a run that ended early.
 */
bool measure_tells_divergence(const char *measure);

/* The measure, or the same of a target; the loss or accuracy of a diverged run is the worst. */
jv run_value(jv run, const char *measure, double *step);

#endif

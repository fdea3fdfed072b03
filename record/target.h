/*
 * target.h - measures of how far a run went until a curve met a bound:
 * "time_to:test_accuracy>=0.8", "epochs_to:train_loss<=0.5", "gradients_to:COLUMN>=VALUE".
 */
#ifndef RECORD_TARGET_H
#define RECORD_TARGET_H

#include "record/measure.h"

struct target {
	const char *axis;       /* the column that is asked for: "time_s", "epoch", "gradients" */
	const char *unit;       /* of its words: "time (s)" */
	char column[32];        /* of a run's eval, or else of its train */
	struct bound bound;
};

/* "time_to:" and the like; NULL past the last. */
const char *target_prefix(size_t i);

/* True when the name of a measure begins as a target does. */
bool target_named(const char *measure);

/* Fills *t; false: not a target. */
bool target_parse(const char *measure, struct target *t);

/* error() for a measure that begins as a target and is none. */
int target_error(const char *where, const char *key, const char *measure);

/*
 * The axis at the first row of the run that meets the bound; HUGE_VAL when none does, or when the
 * run diverged before; NaN when the column has no numbers, or the run none of it.
 */
double target_value(const cJSON *run, const struct target *t);

/* "time (s) to test accuracy >= 0.8"; the caller frees. */
char *target_label(const struct target *t);

/* What filters of claims may call: time_to(TARGET), epochs_to(TARGET), gradients_to(TARGET). */
extern const char target_filters[];

#endif

/* What a run's machine has that its settings leave open, and where it is from. */
#ifndef PLAN_MACHINE_ASSUMED_H
#define PLAN_MACHINE_ASSUMED_H

#include "plan/resolve/setup.h"

/* The setting, and its source, of each; texts are borrowed from su. The caller frees the array. */
struct setting *assumed_settings(const struct setup *su, size_t *n);

/* {setting: source}. The caller frees. */
cJSON *assumed_json(const struct setup *su);

/* True when all of it is of the cluster that the settings name. */
bool assumed_is_named(const struct setup *su);

/*
 * "assumed: compute 0.01155 s, host-device copy 0 s (source); workers 16 (source)": in one line
 * what n runs at their points {setting: value} assume, each value once, and with which settings
 * where others have another value. points may be NULL for one run. NULL: nothing. The caller frees.
 */
char *assumed_text(const struct setup *const *runs, const cJSON *const *points, size_t n);

#endif

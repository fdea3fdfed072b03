/* The machine of a run: real ranks, a cluster, the settings' own, or parts of both. */
#ifndef PLAN_MACHINE_MACHINE_H
#define PLAN_MACHINE_MACHINE_H

#include "plan/resolve/setup.h"

/*
 * Fills what of su->num, su->sim, su->real and su->cluster is the machine's. Of a simulated one,
 * what the settings leave open is the cluster's that they name. Where they name none, but give a
 * link or a compute time, the machine is their own: it has nothing of a cluster, and needs a
 * compute time. Without any of the three it is the default cluster. 0 or error().
 */
int machine_read(struct setup *su);

/* True of a simulated gradient that is all-reduced in buckets, before it is complete. */
bool machine_has_buckets(const struct setup *su);

/* Corrects workers' compute times for the samples that they have of a round, once it is cut. */
void compute_share(struct setup *su);

/* ---- runs outside what their link was measured for ---- */

/*
 * Which of the run's messages or all-reduces the link's tables do not hold, and which they do.
 * NULL: all that is known is measured, or the link has no tables. The caller frees.
 */
char *measured_beyond(const struct setup *su);

/* Notes the same as what the run assumes of its link. */
void measured_note(struct setup *su);

/* ---- assumed.c: what the settings leave open, and where it is from ---- */

/* The setting, and its source, of each; texts are borrowed from su. The caller frees the array. */
struct setting *assumed_settings(const struct setup *su, size_t *n);

/* {setting: source}. The caller frees. */
cJSON *assumed_json(const struct setup *su);

/* True when all of it is of the cluster that the settings name. */
bool assumed_is_named(const struct setup *su);

/*
 * "assumed: compute 0.01155 s, host-device copy 0 s (source); workers 16 (source)": in one line
 * what n runs at their points assume, each value once, and with which settings
 * where others have another value. points may be NULL for one run. NULL: nothing. The caller frees.
 */
char *assumed_text(const struct setup *const *runs, const struct grid_point *const *points,
		   size_t n);

#endif

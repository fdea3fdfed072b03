/* Remarks on settings that do otherwise than their names say. */
#ifndef PLAN_RESOLVE_REMARKS_H
#define PLAN_RESOLVE_REMARKS_H

#include "plan/resolve/setup.h"

/* Notes in the sources of a resolved run which given settings have no effect, and why. */
void unused_mark(struct setup *su);

/*
 * A line for each: settings without effect; gradients that their codec has gathered instead of
 * reduced; outer learning rates that follow from a gain; racks that are not full, parts of a link
 * without effect; what formulas leave out; nets without matrices; a warm-up longer than the run. Of
 * n runs at their points, which may be NULL for one run. NULL-ended; the caller frees with
 * path_list_free(). *machine, unless NULL, <- index of the first that tells of the machine, as all
 * further ones do.
 */
char **remarks(const struct setup *const *runs, const struct grid_point *const *points, size_t n,
	       size_t *machine);

/* ---- what the settings leave open, and where it is from ---- */

/* The setting, and its source, of each; texts are borrowed from su. The caller frees the array. */
struct setting *assumed_settings(const struct setup *su, size_t *n);

/* The source of each setting. The caller releases, or frees. */
struct grid_point assumed_point(const struct setup *su);
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

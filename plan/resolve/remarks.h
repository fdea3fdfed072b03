/* What a run's settings do otherwise than their names say. */
#ifndef PLAN_RESOLVE_REMARKS_H
#define PLAN_RESOLVE_REMARKS_H

#include "plan/resolve/setup.h"

/* Notes in the sources of a resolved run which given settings have no effect, and why. */
void unused_mark(struct setup *su);

/*
 * A line for each: settings without effect; gradients that their codec has gathered instead of
 * reduced; racks that are not full, parts of a link without effect. Of n runs at their points,
 * which may be NULL for one run. NULL-ended; the caller frees with path_list_free().
 */
char **remarks(const struct setup *const *runs, const struct grid_point *const *points, size_t n);

#endif

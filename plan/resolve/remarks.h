/* What a run's settings do otherwise than their names say. */
#ifndef PLAN_RESOLVE_REMARKS_H
#define PLAN_RESOLVE_REMARKS_H

#include "plan/resolve/setup.h"

/*
 * A line for each: settings without effect; gradients that their codec has gathered instead of
 * reduced; machine_remark(). Of n runs at their points, which may be NULL for one
 * run. NULL-ended; the caller frees with path_list_free().
 */
char **remarks(const struct setup *const *runs, const struct grid_point *const *points, size_t n);

#endif

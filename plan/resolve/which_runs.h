/* For which values of the settings that runs differ in something holds, in words. */
#ifndef PLAN_RESOLVE_WHICH_RUNS_H
#define PLAN_RESOLVE_WHICH_RUNS_H

#include <cjson/cJSON.h>
#include <stddef.h>

enum holds { HOLDS_NOT, HOLDS, HOLDS_ANY };     /* HOLDS_ANY: the run does not depend on it */

/*
 * "net=lenet", "net=lenet,vgg algo=asgd": the fewest settings of the points {setting: value} that
 * tell the runs of HOLDS from those of HOLDS_NOT; "" where there are none of the latter; NULL where
 * it takes more than a few values, or no such settings do. The caller frees.
 */
char *holds_where(const cJSON *const *points, const enum holds *is, size_t n);

/* " with net=lenet", " in some of the runs", or "" where it holds for all. The caller frees. */
char *holds_text(const cJSON *const *points, const enum holds *is, size_t n);

#endif

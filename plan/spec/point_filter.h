/* `--only KEY=VALUE`: which points of a grid are meant. Several are a line each. */
#ifndef PLAN_SPEC_POINT_FILTER_H
#define PLAN_SPEC_POINT_FILTER_H

#include "plan/spec/spec.h"

#include <stdbool.h>

/* Whether the point ({setting: value}) has all the values; only NULL: every point has. */
bool point_filter_agrees(const cJSON *point, const char *only);

/* error() that no point has them, with the nearest of the grid's values or settings; -1. */
int point_filter_matches_none(const struct spec *s, const char *only);

#endif

/*
 * only.h - `--only KEY=VALUE`: which points of a grid are meant. Several are a line each.
 */
#ifndef CMD_ONLY_H
#define CMD_ONLY_H

#include "cmd/spec.h"

#include <stdbool.h>

/* Whether the point ({setting: value}) has all the values; only NULL: every point has. */
bool only_agrees(const cJSON *point, const char *only);

/* error() that no point has them, with the nearest of the grid's values or settings; -1. */
int only_matches_none(const struct spec *s, const char *only);

#endif

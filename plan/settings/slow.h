/* The setting `slow`: which workers are slower, how much, and when. */
#ifndef PLAN_SETTINGS_SLOW_H
#define PLAN_SETTINGS_SLOW_H

#include "delays/pace.h"

/*
 * Parses "none" or "RANK:FACTOR[@FROM-TO]" joined by '+', for ranks below
 * workers. A factor is 1e-6 to 1e9, those of one rank together at most 1e12.
 * They are sorted by rank, then by time. *slow[*n] is the caller's to free.
 * Returns 0 or error().
 */
int slow_parse(const char *text, int64_t workers, struct slow **slow, size_t *n);

/* The one text of slow[n], which parses to the same; "none" where n is 0. The caller frees. */
char *slow_format(const struct slow *slow, size_t n);

#endif

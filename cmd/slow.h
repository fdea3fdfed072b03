/*
 * slow.h - the setting `slow`: which workers are slower, how much, and when.
 */
#ifndef CMD_SLOW_H
#define CMD_SLOW_H

#include "sim/sim.h"

/*
 * Parses "none" or "RANK:FACTOR[@FROM-TO]" joined by '+', for ranks below
 * workers. *slow[*n] is the caller's to free. Returns 0 or error().
 */
int slow_parse(const char *text, int64_t workers, struct slow **slow, size_t *n);

#endif

/* The setting `slow`: workers that are slower than others, by a factor, for a time or for ever. */
#ifndef CORE_SLOW_H
#define CORE_SLOW_H

#include <stddef.h>
#include <stdint.h>

struct slow {                   /* one worker, factor times slower */
	int rank;
	double factor;
	double from, to;        /* seconds since the run began; to 0: for ever */
};

/*
 * Parses "none" or "RANK:FACTOR[@FROM-TO]" joined by '+', where RANK may be FIRST-LAST, for ranks
 * below workers. An entry is of one rank. A factor is 1e-6 to 1e9, those of one rank together at
 * most 1e12. The entries are sorted by rank, then by time. The caller frees *slow[*n]. Returns 0 or
 * error().
 */
int slow_parse(const char *text, int64_t workers, struct slow **slow, size_t *n);

/* Canonical text of slow[n], which parses to the same; "none" if n is 0. The caller frees. */
char *slow_format(const struct slow *slow, size_t n);

/* The largest factor in such a text, at least 1: 1 for "none" or "", NaN if it is not one. */
double slow_factor(const char *text);

#endif

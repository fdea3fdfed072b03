/* The setting `slow`: which workers are slower, how much, and when. */
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
 * Parses "none" or "RANK:FACTOR[@FROM-TO]" joined by '+', for ranks below
 * workers. A factor is 1e-6 to 1e9, those of one rank together at most 1e12.
 * They are sorted by rank, then by time. *slow[*n] is the caller's to free.
 * Returns 0 or error().
 */
int slow_parse(const char *text, int64_t workers, struct slow **slow, size_t *n);

/* The one text of slow[n], which parses to the same; "none" where n is 0. The caller frees. */
char *slow_format(const struct slow *slow, size_t n);

/* The largest factor of such a text, at least 1; NaN for a text that is none, without error(). */
double slow_largest(const char *text);

#endif

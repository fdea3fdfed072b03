/* The setting `shares`: which parts of a round's samples the workers take. */
#ifndef PLAN_SETTINGS_SHARES_H
#define PLAN_SETTINGS_SHARES_H

#include "core/run.h"
#include "delays/pace.h"

struct share_of {               /* whose shares they are */
	int workers;
	size_t batch;           /* samples of a minibatch, on average */
	uint64_t seed;
	const struct pace *pace;        /* whose speeds "speed" stands for */
};

/*
 * Parses "equal", "speed", or "RANK:PART" joined by '+', where RANK may be a span, FIRST-LAST;
 * who is not named has the part 1. *slice <- the slices of a round (slice.h), the caller's
 * to free; NULL: equal ones. Returns 0, or error() for a rank that is not there or named twice,
 * a part that is not positive, and a worker that would have no sample.
 */
int shares_parse(const char *text, const struct share_of *of, int64_t **slice);

/*
 * *slice <- the slices of a round, in proportion to part[workers], the caller's to free; NULL:
 * equal ones. Returns -1, or with *slice NULL the first worker that would have no sample.
 */
int shares_cut(const double *part, int workers, size_t batch, int64_t **slice);

/* slices_check(), whose error is followed by the algorithms that unequal slices are for. */
int shares_check(const struct run *run);

/*
 * The one text of such slices, which parses to the same: the samples of each, of neighbours with
 * as many together. "equal" for NULL. The caller frees.
 */
char *shares_format(const int64_t *slice, int workers);

#endif

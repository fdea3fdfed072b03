/*
 * pace.h - how fast workers compute: delay models, slow workers, and devices.
 *
 *     seconds of a gradient = base x its samples / batch x the worker's own factor
 *                             x slowness of the worker at that moment x factor of its delays
 */
#ifndef DELAYS_PACE_H
#define DELAYS_PACE_H

#include "core/slow.h"
#include "delays/delay.h"

struct pace {
	struct delays *delays;  /* borrowed; NULL: the factor is always 1 */
	const struct slow *slow;        /* [nslow] */
	size_t nslow;
	const double *own;      /* [workers] factors of their devices, borrowed; NULL: all are 1 */
};

/* Factor of a worker's index-th gradient, which begins at t, in seconds. */
double pace_factor(const struct pace *p, uint64_t seed, int rank, int64_t index, double t);

/*
 * Mean factor of a worker, as far as it is known before the run: from its permanent slowness, and
 * from its delays.
 */
double pace_mean(const struct pace *p, uint64_t seed, int rank);

/* The same once all is as slow as it stays: with slowness that begins later and has no end, too. */
double pace_lasting(const struct pace *p, uint64_t seed, int rank);

/* True when a factor may depend on when its gradient begins. */
bool pace_follows_clock(const struct pace *p);

/* 0, or error() when the setting `slow` names a rank that is not below `workers`. */
int pace_check(const struct pace *p, int workers);

#endif

/*
 * sojourns.h - a worker that is fast and slow in turns: an alternating renewal process.
 *
 * Fast times are exponentially distributed, slow ones exponentially or log-normally. A worker
 * begins slow with probability slow_s / (fast_s + slow_s), in the midst of a slow time, so that
 * this is the probability at any moment. The k-th sojourn is drawn at (seed, rank, k): where a
 * worker stands at time t does not depend on who asked before.
 */
#ifndef DELAYS_SOJOURNS_H
#define DELAYS_SOJOURNS_H

#include "delays/delay.h"

struct sojourns {
	double fast_s, slow_s;  /* means, seconds */
	double slow_cv;         /* of log-normal slow times; SOJOURNS_EXPONENTIAL: they are not */
};

#define SOJOURNS_EXPONENTIAL (-1.0)

struct sojourn {
	bool slow;
	int64_t number;         /* at which its own draws are, for delay_rng() */
};

/* The sojourn of the worker at at->time; at->memo may make it quicker. */
struct sojourn sojourns_at(const struct sojourns *s, const struct delay_at *at);

/* The probability of being slow at any moment. */
double sojourns_share(const struct sojourns *s);

/* Mean seconds from one slow time to the next; 0 where next to all times are slow, or none. */
double sojourns_cycle_s(const struct sojourns *s);

#endif

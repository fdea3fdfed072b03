/*
 * sojourns.h - a worker that is fast and slow in turns: an alternating renewal process.
 *
 * Durations of fast sojourns are exponential, of slow ones exponential or log-normal. A worker is
 * slow at the beginning with probability slow_s / (fast_s + slow_s), and then in the middle of a
 * slow sojourn, so that this is the probability at any moment. The k-th sojourn is drawn at (seed,
 * rank, k): the state at time t does not depend on earlier questions.
 */
#ifndef DELAYS_SOJOURNS_H
#define DELAYS_SOJOURNS_H

#include "delays/delay.h"

struct sojourns {
	double fast_s, slow_s;  /* means, seconds */
	double slow_cv;         /* of log-normal slow sojourns; SOJOURNS_EXPONENTIAL: exponential */
};

#define SOJOURNS_EXPONENTIAL (-1.0)

struct sojourn {
	bool slow;
	int64_t number;         /* address of its own draws, for delay_rng() */
};

/* Sojourn of the worker at at->time; at->memo may make the search faster. */
struct sojourn sojourns_at(const struct sojourns *s, const struct delay_at *at);

/* Probability that a worker is slow at a given moment. */
double sojourns_share(const struct sojourns *s);

/* Mean seconds from one slow sojourn to the next; 0 if nearly all of the time is slow, or fast. */
double sojourns_cycle_s(const struct sojourns *s);

#endif

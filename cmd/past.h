/*
 * past.h - what finished runs took, and which of them are the nearest to a run at hand.
 *
 * A sample, or a gradient where clocks alone run, costs the same in runs of the same kind: same
 * engine, net, precision and so on. Among those the ones that differ least count, in this order:
 * data, batch, how gradients are computed, threads, algorithm, workers, what is measured. Numbers
 * differ by their ratio.
 */
#ifndef CMD_PAST_H
#define CMD_PAST_H

#include "cmd/plan.h"
#include "report/cost.h"

struct past_run;

struct past {
	struct past_run *run;   /* [n]; owned */
	size_t n;
};

/* Adds what the results of the experiment took, at any scale, of this one first: 200 at most. */
void past_read(struct past *past, const struct plan *p);

/* Adds a run of these settings ({name: text}). */
void past_add(struct past *past, const cJSON *texts, const struct cost *c);

/*
 * Seconds that so many training samples of a run take on so many threads, as in the nearest runs,
 * which count as used from then on; NaN: none is of its kind.
 */
double past_seconds(struct past *past, const struct setup *su, int threads, double samples);

/* Runs that past_seconds() was from, so far. */
size_t past_used(const struct past *past);

void past_release(struct past *past);

#endif

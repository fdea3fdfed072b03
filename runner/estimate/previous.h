/*
 * previous.h - what finished runs took, and which of them are the nearest to a run at hand.
 *
 * A sample, or a gradient where clocks alone run, costs the same in runs of the same kind: same
 * engine, net, precision and so on. Among those the ones that differ least count, in this order:
 * data, batch, how gradients are computed, threads, algorithm, workers, what is measured. Numbers
 * differ by their ratio.
 */
#ifndef RUNNER_ESTIMATE_PREVIOUS_H
#define RUNNER_ESTIMATE_PREVIOUS_H

#include "plan/plan.h"
#include "record/record.h"

struct previous_run;

struct previous {
	struct previous_run *run;       /* [n]; owned */
	size_t n;
};

/* Adds what the results of the experiment took, at any scale, of this one first: 200 at most. */
void previous_read(struct previous *previous, const struct plan *p);

/* Adds a run of these settings ({name: text}). */
void previous_add(struct previous *previous, const cJSON *texts, const struct run_cost *c);

/*
 * Seconds that so many training samples of a run take on so many threads, as in the nearest runs,
 * which count as used from then on; NaN: none is of its kind.
 */
double previous_seconds(struct previous *previous, const struct setup *su, int threads,
			double samples);

/* Runs that previous_seconds() was from, so far. */
size_t previous_used(const struct previous *previous);

void previous_release(struct previous *previous);

#endif

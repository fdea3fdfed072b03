/*
 * estimate.h - what a plan will take, before it is run.
 *
 * Time: from the nearest results of the same kind in the experiment's folder, at any
 * scale; else, where gradients of a net are computed, from its rate, measured here in a fraction
 * of a second, and of all plans of a process in some; else what the spec says of the scale.
 */
#ifndef RUNNER_ESTIMATE_ESTIMATE_H
#define RUNNER_ESTIMATE_ESTIMATE_H

#include "plan/plan.h"
#include "record/record.h"

struct estimate {
	double seconds;         /* of the wall clock: of the runs that it is known of */
	size_t known, unknown;  /* runs to do */
	size_t results, nets;   /* that it is from: results, nets measured */
	const char *declared;   /* of runs unknown: what the scale's "time" says of all; borrowed */
	double bytes;           /* memory at once, roughly; 0: a clock alone, or unknown */
};

/*
 * Estimate of the runs to do, so many at once, each with so many threads. Unless `retrain`, a run
 * that is likely to take its training from another one of the plan (trained.h) takes no time.
 */
struct estimate plan_estimate(const struct plan *p, int jobs, int threads, bool retrain);

/* Adds another plan, which is run after the first: memory is that of the larger one. */
void estimate_add(struct estimate *e, const struct estimate *next);

/* "about 12 min (from 8 results), 0.4 GB of memory"; NULL: nothing to do. The caller frees. */
char *estimate_text(const struct estimate *e);

/* {"seconds","known_runs","unknown_runs","results","declared","memory_bytes"}; the caller frees. */
cJSON *estimate_json(const struct estimate *e);

/* memory.c: bytes that a run's vectors, activations and data take, roughly. */
double estimate_memory(const struct setup *su, int threads);

/* 0, or error(): that is more than this machine, or a limit of the process, can ever give. */
int estimate_check_memory(const struct setup *su, int threads);

/* 0, or error(): the rows of the run's trace are more than this process can ever hold. */
int estimate_check_trace(const struct run *run);

/*
 * On MPI ranks, where all call it: 0, or error() on all: their vectors need more than their one
 * machine has, or the server's more than its process can get.
 */
int estimate_check_ranks(const struct setup *su);

/* Samples of the splits; 0 where only opening the data set can tell. */
void estimate_samples(const struct setup *su, int64_t n[2]);

/*
 * ---- what finished runs took, and which of them are the nearest to a run at hand. A sample, or a
 * gradient where clocks alone run, costs the same in runs of the same kind: same engine, net,
 * precision and so on. Among those the ones that differ least count, in this order: data, batch,
 * how gradients are computed, threads, algorithm, workers, what is measured. Numbers differ by
 * their ratio. ----
 */

struct previous_run;

struct previous {
	struct previous_run *run;       /* [n]; owned */
	size_t n;
};

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

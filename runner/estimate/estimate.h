/*
 * estimate.h - what a plan will take, before it is run.
 *
 * Time: from the nearest results of the same kind (previous.h) in the experiment's folder, at any
 * scale; else, where gradients of a net are computed, from its rate, measured here in a fraction
 * of a second, and of all plans of a process in some; else what the spec says of the scale.
 */
#ifndef RUNNER_ESTIMATE_ESTIMATE_H
#define RUNNER_ESTIMATE_ESTIMATE_H

#include "plan/plan.h"

struct estimate {
	double seconds;         /* of the wall clock: of the runs that it is known of */
	size_t known, unknown;  /* runs to do */
	size_t results, nets;   /* that it is from: results, nets measured */
	const char *declared;   /* of runs unknown: what the scale's "time" says of all; borrowed */
	double bytes;           /* memory at once, roughly; 0: a clock alone, or unknown */
};

/* Of the runs to do, so many at once, each with so many threads. */
struct estimate plan_estimate(const struct plan *p, int jobs, int threads);

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

/*
 * rate.c: samples a second of a run's net on so many threads; 0: it would take long, or
 * others have.
 */
double estimate_rate(const struct setup *su, int threads);

/* Samples of the splits; 0 where only opening the data set can tell. */
void estimate_samples(const struct setup *su, int64_t n[2]);

#endif

/*
 * toy.h - a problem small enough to check by hand.
 *
 *     f(x) = mean over samples s of 1/2 ||x - t_s||^2,   t_s drawn at (seed, RNG_DATA, 0, s)
 *
 * The gradient of a batch is x - mean of its targets; the optimum is the mean
 * of all targets.
 */
#ifndef TESTS_SUPPORT_TOY_H
#define TESTS_SUPPORT_TOY_H

#include "core/run.h"
#include "sim/sim.h"

struct problem *toy_new(size_t dim, int64_t samples);

/* t_s[i] of sample s. */
float toy_target(int64_t s, size_t i);

/* x[dim] <- the optimum over that number of samples. */
void toy_optimum(size_t dim, int64_t samples, float *x);

/*
 * A simulated run of an algorithm over the toy problem, ready to be changed
 * before toy_run(): constant delay of 1 s, ideal links, batch 4, lr 0.1.
 */
struct toy {
	struct run run;
	struct sim_conf sim;
	struct choice algo, optim, graph;
	struct topology topology;
	struct problem *problem;
	struct fault *faults;   /* of sim; owned */
	const struct sample_part *part; /* of each worker, borrowed; NULL: all share all samples */
	int threads;            /* 0: timing-only */
	struct run_result result;
	float *model;           /* [dim] at the end */
	struct node *nodes;     /* copies at the end; their x are freed, see xs */
	int nnodes;
	float **xs;             /* [nnodes][dim] models at the end */
};

void toy_open(struct toy *t, const char *algo, int workers, const char *optim);

/* toy_open() for a timing-only run of that number of gradients over that link, by plain SGD. */
void toy_timing(struct toy *t, const char *algo, int workers, int64_t gradients,
		const char *link);

/* Chooses another topology than the algorithm's default. */
void toy_graph(struct toy *t, const char *text);

/* Chooses another delay or link by its text. */
void toy_delay(struct toy *t, const char *text);
void toy_link(struct toy *t, const char *text);

/* Sets three epochs, unequal compute times and a slow network. */
void toy_rough(struct toy *t);

/* Chooses faults by their text; false after error(). */
bool toy_faults(struct toy *t, const char *text);

/* Opens a run of that number of gradients with faults: plain SGD, no momentum, no decay. */
void toy_open_faulty(struct toy *t, const char *algo, int workers, const char *faults,
		     int64_t gradients);

/* Asserts that these faults are refused with that reason; closes. */
void toy_faults_refused(struct toy *t, const char *text, const char *because);

/* Time of the last of `gradients` of a timing-only run over that link; closes. */
double toy_time(struct toy *t, const char *link, int64_t gradients);

/* Runs; asserts success. Adds a hook that keeps the models at the end. */
void toy_run(struct toy *t);

void toy_close(struct toy *t);

#endif

/*
 * gradient_rate.h - samples a second of a net on a backend, measured on this machine.
 *
 * A case is one net on one backend, measured in a process of its own, so that
 * its peak memory is its own and a crash takes nothing with it.
 */
#ifndef RUNNER_ESTIMATE_GRADIENT_RATE_H
#define RUNNER_ESTIMATE_GRADIENT_RATE_H

#include "nets/backend.h"

struct rate_case {
	char *net;                      /* owned */
	struct graph *graph;            /* owned */
	const struct backend *backend;
	struct backend_conf conf;
	size_t batch;
	int threads;                    /* gradients at once */
	int team;                       /* threads that share each */
	unsigned limit_s;               /* of the wall clock, then it fails; 0: none */
	/* Results */
	bool done;
	double rate;                    /* samples per second, all threads together */
	double gemm;                    /* FLOP/s of rate_peak(); 0: none */
	double memory;                  /* bytes: peak resident memory of the process */
	int64_t gradients;              /* that were timed */
	struct layer_time *times;       /* [graph->n] per gradient, owned; NULL: not asked */
};

/* Fills a case's results, measured in a process of its own. tick(arg) is called now and then. */
int rate_measure_apart(struct rate_case *c, double seconds, void (*tick)(void *arg), void *arg);

/*
 * FLOP/s of the backend's peak() on all threads of the case at once, together. In a process
 * of its own: threads of libraries are lost in a fork.
 */
double rate_peak(const struct rate_case *c);

/* One peak is that of both. */
bool rate_same_peak(const struct rate_case *a, const struct rate_case *b);

#endif

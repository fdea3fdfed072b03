/* Speed of an external problem: gradients a second, measured in this process and its children. */
#ifndef RUNNER_ESTIMATE_EXTERNAL_RATE_H
#define RUNNER_ESTIMATE_EXTERNAL_RATE_H

#include <stdbool.h>
#include <stddef.h>

struct external_rate {
	const char *net;        /* borrowed */
	size_t batch;           /* samples; at most those of the training set are taken */
	int threads;            /* gradients at once */
	double seconds;         /* to measure for, after a few gradients */
	bool (*stop)(void);     /* true ends the measurement; or NULL */
	/* results */
	size_t dim;             /* floats of the model */
	double gradients;       /* of all threads */
	double rate;            /* gradients a second, of all threads */
};

/* Measures; 0, or -1 after error(). */
int external_rate_measure(struct external_rate *r);

#endif

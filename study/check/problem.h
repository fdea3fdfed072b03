/* Checks the gradients of an external problem. */
#ifndef STUDY_CHECK_PROBLEM_H
#define STUDY_CHECK_PROBLEM_H

#include "core/problem.h"

#define PROBLEM_TOLERANCE 0.02          /* of the error of a difference */

struct problem_blob {
	double norm;                    /* of its gradient */
	double error;                   /* of the gradient along two directions, relative */
};

struct problem_check {
	const struct problem *problem;  /* borrowed */
	size_t n;                       /* samples of the batch: the first of the training set */
	uint64_t seed;
	/* Results; problem_check_release() frees them. */
	float *x, *g;                   /* [dim] */
	double loss, whole;             /* whole: error of all parameters together */
	struct problem_blob *blobs;     /* [nblobs] */
	bool repeats;                   /* loss and gradient are equal the second time */
	bool holds;                     /* the verdict */
};

/* Fills the results. 0, or -1 after error() when the problem failed; release in either case. */
int problem_check(struct problem_check *c);
void problem_check_release(struct problem_check *c);

#endif

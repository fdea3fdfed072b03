/*
 * momentum.h - the published estimate of a run's total momentum; it is biased under asynchrony, and
 * momentum_fit.h is not.
 *
 *     mu = median over coordinates of (A + alpha C) / (A - B)
 *
 * where C is the gradient at x_k, A = x_{k+1} - x_k the move after it, and A - B = x_k - x_{k-1}
 * the move before it, each averaged exponentially over steps. A stale gradient is compared with the
 * moves around the model at which it was computed, not around the model to which it is applied. For
 * large models, evenly spread coordinates are used.
 *
 * If the averages change slowly, A, A - B and -lr C become equal: then the estimate is 0 with alpha
 * = lr, and 1 - 1 / (1 + staleness) with alpha = lr / (1 + staleness), whatever the momentum is.
 *
 * Paper: Mitliagkas, Zhang, Hadjis, Re 2016; the estimator is that of their closed loop.
 */
#ifndef CORE_MATH_MOMENTUM_H
#define CORE_MATH_MOMENTUM_H

#include <stddef.h>
#include <stdint.h>

enum {
	MOMENTUM_COORDS = 128,  /* coordinates used, at most */
	MOMENTUM_MODELS = 256,  /* models kept: gradients older than two less are ignored */
	MOMENTUM_FIRST = 10     /* gradients needed for an estimate */
};

/*
 * An estimate; all zeros at first. All members are words of 4 bytes, as it may be part of an
 * optimiser's state.
 */
struct momentum_estimate {
	int32_t have, next;     /* models kept; slot of the next one */
	int32_t gradients;      /* gradients averaged so far, up to MOMENTUM_FIRST */
	float staleness;        /* mean staleness of these gradients, in steps */
	float x[MOMENTUM_MODELS][MOMENTUM_COORDS];
	/* the averages of A, A - B and alpha C */
	float moved[MOMENTUM_COORDS], before[MOMENTUM_COORDS], pulled[MOMENTUM_COORDS];
};

struct momentum_step {          /* a step that was made */
	size_t n;
	const float *g;         /* [n] */
	float w, decay;         /* the gradient C is w g + decay x */
	double alpha;           /* of the equation above, chosen by the caller */
	int64_t staleness;      /* of g, in steps */
	double keep;            /* weight of the old averages at each step, 0 .. 1 */
};

/* x[n] is the model before a step; only the first call has an effect. */
void momentum_begin(struct momentum_estimate *e, size_t n, const float *x);

/* x[n] is the model after the step. */
void momentum_add(struct momentum_estimate *e, const struct momentum_step *s, const float *x);

/* Estimate for a model of n floats; NaN before MOMENTUM_FIRST gradients. */
double momentum_of(const struct momentum_estimate *e, size_t n);

#endif

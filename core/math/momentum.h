/*
 * momentum.h - the published estimate of the momentum that a run shows; momentum_fit.h is the one
 * that is right of asynchrony.
 *
 *     mu = median over coordinates of (A + alpha C) / (A - B)
 *
 * where C is a gradient at x_k, A = x_{k+1} - x_k what was then done, and A - B = x_k -
 * x_{k-1} what had been done before, each averaged exponentially over steps. A gradient that
 * comes late is compared with the steps around the model that it was computed at, not with those
 * around the model that it is applied to. Of large models, coordinates evenly spread are taken.
 *
 * Averages that change slowly make A, A - B and -lr C alike: with alpha = lr the estimate is then
 * 0, with lr / (1 + staleness) it is 1 - 1 / (1 + staleness), whatever the momentum is.
 *
 * Paper: Mitliagkas, Zhang, Hadjis, Re 2016; the estimator is that of their closed loop.
 */
#ifndef CORE_MATH_MOMENTUM_H
#define CORE_MATH_MOMENTUM_H

#include <stddef.h>
#include <stdint.h>

enum {
	MOMENTUM_COORDS = 128,  /* that are looked at */
	MOMENTUM_MODELS = 256,  /* kept: gradients older than two less do not count */
	MOMENTUM_FIRST = 10     /* gradients that an estimate takes */
};

/* All in words of 4 bytes, so that it may lie in an optimiser's state. Zeroed, it is new. */
struct momentum_estimate {
	int32_t have, next;     /* models kept; where the next one goes */
	int32_t gradients;      /* averaged so far, up to MOMENTUM_FIRST */
	float staleness;        /* mean of the gradients', in steps */
	float x[MOMENTUM_MODELS][MOMENTUM_COORDS];
	float moved[MOMENTUM_COORDS], before[MOMENTUM_COORDS], pulled[MOMENTUM_COORDS];
};

struct momentum_step {          /* one that was made */
	size_t n;
	const float *g;         /* [n] */
	float w, decay;         /* the gradient is w g + decay x */
	double alpha;
	int64_t staleness;      /* of g, in steps */
	double keep;            /* of the averages at each step, 0 .. 1 */
};

/* x[n] is the model before a step; does nothing but before the first. */
void momentum_begin(struct momentum_estimate *e, size_t n, const float *x);

/* x[n] is the model after the step. */
void momentum_add(struct momentum_estimate *e, const struct momentum_step *s, const float *x);

/* The estimate for a model of n floats, NaN before there is one. */
double momentum_of(const struct momentum_estimate *e, size_t n);

#endif

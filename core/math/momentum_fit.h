/*
 * momentum_fit.h - the total momentum of a run, explicit and implicit, fitted to its steps.
 *
 *     x_{k+1} - x_k = mu (x_k - x_{k-1}) - a g(x_k) + noise
 *
 * mu and a are fitted to all steps and coordinates so far by two-stage least squares. The noise of
 * a step is part of the regressor x_k - x_{k-1} too, so that plain least squares would find no
 * momentum. Therefore both regressors are first fitted to earlier moves of the model, which are
 * independent of that noise (they are the instruments). A stale gradient belongs to the model at
 * which it was computed. With M workers of memoryless compute times, E mu is 1 - 1/M and E a is lr
 * / M, exactly on a quadratic (Mitliagkas, Zhang, Hadjis, Re 2016).
 *
 * If a model moves little between two gradients of a worker, any mu fits with some a: then the
 * interval of mu is wide, and there is no estimate. Up to about 40 workers: gradients older than
 * MOMENTUM_FIT_OLDEST are ignored, and if they are many there is no estimate either.
 */
#ifndef CORE_MATH_MOMENTUM_FIT_H
#define CORE_MATH_MOMENTUM_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	MOMENTUM_FIT_COORDS = 128,      /* coordinates used, evenly spread */
	MOMENTUM_FIT_MODELS = 256,      /* models kept */
	MOMENTUM_FIT_MOVES = 7,         /* earlier moves: of 1, 1, 2, 4, ... 32 steps */
	MOMENTUM_FIT_SUMS = 3 * MOMENTUM_FIT_MOVES,
	MOMENTUM_FIT_BACK = 64,         /* steps that the earlier moves reach back */
	/* staleness at which the models kept just suffice for a gradient's earlier moves */
	MOMENTUM_FIT_OLDEST = MOMENTUM_FIT_MODELS - MOMENTUM_FIT_BACK - 3
};

/* A fit; all zeros at first. */
struct momentum_fit {
	int64_t have, next;             /* models kept; slot of the next one */
	int64_t gradients, old;         /* gradients used; gradients too old to use */
	float x[MOMENTUM_FIT_MODELS][MOMENTUM_FIT_COORDS];
	/*
	 * Sums over steps. Of a step, z are the earlier moves, y = x_{k+1} - x_k, and r_1 = x_k -
	 * x_{k-1} and r_2 = -lr g(x_k) the regressors. zz sums z' z, w sums (z' y, z' r_1, z' r_2)
	 * and ww the products of that vector with itself; of zz and ww, the lower triangles.
	 */
	double zz[MOMENTUM_FIT_MOVES][MOMENTUM_FIT_MOVES];
	double w[MOMENTUM_FIT_SUMS], ww[MOMENTUM_FIT_SUMS][MOMENTUM_FIT_SUMS];
};

/* False for bytes, as of a damaged file, that no fit of fewer than 2^31 steps has. */
bool momentum_fit_is_sound(const struct momentum_fit *f);

/* x[n] is the model before a step; only the first call has an effect. */
void momentum_fit_begin(struct momentum_fit *f, size_t n, const float *x);

/*
 * x[n] is the model after a step by the gradient w g[n] + decay x, which was computed `staleness`
 * steps ago, with learning rate lr.
 */
void momentum_fit_add(struct momentum_fit *f, size_t n, const float *g, float w, float decay,
		      double lr, int64_t staleness, const float *x);

/* mu if its interval reaches at most MOMENTUM_FIT_SURE to either side; else NaN. */
#define MOMENTUM_FIT_SURE 0.1
double momentum_fit_sure(const struct momentum_fit *f);

#endif

/*
 * momentum_fit.h - the momentum that the steps of a run fit, of whatever it comes.
 *
 *     x_{k+1} - x_k = mu (x_k - x_{k-1}) - a g(x_k) + noise
 *
 * mu and a are fitted to all steps and coordinates so far by least squares in two stages. The
 * noise of a step is part of x_k - x_{k-1} too, so plain least squares would find no momentum; here
 * both regressors are first fitted to earlier moves of the model, which know nothing of that noise
 * (two-stage least squares, the moves are the instruments). A gradient that comes late belongs to
 * the model that it was computed at. With M workers of memoryless times E mu is 1 - 1/M and E a is
 * lr / M, exactly on a quadratic (Mitliagkas, Zhang, Hadjis, Re 2016).
 *
 * A model that moves little between two gradients of one worker fits any mu with an a of its own:
 * then the interval of mu is wide, and there is no answer. Up to about 40 workers: gradients older
 * than MOMENTUM_FIT_OLDEST do not count, and where they are many there is no answer either.
 */
#ifndef CORE_MATH_MOMENTUM_FIT_H
#define CORE_MATH_MOMENTUM_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	MOMENTUM_FIT_COORDS = 128,      /* that are looked at, evenly spread */
	MOMENTUM_FIT_MODELS = 256,      /* kept */
	MOMENTUM_FIT_MOVES = 7,         /* earlier moves: of 1, 1, 2, 4, ... 32 steps */
	MOMENTUM_FIT_SUMS = 3 * MOMENTUM_FIT_MOVES,
	MOMENTUM_FIT_BACK = 64,         /* steps that these reach back */
	MOMENTUM_FIT_OLDEST = MOMENTUM_FIT_MODELS - MOMENTUM_FIT_BACK - 3
};

/* Zeroed, it is new. */
struct momentum_fit {
	int64_t have, next;             /* models kept; where the next one goes */
	int64_t gradients, old;         /* that counted; that were too old to */
	float x[MOMENTUM_FIT_MODELS][MOMENTUM_FIT_COORDS];
	/*
	 * Over steps, sums of the products z' z of the moves, of w = (z' y, z' r_1, z' r_2) with
	 * the step y and the regressors r, and of w w'.
	 */
	double zz[MOMENTUM_FIT_MOVES][MOMENTUM_FIT_MOVES];
	double w[MOMENTUM_FIT_SUMS], ww[MOMENTUM_FIT_SUMS][MOMENTUM_FIT_SUMS];
};

struct momentum_fitted {                /* NaN: too few gradients, or too old ones */
	double mu;
	double half;                    /* of the 95 % interval of mu; steps may differ in noise */
	double step;                    /* a as a part of the learning rate */
};

/* False of bytes, as of a file, that no fit of fewer than 2^31 steps consists of. */
bool momentum_fit_is_sound(const struct momentum_fit *f);

/* x[n] is the model before a step; does nothing but before the first. */
void momentum_fit_begin(struct momentum_fit *f, size_t n, const float *x);

/*
 * x[n] is the model after the step, which was made with w g[n] + decay x, computed `staleness`
 * steps ago, and with that learning rate.
 */
void momentum_fit_add(struct momentum_fit *f, size_t n, const float *g, float w, float decay,
		      double lr, int64_t staleness, const float *x);

/* mu where its interval says something: at most MOMENTUM_FIT_SURE to either side; else NaN. */
#define MOMENTUM_FIT_SURE 0.1
double momentum_fit_sure(const struct momentum_fit *f);

#endif

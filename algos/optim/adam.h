/* adam.h - the step of Adam on a stretch of x, for optimisers that use it for some tensors. */
#ifndef ALGOS_OPTIM_ADAM_H
#define ALGOS_OPTIM_ADAM_H

#include "core/math/wide.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

struct adam_conf {
	double beta1, beta2, eps, weight_decay, clip;
	bool decoupled;
	int decay;
};

struct adam_rates {             /* of one step */
	float w, in, out;       /* weight of g; decay added to g, to the step */
	float b1, b2, c1, c2;   /* betas; 1 / (1 - beta^t) */
	float lr, eps;
};

/* x[n] <- x after a step by w g[n]; m and v are the means of the gradient and of its square. */
WIDE static void adam_move(size_t n, struct adam_rates r, const float *g, float *x, float *m,
			   float *v)
{
	for (size_t i = 0; i < n; i++) {
		const float d = r.w * g[i] + r.in * x[i];

		m[i] = r.b1 * m[i] + (1.0f - r.b1) * d;
		v[i] = r.b2 * v[i] + (1.0f - r.b2) * (d * d);
		x[i] -= r.lr * (m[i] * r.c1 / (sqrtf(v[i] * r.c2) + r.eps) + r.out * x[i]);
	}
}

/* Rates of the t-th step, for a stretch of x with weight decay or without. */
static inline struct adam_rates adam_rates(const struct adam_conf *c, double t, float lr, float w,
					   bool decays)
{
	const float wd = decays ? (float)c->weight_decay : 0.0f;

	return (struct adam_rates){
		.w = w, .in = c->decoupled ? 0.0f : wd, .out = c->decoupled ? wd : 0.0f,
		.b1 = (float)c->beta1, .b2 = (float)c->beta2,
		.c1 = (float)(1.0 / (1.0 - pow(c->beta1, t))),
		.c2 = (float)(1.0 / (1.0 - pow(c->beta2, t))), .lr = lr, .eps = (float)c->eps,
	};
}

#endif

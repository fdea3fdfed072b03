/*
 * gamma.h - gamma variates of scale 1.
 *
 * Marsaglia, Tsang 2000: d v with v = (1 + c z)^3, accepted when
 *     ln u < z^2/2 + d - d v + d ln v,   d = shape - 1/3,  c = 1/sqrt(9 d),
 * which is certain if u < 1 - 0.0331 z^4. A shape below 1 is one above it, times U^(1/shape).
 */
#ifndef CORE_MATH_GAMMA_H
#define CORE_MATH_GAMMA_H

#include "core/math/ziggurat.h"

#include <math.h>

struct gamma {                  /* constants of a shape */
	double shape, d, c;
	const struct ziggurat *normal;
};

static inline struct gamma gamma_of(double shape)
{
	const double d = (shape >= 1.0 ? shape : shape + 1.0) - 1.0 / 3.0;

	return (struct gamma){ shape, d, 1.0 / sqrt(9.0 * d), ziggurat() };
}

/* A variate of mean and variance `shape`. */
static inline double gamma_unit(const struct gamma *g, struct rng *r)
{
	const double d = g->d;

	for (;;) {
		double z = ziggurat_normal(g->normal, r), v = 1.0 + g->c * z, u;
		bool taken;

		if (v <= 0.0)
			continue;
		v = v * v * v;
		u = rng_uniform(r);
		taken = u < 1.0 - 0.0331 * z * z * z * z ||
			log(u) < 0.5 * z * z + d - d * v + d * log(v);
		if (taken)
			return g->shape >= 1.0 ? d * v
					       : d * v * pow(rng_uniform(r), 1.0 / g->shape);
	}
}

#endif

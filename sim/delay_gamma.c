/*
 * delay_gamma.c - task times Gamma(shape 1/cv^2, scale cv^2): mean 1, coefficient of variation cv.
 *
 * Paper: Ali, Siegel, Maheswaran, Hensgen 2000 (the CVB method), as used by Barkai et al. 2019.
 * Sampler: Marsaglia, Tsang 2000: d v with v = (1 + c z)^3, accepted when
 *     ln u < z^2/2 + d - d v + d ln v,   d = a - 1/3,  c = 1/sqrt(9 d),
 * which holds whenever u < 1 - 0.0331 z^4 does.
 */
#include "sim/models.h"

#include <math.h>

struct gamma_conf {
	double cv;
};

/* Gamma(shape, 1) for shape >= 1. */
static double gamma_large(double shape, struct rng *r)
{
	const double d = shape - 1.0 / 3.0, c = 1.0 / sqrt(9.0 * d);

	for (;;) {
		double z = rng_normal(r), v = 1.0 + c * z, u;

		if (v <= 0.0)
			continue;
		v = v * v * v;
		u = rng_uniform(r);
		if (u < 1.0 - 0.0331 * z * z * z * z)
			return d * v;
		if (log(u) < 0.5 * z * z + d - d * v + d * log(v))
			return d * v;
	}
}

/* Gamma(a) = Gamma(a + 1) U^(1/a) for a < 1. */
static double gamma_unit(double shape, struct rng *r)
{
	if (shape >= 1.0)
		return gamma_large(shape, r);
	return gamma_large(shape + 1.0, r) * pow(rng_uniform(r), 1.0 / shape);
}

static double gamma_draw(const void *conf, struct rng *r)
{
	const struct gamma_conf *c = conf;

	if (c->cv == 0.0)
		return 1.0;
	return gamma_unit(1.0 / (c->cv * c->cv), r) * c->cv * c->cv;
}

static const struct opt gamma_opts[] = {
	{ "cv", OPT_DOUBLE, offsetof(struct gamma_conf, cv), "0.1",
	  "coefficient of variation: deviation / mean", "V", 0, 10, NULL, 0 },
	{ 0 }
};

extern const struct delay delay_gamma;
const struct delay delay_gamma = {
	{ "gamma", "task times from a gamma distribution of mean 1",
	  "Ali et al. 2000 (CVB); Barkai, Hakimi, Schuster 2019", gamma_opts,
	  sizeof(struct gamma_conf) },
	gamma_draw
};

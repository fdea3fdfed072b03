/*
 * static.c - machines that differ for the whole run.
 *
 * A machine's factor is drawn once: exp(N(-s^2/2, s^2)), s^2 = ln(1 + cv^2), of mean 1 over all
 * workers that could have been drawn. With probability bad it is multiplied by bad_factor.
 */
#include "delays/delay.h"
#include "delays/law.h"

#include <math.h>

struct static_conf {
	int64_t size;
	double cv, bad, bad_factor;
};

static double static_draw(const void *conf, struct rng *r)
{
	const struct static_conf *c = conf;
	const double machine = law_lognormal(c->cv, rng_normal(r));

	return rng_uniform(r) < c->bad ? machine * c->bad_factor : machine;
}

static double static_at(const void *conf, const struct delay_at *at)
{
	const struct static_conf *c = conf;
	const struct delay_at machine = delay_at_machine(at, c->size);

	return delay_machine(&machine, conf, static_draw);
}

static char *static_alone(const void *conf, const struct delay_at *at, double *factor)
{
	*factor = static_at(conf, at);
	return NULL;
}

/* Moments of the product of two independent factors. */
static struct delay_moments static_moments(const void *conf)
{
	const struct static_conf *c = conf;
	const double mean = 1.0 + c->bad * (c->bad_factor - 1.0);
	const double square = (1.0 + c->cv * c->cv) *
			      (1.0 + c->bad * (c->bad_factor * c->bad_factor - 1.0));

	return (struct delay_moments){ mean, sqrt(fmax(square - mean * mean, 0.0)) };
}

static const struct opt static_opts[] = {
	OPT_NUMBER(struct static_conf, cv, "0.05", "coefficient of variation between workers", "V",
		   0, 100),
	OPT_NUMBER(struct static_conf, bad, "0", "probability that a worker is a bad one", "P", 0,
		   1),
	OPT_NUMBER(struct static_conf, bad_factor, "1.1", "factor of a bad worker's times", "F",
		   1e-6, 1e9),
	DELAY_SIZE_OPT(struct static_conf),
	{ 0 }
};

const struct delay delay_static = {
	.plugin = { .name = "static",
		    .brief = "workers that differ for the whole run, some of them bad",
		    .opts = static_opts, .conf_size = sizeof(struct static_conf) },
	.draw = static_draw,
	.at = static_at,
	.caches = true,
	.moments = static_moments,
	.mean = static_at,
	.alone = static_alone,
};

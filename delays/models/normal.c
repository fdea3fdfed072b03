/*
 * normal.c - task times from a normal distribution that is truncated on both sides.
 *
 * X = 1 + cv Z where from <= X <= to, divided by its mean. With a = (from - 1) / cv,
 * b = (to - 1) / cv, mass = Phi(b) - Phi(a), h = (phi(a) - phi(b)) / mass:
 *     mean = 1 + cv h,   variance = cv^2 (1 + (a phi(a) - b phi(b)) / mass - h^2)
 */
#include "core/base/error.h"
#include "core/math/ziggurat.h"
#include "delays/delay.h"
#include "delays/law.h"

#include <math.h>

struct normal_conf {
	double cv, from, to;
};

struct cut {
	double a, b, mass, h;
};

static const double least_mass = 0.01;

static struct cut cut_of(const struct normal_conf *c)
{
	struct cut k = { .a = (c->from - 1.0) / c->cv, .b = (c->to - 1.0) / c->cv };

	k.mass = law_normal_cdf(k.b) - law_normal_cdf(k.a);
	k.h = (law_normal_density(k.a) - law_normal_density(k.b)) / k.mass;
	return k;
}

static double normal_draw(const void *conf, struct rng *r)
{
	const struct normal_conf *c = conf;
	double x;

	if (c->cv == 0.0)
		return 1.0;
	do
		x = 1.0 + c->cv * ziggurat_normal(ziggurat(), r);
	while (x < c->from || x > c->to || x <= 0.0);
	return x / (1.0 + c->cv * cut_of(c).h);
}

/* x phi(x), which is 0 in the limit. */
static double normal_edge(double x)
{
	return isinf(x) ? 0.0 : x * law_normal_density(x);
}

static struct delay_moments normal_moments(const void *conf)
{
	const struct normal_conf *c = conf;
	struct cut k;
	double variance;

	if (c->cv == 0.0)
		return (struct delay_moments){ 1.0, 0.0 };
	k = cut_of(c);
	variance = 1.0 + (normal_edge(k.a) - normal_edge(k.b)) / k.mass - k.h * k.h;
	return (struct delay_moments){ 1.0, c->cv * sqrt(variance) / (1.0 + c->cv * k.h) };
}

static double normal_quantile(const void *conf, double p)
{
	const struct normal_conf *c = conf;
	struct cut k;
	double z;

	if (c->cv == 0.0)
		return 1.0;
	k = cut_of(c);
	z = law_normal_quantile(law_normal_cdf(k.a) + p * k.mass);
	return (1.0 + c->cv * z) / (1.0 + c->cv * k.h);
}

static int normal_check(const void *conf, const char *where)
{
	const struct normal_conf *c = conf;

	if (c->from >= c->to)
		return error("%s: from = %g must be less than to = %g", where, c->from,
			     c->to);
	if (c->cv == 0.0 ? c->from > 1.0 || c->to < 1.0 : cut_of(c).mass < least_mass)
		return error("%s: less than %g of the distribution lies from %g to %g: "
			     "take a larger cv, or bounds around 1", where, least_mass, c->from,
			     c->to);
	return 0;
}

static const struct opt normal_opts[] = {
	OPT_NUMBER(struct normal_conf, cv, "0.1", "deviation / mean, before it is cut off", "V", 0,
		   10),
	OPT_NUMBER(struct normal_conf, from, "0",
		   "least time, relative to the mean before it is cut off", "X", 0, 1e6),
	OPT_NUMBER(struct normal_conf, to, "inf", "longest time, likewise", "X", 0,
		   (double)INFINITY),
	{ 0 }
};

const struct delay delay_normal = {
	.plugin = { .name = "normal",
		    .brief = "task times from a normal distribution, cut off at bounds",
		    .opts = normal_opts, .conf_size = sizeof(struct normal_conf) },
	.draw = normal_draw,
	.moments = normal_moments,
	.quantile = normal_quantile,
	.check = normal_check,
};

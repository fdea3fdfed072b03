/* lognormal.c - task times exp(N(-s^2/2, s^2)), s^2 = ln(1 + cv^2): mean 1, deviation cv. */
#include "core/math/ziggurat.h"
#include "delays/delay.h"
#include "delays/law.h"

struct lognormal_conf {
	double cv;
};

static double lognormal_draw(const void *conf, struct rng *r)
{
	return law_lognormal(((const struct lognormal_conf *)conf)->cv,
			     ziggurat_normal(ziggurat(), r));
}

static struct delay_moments lognormal_moments(const void *conf)
{
	return (struct delay_moments){ 1.0, ((const struct lognormal_conf *)conf)->cv };
}

static double lognormal_quantile(const void *conf, double p)
{
	return law_lognormal(((const struct lognormal_conf *)conf)->cv, law_normal_quantile(p));
}

static const struct opt lognormal_opts[] = {
	OPT_NUMBER(struct lognormal_conf, cv, "0.1", "coefficient of variation: deviation / mean",
		   "V", 0, 100),
	{ 0 }
};

const struct delay delay_lognormal = {
	.plugin = { .name = "lognormal",
		    .brief = "task times whose logarithm is normally distributed, of mean 1",
		    .opts = lognormal_opts, .conf_size = sizeof(struct lognormal_conf) },
	.draw = lognormal_draw,
	.moments = lognormal_moments,
	.quantile = lognormal_quantile,
};

/*
 * weibull.c - task times P(X > x) = exp(-(x / s)^shape), of mean s Gamma(1 + 1/shape) = 1.
 *
 * The tail is heavier than that of the exponential distribution for shape < 1, lighter for shape >
 * 1.
 */
#include "delays/delay.h"

#include <math.h>

struct weibull_conf {
	double shape;
};

static double weibull_quantile(const void *conf, double p)
{
	const double k = ((const struct weibull_conf *)conf)->shape;

	return pow(-log1p(-p), 1.0 / k) / tgamma(1.0 + 1.0 / k);
}

static struct delay_moments weibull_moments(const void *conf)
{
	const double k = ((const struct weibull_conf *)conf)->shape, g = tgamma(1.0 + 1.0 / k);

	return (struct delay_moments){ 1.0, sqrt(tgamma(1.0 + 2.0 / k) / (g * g) - 1.0) };
}

static const struct opt weibull_opts[] = {
	OPT_NUMBER(struct weibull_conf, shape, "2",
		   "1 is the exponential distribution; less has a heavier tail", "K", 0.1, 100),
	{ 0 }
};

const struct delay delay_weibull = {
	.plugin = { .name = "weibull", .brief = "task times from a Weibull distribution of mean 1",
		    .opts = weibull_opts, .conf_size = sizeof(struct weibull_conf) },
	.moments = weibull_moments,
	.quantile = weibull_quantile,
};

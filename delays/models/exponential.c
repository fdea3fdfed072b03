/* exponential.c - task times with a minimum, plus an exponentially distributed time. */
#include "delays/delay.h"

#include <math.h>

struct exponential_conf {
	double least;
};

static double exponential_quantile(const void *conf, double p)
{
	const double least = ((const struct exponential_conf *)conf)->least;

	return least - (1.0 - least) * log1p(-p);
}

static struct delay_moments exponential_moments(const void *conf)
{
	return (struct delay_moments){ 1.0, 1.0 - ((const struct exponential_conf *)conf)->least };
}

static const struct opt exponential_opts[] = {
	OPT_NUMBER(struct exponential_conf, least, "0",
		   "the part of the mean that every gradient takes", "X", 0, 1),
	{ 0 }
};

const struct delay delay_exponential = {
	.plugin = { .name = "exponential",
		    .brief = "task times from a shifted exponential distribution of mean 1",
		    .opts = exponential_opts, .conf_size = sizeof(struct exponential_conf) },
	.moments = exponential_moments,
	.quantile = exponential_quantile,
};

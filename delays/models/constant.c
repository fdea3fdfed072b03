/* constant.c - every gradient of a worker takes the same time. */
#include "delays/delay.h"

static double constant_draw(const void *conf, struct rng *r)
{
	(void)conf, (void)r;
	return 1.0;
}

static struct delay_moments constant_moments(const void *conf)
{
	(void)conf;
	return (struct delay_moments){ 1.0, 0.0 };
}

static double constant_quantile(const void *conf, double p)
{
	(void)conf, (void)p;
	return 1.0;
}

const struct delay delay_constant = {
	.plugin = { .name = "constant", .brief = "every gradient takes the same time" },
	.draw = constant_draw,
	.moments = constant_moments,
	.quantile = constant_quantile,
};

/* uniform.c - factors of task times, uniform from 1 - spread to 1 + spread; drawn by quantile(). */
#include "delays/delay.h"

#include <math.h>

struct uniform_conf {
	double spread;
};

static double uniform_quantile(const void *conf, double p)
{
	return 1.0 + ((const struct uniform_conf *)conf)->spread * (2.0 * p - 1.0);
}

static struct delay_moments uniform_moments(const void *conf)
{
	const double spread = ((const struct uniform_conf *)conf)->spread;

	return (struct delay_moments){ 1.0, spread / sqrt(3.0) };
}

static const struct opt uniform_opts[] = {
	OPT_NUMBER(struct uniform_conf, spread, "0.5", "half the width, relative to the mean", "S",
		   0, 1),
	{ 0 }
};

const struct delay delay_uniform = {
	.plugin = { .name = "uniform",
		    .brief = "task times between 1 - spread and 1 + spread, each as likely",
		    .opts = uniform_opts, .conf_size = sizeof(struct uniform_conf) },
	.moments = uniform_moments,
	.quantile = uniform_quantile,
};

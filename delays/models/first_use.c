/*
 * first_use.c - a data set whose samples are made or loaded when a process first uses them, then
 * kept.
 *
 * An epoch is one shuffle of the samples, dealt to `workers` processes. So in epoch e, from 0, a
 * sample is new to the process that draws it with probability (1 - 1/workers)^e. A gradient of new
 * samples takes 1 + extra times as long as one of known samples.
 */
#include "delays/delay.h"

#include <math.h>

struct first_use_conf {
	double extra;
	int64_t gradients, workers;
};

static double first_use_at(const void *conf, const struct delay_at *at)
{
	const struct first_use_conf *c = conf;
	const int64_t epoch = at->index / c->gradients;

	return 1.0 + c->extra * pow(1.0 - 1.0 / (double)c->workers, (double)epoch);
}

/* Factor in the first epoch, as the moments. */
static double first_use_draw(const void *conf, struct rng *r)
{
	(void)r;
	return 1.0 + ((const struct first_use_conf *)conf)->extra;
}

static struct delay_moments first_use_moments(const void *conf)
{
	return (struct delay_moments){ first_use_draw(conf, NULL), 0.0 };
}

static double first_use_quantile(const void *conf, double p)
{
	(void)p;
	return first_use_draw(conf, NULL);
}

static const struct opt first_use_opts[] = {
	OPT_NUMBER(struct first_use_conf, extra, "1",
		   "time of new samples beyond that of known ones, relative to it", "X", 0, 1e6),
	OPT_NUMBER(struct first_use_conf, gradients, "1", "a worker's gradients in an epoch", "N",
		   1, 1e15),
	OPT_NUMBER(struct first_use_conf, workers, "1",
		   "processes that share the samples of an epoch", "N", 1, 1 << 20),
	{ 0 }
};

const struct delay delay_first_use = {
	.plugin = { .name = "first-use", .brief = "slower as long as samples are new to a worker",
		    .opts = first_use_opts, .conf_size = sizeof(struct first_use_conf) },
	.draw = first_use_draw,
	.at = first_use_at,
	.moments = first_use_moments,
	.quantile = first_use_quantile,
};

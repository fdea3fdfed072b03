/*
 * rack.c - workers of a rack are fast and slow together.
 *
 * Ranks k size ... k size + size - 1 are in rack k. Time is divided into epochs of every_s seconds;
 * in each, the workers of a rack share one draw of Gamma(1 / cv^2, cv^2). The epoch in which a
 * gradient begins decides about all of it.
 */
#include "delays/delay.h"
#include "delays/law.h"

#include <math.h>

struct rack_conf {
	int64_t size;
	double every_s, cv;
};

static double rack_draw(const void *conf, struct rng *r)
{
	return law_gamma(((const struct rack_conf *)conf)->cv, r);
}

static double rack_at(const void *conf, const struct delay_at *at)
{
	const struct rack_conf *c = conf;
	const int64_t epoch = (int64_t)fmin(at->time / c->every_s, 0x1p47);
	const int64_t rack = at->rank - at->rank % c->size;
	struct rng r;
	double draw;

	if (at->memo && at->memo->set && at->memo->at == epoch)
		return at->memo->value;
	delay_rng(&r, at, DELAY_RACK, (int)rack, epoch);
	draw = law_gamma(c->cv, &r);
	if (at->memo)
		*at->memo = (struct delay_memo){ .set = true, .at = epoch, .value = draw };
	return draw;
}

static struct delay_moments rack_moments(const void *conf)
{
	return (struct delay_moments){ 1.0, ((const struct rack_conf *)conf)->cv };
}

static const struct opt rack_opts[] = {
	OPT_NUMBER(struct rack_conf, size, "4", "workers of a rack", "N", 1, 1 << 24),
	OPT_NUMBER(struct rack_conf, every_s, "10", "seconds that a draw holds", "SECONDS", 1e-6,
		   1e12),
	OPT_NUMBER(struct rack_conf, cv, "0.3", "coefficient of variation: deviation / mean", "V",
		   0, 10),
	{ 0 }
};

const struct delay delay_rack = {
	.plugin = { .name = "rack",
		    .brief = "one draw for all workers of a rack, a new one every so many seconds",
		    .opts = rack_opts, .conf_size = sizeof(struct rack_conf) },
	.draw = rack_draw,
	.at = rack_at,
	.caches = true,
	.moments = rack_moments,
};

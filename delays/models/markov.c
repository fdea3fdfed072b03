/*
 * markov.c - a worker that is slow for a while: an alternating renewal process.
 *
 * A worker is fast and slow in turns, for exponentially distributed times of means fast_s and
 * slow_s (delays/sojourns.h). The moment at which a gradient begins decides about all of it.
 */
#include "delays/delay.h"
#include "delays/law.h"
#include "delays/sojourns.h"

struct markov_conf {
	double factor, fast_s, slow_s;
	bool normalise;
};

static struct sojourns markov_sojourns(const struct markov_conf *c)
{
	return (struct sojourns){ c->fast_s, c->slow_s, SOJOURNS_EXPONENTIAL };
}

static double markov_share_of(const struct markov_conf *c)
{
	const struct sojourns s = markov_sojourns(c);

	return sojourns_share(&s);
}

/* Factor of a fast worker: 1, or with `normalise` such that the mean over time is 1. */
static double markov_unit_of(const struct markov_conf *c)
{
	return c->normalise ? 1.0 / (1.0 + markov_share_of(c) * (c->factor - 1.0)) : 1.0;
}

static double markov_factor_of(const struct markov_conf *c, bool slow)
{
	return markov_unit_of(c) * (slow ? c->factor : 1.0);
}

static double markov_draw(const void *conf, struct rng *r)
{
	return markov_factor_of(conf, rng_uniform(r) < markov_share_of(conf));
}

static double markov_at(const void *conf, const struct delay_at *at)
{
	const struct sojourns s = markov_sojourns(conf);

	return markov_factor_of(conf, sojourns_at(&s, at).slow);
}

static struct delay_moments markov_moments(const void *conf)
{
	return law_two_moments(markov_factor_of(conf, false), markov_factor_of(conf, true),
			       markov_share_of(conf));
}

static double markov_quantile(const void *conf, double p)
{
	return law_two_quantile(markov_factor_of(conf, false), markov_factor_of(conf, true),
				markov_share_of(conf), p);
}

static double markov_cycle_s(const void *conf)
{
	const struct sojourns s = markov_sojourns(conf);

	return sojourns_cycle_s(&s);
}

static const struct opt markov_opts[] = {
	OPT_NUMBER(struct markov_conf, factor, "10", "of a slow worker's times; a fast one's is 1",
		   "F", 1e-6, 1e9),
	OPT_NUMBER(struct markov_conf, fast_s, "90",
		   "seconds, on average, until a fast worker is slow", "SECONDS", 1e-3, 1e12),
	OPT_NUMBER(struct markov_conf, slow_s, "10", "seconds, on average, that it stays so",
		   "SECONDS", 1e-3, 1e12),
	OPT_FLAG(struct markov_conf, normalise, "divides by the mean over time"),
	{ 0 }
};

const struct delay delay_markov = {
	.plugin = { .name = "markov",
		    .brief = "a worker that is slow for a while, again and again at random times",
		    .opts = markov_opts, .conf_size = sizeof(struct markov_conf) },
	.draw = markov_draw,
	.at = markov_at,
	.caches = true,
	.moments = markov_moments,
	.cycle_s = markov_cycle_s,
	.quantile = markov_quantile,
};

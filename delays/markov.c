/*
 * markov.c - a worker that is slow for a while: an alternating renewal process.
 *
 * A worker is fast and slow in turns, for exponentially distributed times of means fast_s and
 * slow_s. It begins slow with probability share = slow_s / (fast_s + slow_s), so that this is the
 * probability at any moment. Its k-th sojourn is drawn at (seed, rank, k): where a worker stands
 * at time t does not depend on who asked before. A gradient goes by the moment at which it begins.
 */
#include "delays/delay.h"
#include "delays/law.h"

#include <math.h>

struct markov_conf {
	double factor, fast_s, slow_s;
	bool normalise;
};

static double markov_share_of(const struct markov_conf *c)
{
	return c->slow_s / (c->fast_s + c->slow_s);
}

/* Of a fast worker: 1, or what makes the mean over time 1. */
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

/*
 * Sojourns do not remember, so the chain may begin again, as it began, at times that no worker can
 * tell: every so many pairs of sojourns. A gradient looks at no more of them than that.
 */
enum { PAIRS = 100000, MOST = 16 * PAIRS, STRETCH_SHIFT = 24 };

static double stretch_s(const struct markov_conf *c)
{
	return PAIRS * (c->slow_s + c->fast_s);
}

/* Which stretch a time lies in; those of one number in 2^23 have the same draws. */
static int64_t stretch_of(const struct markov_conf *c, const struct delay_at *at)
{
	return (int64_t)fmod(floor(at->time / stretch_s(c)), 1 << (STRETCH_SHIFT - 1));
}

static bool begins_slow(const struct markov_conf *c, const struct delay_at *at)
{
	struct rng r;

	delay_rng(&r, at, DELAY_MACHINE, at->rank, stretch_of(c, at));
	return rng_uniform(&r) < markov_share_of(c);
}

static double markov_sojourn(const struct markov_conf *c, const struct delay_at *at, bool slow,
			     int64_t k)
{
	struct rng r;

	delay_rng(&r, at, DELAY_SOJOURN, at->rank, k | stretch_of(c, at) << STRETCH_SHIFT);
	return -log(rng_uniform(&r)) * (slow ? c->slow_s : c->fast_s);
}

/* In a memo: `at` the sojourn, from other to value; sojourns of one parity are alike. */
static double markov_at(const void *conf, const struct delay_at *at)
{
	const struct markov_conf *c = conf;
	const double begun = floor(at->time / stretch_s(c)) * stretch_s(c);
	const bool first = begins_slow(c, at);
	struct delay_memo here = at->memo ? *at->memo : (struct delay_memo){ 0 };

	if (!here.set || at->time < here.other || here.other < begun)
		here = (struct delay_memo){ .set = true, .other = begun,
					    .value = begun + markov_sojourn(c, at, first, 0) };
	while (at->time >= here.value && here.at < MOST) {
		here.at++;
		here.other = here.value;
		here.value += markov_sojourn(c, at, first ^ (here.at % 2 != 0), here.at);
	}
	if (at->memo)
		*at->memo = here;
	return markov_factor_of(c, first ^ (here.at % 2 != 0));
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

static const struct opt markov_opts[] = {
	{ "factor", OPT_AT(DOUBLE, struct markov_conf, factor), "10",
	  "of a slow worker's times; a fast one's is 1", "F", 1e-6, 1e9, NULL, 0 },
	{ "fast_s", OPT_AT(DOUBLE, struct markov_conf, fast_s), "90",
	  "seconds, on average, until a fast worker is slow", "SECONDS", 1e-3, 1e12, NULL, 0 },
	{ "slow_s", OPT_AT(DOUBLE, struct markov_conf, slow_s), "10",
	  "seconds, on average, that it stays so", "SECONDS", 1e-3, 1e12, NULL, 0 },
	{ "normalise", OPT_AT(BOOL, struct markov_conf, normalise), "false",
	  "divides by the mean over time", NULL, 0, 0, NULL, 0 },
	{ 0 }
};

extern const struct delay delay_markov;
const struct delay delay_markov = {
	.plugin = { "markov", "a worker that is slow for a while, again and again at random times",
		    NULL, markov_opts, sizeof(struct markov_conf) },
	.draw = markov_draw,
	.at = markov_at,
	.remembers = true,
	.moments = markov_moments,
	.quantile = markov_quantile,
};

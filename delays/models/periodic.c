/*
 * periodic.c - slow for the first slow_s seconds of every period.
 *
 * A worker's periods begin at start_s + rank stagger_s, and every period_s before and after. The
 * moment at which a gradient begins decides about all of it.
 */
#include "core/base/error.h"
#include "delays/delay.h"
#include "delays/law.h"

#include <math.h>

struct periodic_conf {
	double factor, period_s, slow_s, start_s, stagger_s;
	bool normalise;
};

static double periodic_share_of(const struct periodic_conf *c)
{
	return c->slow_s / c->period_s;
}

static double periodic_factor_of(const struct periodic_conf *c, bool slow)
{
	const double mean = 1.0 + periodic_share_of(c) * (c->factor - 1.0);

	return (slow ? c->factor : 1.0) / (c->normalise ? mean : 1.0);
}

static double periodic_draw(const void *conf, struct rng *r)
{
	return periodic_factor_of(conf, rng_uniform(r) < periodic_share_of(conf));
}

static double periodic_at(const void *conf, const struct delay_at *at)
{
	const struct periodic_conf *c = conf;
	const double since = at->time - c->start_s - at->rank * c->stagger_s;

	return periodic_factor_of(c, since - c->period_s * floor(since / c->period_s) < c->slow_s);
}

static struct delay_moments periodic_moments(const void *conf)
{
	return law_two_moments(periodic_factor_of(conf, false), periodic_factor_of(conf, true),
			       periodic_share_of(conf));
}

static double periodic_quantile(const void *conf, double p)
{
	return law_two_quantile(periodic_factor_of(conf, false), periodic_factor_of(conf, true),
				periodic_share_of(conf), p);
}

static int periodic_check(const void *conf, const char *where)
{
	const struct periodic_conf *c = conf;

	if (c->slow_s <= c->period_s)
		return 0;
	return error("%s: slow_s = %g is more than a period: at most period_s = %g",
		     where, c->slow_s, c->period_s);
}

static double periodic_cycle_s(const void *conf)
{
	const struct periodic_conf *c = conf;

	return c->slow_s > 0.0 && c->slow_s < c->period_s ? c->period_s : 0.0;
}

static const struct opt periodic_opts[] = {
	OPT_NUMBER(struct periodic_conf, factor, "10",
		   "of the times in the slow part of a period; else 1", "F", 1e-6, 1e9),
	OPT_NUMBER(struct periodic_conf, period_s, "100", "seconds of a period", "SECONDS", 1e-6,
		   1e12),
	OPT_NUMBER(struct periodic_conf, slow_s, "10",
		   "seconds of it that are slow, the first ones", "SECONDS", 0, 1e12),
	OPT_NUMBER(struct periodic_conf, start_s, "0", "when a period of rank 0 begins", "SECONDS",
		   0, 1e12),
	OPT_NUMBER(struct periodic_conf, stagger_s, "0",
		   "seconds from one rank's periods to the next rank's", "SECONDS", 0, 1e12),
	OPT_FLAG(struct periodic_conf, normalise, "divides by the mean over time"),
	{ 0 }
};

const struct delay delay_periodic = {
	.plugin = { .name = "periodic", .brief = "slow for a part of every period",
		    .opts = periodic_opts, .conf_size = sizeof(struct periodic_conf) },
	.draw = periodic_draw,
	.at = periodic_at,
	.moments = periodic_moments,
	.cycle_s = periodic_cycle_s,
	.quantile = periodic_quantile,
	.check = periodic_check,
};

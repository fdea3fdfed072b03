/*
 * phases.c - slow phases whose durations and depths are log-normally distributed.
 *
 * Between two phases a worker is fast for an exponential time of mean fast_s. A phase lasts
 * slow_s seconds on average, with a coefficient of variation slow_cv, and all gradients that
 * begin in it take 1 + d times as long: d is drawn once for the phase, with mean depth and
 * coefficient of variation depth_cv. The alternation of both is that of delays/sojourns.h.
 *
 * Functions return factors of task times, relative to a fast gradient or, with `normalise`, to the
 * mean over time.
 */
#include "delays/delay.h"
#include "delays/law.h"
#include "delays/sojourns.h"

#include <math.h>

struct phases_conf {
	int64_t size;
	double fast_s, slow_s, slow_cv, depth, depth_cv;
	bool normalise;
};

static struct sojourns phases_sojourns(const struct phases_conf *c)
{
	return (struct sojourns){ .fast_s = c->fast_s, .slow_s = c->slow_s, .slow_cv = c->slow_cv };
}

/* Share of the time in slow phases. */
static double phases_share(const struct phases_conf *c)
{
	const struct sojourns s = phases_sojourns(c);

	return sojourns_share(&s);
}

/* Divisor of all factors: 1, or with `normalise` their mean. */
static double phases_unit(const struct phases_conf *c)
{
	return c->normalise ? 1.0 + phases_share(c) * c->depth : 1.0;
}

/* Factor of a slow phase, from a standard normal deviate z. */
static double phases_slow(const struct phases_conf *c, double z)
{
	return (1.0 + c->depth * law_lognormal(c->depth_cv, z)) / phases_unit(c);
}

/* At a random time. */
static double phases_draw(const void *conf, struct rng *r)
{
	const bool slow = rng_uniform(r) < phases_share(conf);

	return slow ? phases_slow(conf, rng_normal(r)) : 1.0 / phases_unit(conf);
}

static double phases_at(const void *conf, const struct delay_at *at)
{
	const struct phases_conf *c = conf;
	const struct sojourns s = phases_sojourns(conf);
	const struct delay_at machine = delay_at_machine(at, c->size);
	const struct sojourn here = sojourns_at(&s, &machine);
	struct rng r;

	if (!here.slow)
		return 1.0 / phases_unit(conf);
	delay_rng(&r, at, DELAY_DEPTH, machine.rank, here.number);
	return phases_slow(conf, rng_normal(&r));
}

/*
 * The factor is 1 with probability 1 - s, else 1 + d. With E d = depth and E d^2 = `square`, its
 * mean is 1 + s E d and its variance s E d^2 - (s E d)^2, before the division by the unit.
 */
static struct delay_moments phases_moments(const void *conf)
{
	const struct phases_conf *c = conf;
	const double s = phases_share(c), unit = phases_unit(c);
	const double square = c->depth * c->depth * (1.0 + c->depth_cv * c->depth_cv);
	const double added = s * c->depth;      /* mean, above 1 */

	return (struct delay_moments){ (1.0 + added) / unit,
				       sqrt(fmax(s * square - added * added, 0.0)) / unit };
}

static double phases_quantile(const void *conf, double p)
{
	const struct phases_conf *c = conf;
	const double fast = 1.0 - phases_share(c);      /* P(factor of a fast gradient) */

	return p <= fast ? 1.0 / phases_unit(c)
			 : phases_slow(c, law_normal_quantile((p - fast) / (1.0 - fast)));
}

static double phases_cycle_s(const void *conf)
{
	const struct sojourns s = phases_sojourns(conf);

	return sojourns_cycle_s(&s);
}

static const struct opt phases_opts[] = {
	OPT_NUMBER(struct phases_conf, fast_s, "10800",
		   "mean seconds between two slow phases of a worker", "SECONDS", 1e-3, 1e12),
	OPT_NUMBER(struct phases_conf, slow_s, "1440", "mean seconds of a slow phase", "SECONDS",
		   1e-3, 1e12),
	OPT_NUMBER(struct phases_conf, slow_cv, "1",
		   "coefficient of variation of these seconds; 0: all alike", "V", 0, 100),
	OPT_NUMBER(struct phases_conf, depth, "0.5",
		   "mean share of the time that a slow phase adds: 0.5 is half as long again", "D",
		   1e-6, 1e9),
	OPT_NUMBER(struct phases_conf, depth_cv, "0",
		   "coefficient of variation of the depth from phase to phase", "V", 0, 100),
	OPT_FLAG(struct phases_conf, normalise, "divides by the mean over time"),
	DELAY_SIZE_OPT(struct phases_conf),
	{ 0 }
};

const struct delay delay_phases = {
	.plugin = { .name = "phases",
		    .brief = "slow phases whose durations and depths are log-normal",
		    .opts = phases_opts, .conf_size = sizeof(struct phases_conf) },
	.draw = phases_draw,
	.at = phases_at,
	.caches = true,
	.moments = phases_moments,
	.cycle_s = phases_cycle_s,
	.quantile = phases_quantile,
};

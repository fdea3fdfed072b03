/* Draws the sojourns of a worker that is fast and slow in turns. */
#include "delays/sojourns.h"

#include "delays/law.h"

#include <math.h>

/*
 * Every PAIRS pairs of sojourns the chain begins again in its stationary state. Fast sojourns have
 * no memory, so this cannot be noticed, and a gradient need not look at more sojourns than that.
 */
enum { PAIRS = 100000, MOST = 16 * PAIRS, STRETCH_SHIFT = 24 };

double sojourns_share(const struct sojourns *s)
{
	return s->slow_s / (s->fast_s + s->slow_s);
}

double sojourns_cycle_s(const struct sojourns *s)
{
	static const double rare = 1e-6;        /* a negligible share of the time */
	const double all = s->fast_s + s->slow_s;

	return fmin(s->fast_s, s->slow_s) > rare * all ? all : 0.0;
}

static double stretch_s(const struct sojourns *s)
{
	return PAIRS * (s->slow_s + s->fast_s);
}

/*
 * Number of the stretch (PAIRS pairs of sojourns) that has a time, modulo 2^23; equal numbers have
 * equal draws.
 */
static int64_t stretch_of(const struct sojourns *s, const struct delay_at *at)
{
	return (int64_t)fmod(floor(at->time / stretch_s(s)), 1 << (STRETCH_SHIFT - 1));
}

static bool begins_slow(const struct sojourns *s, const struct delay_at *at)
{
	struct rng r;

	delay_rng(&r, at, DELAY_MACHINE, at->rank, stretch_of(s, at));
	return rng_uniform(&r) < sojourns_share(s);
}

static int64_t sojourn_number(const struct sojourns *s, const struct delay_at *at, int64_t k)
{
	return k | stretch_of(s, at) << STRETCH_SHIFT;
}

/*
 * The remainder of a log-normal sojourn at a random moment is a uniform share of a length drawn
 * with probability proportional to itself: exp(N(ln m + v/2, v)) = e^v exp(N(ln m - v/2, v)), e^v =
 * 1 + cv^2.
 */
static double lognormal_length(double mean, double cv, bool rest, struct rng *r)
{
	const double length = mean * law_lognormal(cv, rng_normal(r));

	return rest ? length * (1.0 + cv * cv) * rng_uniform(r) : length;
}

static double sojourn_length(const struct sojourns *s, const struct delay_at *at, bool slow,
			     int64_t k)
{
	struct rng r;

	delay_rng(&r, at, DELAY_SOJOURN, at->rank, sojourn_number(s, at, k));
	if (slow && s->slow_cv >= 0.0)
		return lognormal_length(s->slow_s, s->slow_cv, k == 0, &r);
	return -log(rng_uniform(&r)) * (slow ? s->slow_s : s->fast_s);
}

/* First sojourn of a stretch. */
static struct delay_memo first_sojourn(const struct sojourns *s, const struct delay_at *at,
				       double begun)
{
	const bool slow = begins_slow(s, at);

	return (struct delay_memo){ .set = true, .at = slow, .other = begun,
				    .value = begun + sojourn_length(s, at, slow, 0) };
}

/*
 * Sojourn at a time. A memo has in `at` twice the sojourn's number, plus 1 if it is slow, and the
 * times in `other` and `value` between which it lasts.
 */
struct sojourn sojourns_at(const struct sojourns *s, const struct delay_at *at)
{
	const double begun = floor(at->time / stretch_s(s)) * stretch_s(s);
	struct delay_memo here = at->memo ? *at->memo : (struct delay_memo){ 0 };

	if (!here.set || at->time < here.other || here.other < begun)
		here = first_sojourn(s, at, begun);
	while (at->time >= here.value && here.at / 2 < MOST) {
		here.at = (here.at + 2) ^ 1;
		here.other = here.value;
		here.value += sojourn_length(s, at, here.at & 1, here.at / 2);
	}
	if (at->memo)
		*at->memo = here;
	return (struct sojourn){ here.at & 1, sojourn_number(s, at, here.at / 2) };
}

/*
 * estimate.c - the parameters that delay models have for a log.
 *
 * Moments where there are some; slow steps are weighted by their probability of being slow.
 */
#include "study/fit/fit.h"

#include "core/base/mem.h"

#include <math.h>
#include <stdlib.h>

enum { FEWEST_STEPS = 3, FEWEST_WORKERS = 8 };

/* A smaller step is noise: studies of slow phases count from 10 % on. */
static const double LEAST_FACTOR = 1.02;

struct weighed {                /* of some numbers with weights */
	double weight, sum, square;
};

static void weighed_add(struct weighed *w, double x, double weight)
{
	w->weight += weight;
	w->sum += weight * x;
	w->square += weight * x * x;
}

static double weighed_mean(const struct weighed *w)
{
	return w->weight > 0.0 ? w->sum / w->weight : 0.0;
}

static double weighed_variance(const struct weighed *w)
{
	const double mean = weighed_mean(w);

	return w->weight > 1.0 ? fmax(w->square - w->weight * mean * mean, 0.0) / (w->weight - 1.0)
			       : 0.0;
}

/* The coefficient of variation of a log-normal law with that variance of logarithms. */
static double cv_of_logs(double variance)
{
	return sqrt(expm1(fmin(fmax(variance, 0.0), 9.0)));
}

/* ---- all times alike ---- */

/* Of the means of workers, without what chance adds to a mean of so many times. */
static double spread_of(const struct weighed *means, double within, double steps)
{
	const double mean = weighed_mean(means);
	const double own = weighed_variance(means) / (mean * mean) - within * within / steps;

	return sqrt(fmax(own, 0.0));
}

static void estimate_moments(const struct steplog *l, struct estimates *e)
{
	struct weighed all = { 0 }, means = { 0 };
	double within = 0.0;

	for (size_t w = 0; w < l->workers; w++) {
		struct weighed own = { 0 };

		for (size_t k = 0; k < l->steps; k++) {
			weighed_add(&own, l->seconds[w * l->steps + k], 1.0);
			weighed_add(&all, l->seconds[w * l->steps + k], 1.0);
		}
		weighed_add(&means, weighed_mean(&own), 1.0);
		within += weighed_variance(&own) /
			  (weighed_mean(&own) * weighed_mean(&own) * (double)l->workers);
	}
	e->mean = weighed_mean(&all);
	e->cv = sqrt(weighed_variance(&all)) / e->mean;
	e->within_cv = sqrt(within);
	e->static_cv = spread_of(&means, e->within_cv, (double)l->steps);
}

/* ---- fast and slow ---- */

/*
 * From probabilities a step to mean times, with steps of length t_f and t_s:
 * to_slow = s (1 - e^(-r t_f)), to_fast = (1 - s) (1 - e^(-r t_s)), fast_s = 1 / (r s), slow_s =
 * 1 / (r (1 - s)). The sum of to_slow / (1 - e^(-r t_f)) and to_fast / (1 - e^(-r t_s)) falls
 * in r and is 1. From r = 10 / t_f on, a step tells nothing of the next one (e^-10 of it), and a
 * log nothing of r; simulating shorter phases only takes time.
 */
static void estimate_times(const struct chain *c, struct estimates *e)
{
	const double t_f = e->base, t_s = e->base * e->factor;
	double low = 1e-12 / t_f, high = 10.0 / t_f, share;

	for (int i = 0; i < 200; i++) {
		const double r = sqrt(low * high);
		const double sum = c->to_slow / -expm1(-r * t_f) + c->to_fast / -expm1(-r * t_s);

		if (sum > 1.0)
			low = r;
		else
			high = r;
	}
	share = fmin(fmax(c->to_slow / -expm1(-low * t_f), 1e-9), 1.0 - 1e-9);
	e->fast_s = 1.0 / (low * share);
	e->slow_s = 1.0 / (low * (1.0 - share));
}

/* Of each worker's seconds, weighed by their probability of being fast. */
static void estimate_fast(const struct steplog *l, const struct chain *c, struct weighed *own)
{
	for (size_t w = 0; w < l->workers; w++)
		for (size_t k = 0; k < l->steps; k++)
			weighed_add(&own[w], l->seconds[w * l->steps + k],
				    1.0 - c->slow[w * l->steps + k]);
}

/* A worker that was never fast takes no part in what fast steps say. */
static bool was_fast(const struct weighed *own)
{
	return own->weight >= FEWEST_STEPS;
}

/* Seconds of a worker's fast step. */
static double fast_seconds(const struct weighed *own, const struct estimates *e)
{
	return was_fast(own) ? weighed_mean(own) : e->base;
}

static void estimate_base(const struct steplog *l, const struct weighed *own,
			  struct estimates *e)
{
	struct weighed means = { 0 };
	double within = 0.0, steps = 0.0;

	for (size_t w = 0; w < l->workers; w++) {
		const double mean = weighed_mean(&own[w]);

		if (!was_fast(&own[w]))
			continue;
		weighed_add(&means, mean, 1.0);
		within += weighed_variance(&own[w]) / (mean * mean);
		steps += own[w].weight;
	}
	e->base = weighed_mean(&means);
	e->noise_cv = sqrt(within / means.weight);
	e->base_static_cv = spread_of(&means, e->noise_cv, steps / means.weight);
}

static void estimate_factor(const struct steplog *l, const struct chain *c,
			    const struct weighed *own, struct estimates *e)
{
	struct weighed slow = { 0 };

	for (size_t w = 0; w < l->workers; w++)
		for (size_t k = 0; k < l->steps; k++)
			weighed_add(&slow,
				    l->seconds[w * l->steps + k] / fast_seconds(&own[w], e),
				    c->slow[w * l->steps + k]);
	e->factor = weighed_mean(&slow);
	e->slow = slow.weight >= FEWEST_STEPS && e->factor >= LEAST_FACTOR;
}

/* ---- whole phases ---- */

struct phase_sums {
	struct weighed length, depth;   /* logarithms of seconds; depths */
	double noise;                   /* what noise adds to the depths' variance, summed */
};

/* Steps from `from` to before `to` of a worker are slow, with fast ones before and after. */
static void phase_add(struct phase_sums *s, const double *seconds, size_t from, size_t to,
		      double fast, double noise_cv)
{
	double length = 0.0, factor, depth;

	for (size_t k = from; k < to; k++)
		length += seconds[k];
	factor = length / fast / (double)(to - from);
	depth = factor - 1.0;
	if (!(depth > 0.0))
		return;
	weighed_add(&s->length, log(length), 1.0);
	weighed_add(&s->depth, depth, 1.0);
	s->noise += noise_cv * noise_cv * factor * factor / (double)(to - from);
}

static void phases_of_worker(const struct steplog *l, const struct chain *c, size_t w,
			     double fast, double noise_cv, struct phase_sums *s)
{
	const double *slow = c->slow + w * l->steps, *seconds = l->seconds + w * l->steps;
	size_t from = 0;

	for (size_t k = 1; k < l->steps; k++) {
		const bool now = slow[k] > 0.5, before = slow[k - 1] > 0.5;

		if (now && !before)
			from = k;
		else if (before && !now && from > 0)
			phase_add(s, seconds, from, k, fast, noise_cv);
	}
}

static void estimate_phases(const struct steplog *l, const struct chain *c,
			    const struct weighed *own, struct estimates *e)
{
	struct phase_sums s = { 0 };
	double mean;

	for (size_t w = 0; w < l->workers; w++)
		phases_of_worker(l, c, w, fast_seconds(&own[w], e), e->noise_cv, &s);
	e->phases = (size_t)s.length.weight;
	if (e->phases == 0)
		return;
	mean = weighed_mean(&s.depth);
	e->slow_cv = cv_of_logs(weighed_variance(&s.length));
	e->depth = mean;
	e->depth_cv = sqrt(fmax(weighed_variance(&s.depth) - s.noise / s.length.weight, 0.0)) /
		      mean;
}

/* ---- workers' own variances ---- */

static double correlation_of(const struct weighed *a, const struct weighed *b, double product)
{
	const double n = a->weight, both = product / n - weighed_mean(a) * weighed_mean(b);
	const double scale = sqrt(weighed_variance(a) * weighed_variance(b)) * (n - 1.0) / n;

	return scale > 0.0 && n >= FEWEST_WORKERS ? fmin(fmax(both / scale, -1.0), 1.0) : 0.0;
}

/* Logarithms of variances; of n normal times, chance adds about 2 / n to their variance. */
static void estimate_variances(const struct steplog *l, const struct weighed *own,
			       struct estimates *e)
{
	struct weighed mean = { 0 }, variance = { 0 };
	double product = 0.0, chance = 0.0, spread;

	for (size_t w = 0; w < l->workers; w++) {
		const double m = log(weighed_mean(&own[w]) / e->base);
		const double v = log(weighed_variance(&own[w]) / (e->base * e->base));

		if (!was_fast(&own[w]) || !isfinite(v))
			continue;
		weighed_add(&mean, m, 1.0);
		weighed_add(&variance, v, 1.0);
		product += m * v;
		chance += 2.0 / own[w].weight;
	}
	spread = fmax(weighed_variance(&variance) - chance / fmax(variance.weight, 1.0), 0.0);
	e->var = variance.weight > 0.0 ? exp(weighed_mean(&variance) + 0.5 * spread) : 0.0;
	e->var_cv = cv_of_logs(spread);
	e->correlation = correlation_of(&mean, &variance, product);
}

struct estimates estimate(const struct steplog *l)
{
	struct estimates e = { 0 };
	struct chain c = chain_fit(l);
	struct weighed *own = xcalloc(l->workers, sizeof(*own));

	estimate_moments(l, &e);
	if (isfinite(c.likelihood)) {
		estimate_fast(l, &c, own);
		estimate_base(l, own, &e);
		estimate_factor(l, &c, own, &e);
	}
	if (e.slow) {
		estimate_times(&c, &e);
		estimate_phases(l, &c, own, &e);
		estimate_variances(l, own, &e);
	}
	free(own);
	chain_release(&c);
	return e;
}

/*
 * estimate.c - the parameters that delay models have for a log.
 *
 * A hidden Markov model of two states tells which steps are slow: Baum, Petrie, Soules, Weiss 1970,
 * expectation by the forward and backward recursions, scaled at every step; maximisation in closed
 * form, the levels before the depth. The parameters are moments where there are some; slow steps
 * are weighted by their probability of being slow.
 */
#include "study/fit/fit.h"

#include "core/base/mem.h"
#include "core/math/median.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIAL_ROUNDS = 12, MOST_ROUNDS = 200, FEWEST_STEPS = 3, FEWEST_WORKERS = 8 };

static const double LEAST_VARIANCE = 1e-10, LEAST_CHANCE = 1e-9;

/*
 * A smaller step is taken for noise. It is far below the 10 % from which studies count a phase as
 * slow, so that shallow phases that are long enough are found, too.
 */
static const double LEAST_FACTOR = 1.02;

/* ---- which steps are slow ---- */

struct chain_sums {             /* of an expectation */
	double from[2], change[2];      /* steps with a next one; and with one in the other state */
	double weight[2];               /* steps in a state */
};

struct chain_work {
	double *y;              /* [workers][steps] ln seconds */
	double *forward;        /* [steps][2] */
	double *density;        /* [steps][2], the larger is 1 */
};

/* Densities of a worker's steps in both states; the sum of the logarithms left out. */
static double chain_densities(const struct chain *c, const double *y, double level,
			      double *density)
{
	const double half_log[2] = { 0.5 * log(c->variance[0]), 0.5 * log(c->variance[1]) };
	double out = 0.0;

	for (size_t k = 0; k < c->steps; k++) {
		double log_of[2], most;

		for (int s = 0; s < 2; s++) {
			const double r = y[k] - level - (s ? c->depth : 0.0);

			log_of[s] = -0.5 * r * r / c->variance[s] - half_log[s];
		}
		most = fmax(log_of[0], log_of[1]);
		density[2 * k] = most > log_of[0] ? exp(log_of[0] - most) : 1.0;
		density[2 * k + 1] = most > log_of[1] ? exp(log_of[1] - most) : 1.0;
		out += most;
	}
	return out;
}

/* forward[k] <- P(state | steps up to k); the logarithm of the probability of all of them. */
static double chain_forward(const struct chain *c, const double *density, double *forward)
{
	const double share = c->to_slow / (c->to_slow + c->to_fast);
	double before[2] = { 1.0 - share, share }, out = 0.0;

	for (size_t k = 0; k < c->steps; k++) {
		double *f = &forward[2 * k], sum;

		f[0] = before[0] * density[2 * k];
		f[1] = before[1] * density[2 * k + 1];
		sum = f[0] + f[1];
		f[0] /= sum;
		f[1] /= sum;
		out += log(sum);
		before[1] = f[0] * c->to_slow + f[1] * (1.0 - c->to_fast);
		before[0] = 1.0 - before[1];
	}
	return out;
}

/* slow[k] <- P(slow | all steps), and the sums over a worker's steps. */
static void chain_backward(const struct chain *c, const struct chain_work *w, double *slow,
			   struct chain_sums *sums)
{
	const double move[2][2] = { { 1.0 - c->to_slow, c->to_slow },
				    { c->to_fast, 1.0 - c->to_fast } };
	double back[2] = { 1.0, 1.0 };

	for (size_t k = c->steps; k-- > 0;) {
		const double *f = &w->forward[2 * k], *d = &w->density[2 * k];
		const double all = f[0] * back[0] + f[1] * back[1];

		slow[k] = f[1] * back[1] / all;
		sums->weight[0] += 1.0 - slow[k];
		sums->weight[1] += slow[k];
		if (k > 0) {
			const double *p = &w->forward[2 * (k - 1)];
			double next[2], total = 0.0;

			for (int s = 0; s < 2; s++) {
				next[s] = move[s][0] * d[0] * back[0] + move[s][1] * d[1] * back[1];
				total += p[s] * next[s];
			}
			for (int s = 0; s < 2; s++) {
				sums->from[s] += p[s] * next[s] / total;
				sums->change[s] += p[s] * move[s][!s] * d[!s] * back[!s] / total;
			}
			back[0] = next[0] / total;
			back[1] = next[1] / total;
		}
	}
}

static struct chain_sums chain_expect(struct chain *c, struct chain_work *w)
{
	struct chain_sums sums = { { 0 }, { 0 }, { 0 } };

	c->likelihood = 0.0;
	for (size_t i = 0; i < c->workers; i++) {
		c->likelihood += chain_densities(c, w->y + i * c->steps, c->level[i], w->density);
		c->likelihood += chain_forward(c, w->density, w->forward);
		chain_backward(c, w, c->slow + i * c->steps, &sums);
	}
	return sums;
}

static double chain_chance(double changes, double steps)
{
	return fmin(fmax(changes / steps, LEAST_CHANCE), 1.0 - LEAST_CHANCE);
}

static void chain_set_levels(struct chain *c, const double *y)
{
	for (size_t i = 0; i < c->workers; i++) {
		const double *slow = c->slow + i * c->steps, *of = y + i * c->steps;
		double sum = 0.0, weight = 0.0;

		for (size_t k = 0; k < c->steps; k++) {
			const double fast = (1.0 - slow[k]) / c->variance[0];
			const double other = slow[k] / c->variance[1];

			sum += fast * of[k] + other * (of[k] - c->depth);
			weight += fast + other;
		}
		c->level[i] = sum / weight;
	}
}

/* False where one of the states has lost all its steps, or a slow one is not slow. */
static bool chain_maximise(struct chain *c, const double *y, const struct chain_sums *sums)
{
	double depth = 0.0, square[2] = { 0.0, 0.0 };

	if (!(sums->weight[0] > 1.0 && sums->weight[1] > 1.0 && sums->from[0] > 0.0 &&
	      sums->from[1] > 0.0))
		return false;
	c->to_slow = chain_chance(sums->change[0], sums->from[0]);
	c->to_fast = chain_chance(sums->change[1], sums->from[1]);
	chain_set_levels(c, y);
	for (size_t i = 0; i < c->workers; i++)
		for (size_t k = 0; k < c->steps; k++)
			depth += c->slow[i * c->steps + k] * (y[i * c->steps + k] - c->level[i]);
	c->depth = depth / sums->weight[1];
	for (size_t i = 0; i < c->workers; i++)
		for (size_t k = 0; k < c->steps; k++) {
			const double slow = c->slow[i * c->steps + k];
			const double r = y[i * c->steps + k] - c->level[i];

			square[0] += (1.0 - slow) * r * r;
			square[1] += slow * (r - c->depth) * (r - c->depth);
		}
	for (int s = 0; s < 2; s++)
		c->variance[s] = fmax(square[s] / sums->weight[s], LEAST_VARIANCE);
	return c->depth > 0.0;
}

/* Rounds until the likelihood stays; false where the states do not part. */
static bool chain_climb(struct chain *c, struct chain_work *w, int rounds)
{
	double last = -HUGE_VAL;

	for (int i = 0; i < rounds; i++) {
		const struct chain_sums sums = chain_expect(c, w);

		if (!isfinite(c->likelihood) || !chain_maximise(c, w->y, &sums))
			return false;
		if (c->likelihood - last < 1e-8 * fabs(c->likelihood))
			break;
		last = c->likelihood;
	}
	chain_expect(c, w);
	return true;
}

/* A quantile of each worker's times as its level, and a spread of fast steps around it. */
static void chain_begin(struct chain *c, const struct chain_work *w, double p, double depth)
{
	double *sorted = xcalloc(c->steps, sizeof(*sorted)), spread = 0.0;

	for (size_t i = 0; i < c->workers; i++) {
		memcpy(sorted, w->y + i * c->steps, c->steps * sizeof(*sorted));
		sort_doubles(sorted, c->steps);
		c->level[i] = sorted[(size_t)(p * (double)(c->steps - 1))];
		spread += c->level[i] - sorted[(size_t)(0.3 * p * (double)(c->steps - 1))];
	}
	spread = fmax(spread / (double)c->workers, 1e-3);
	c->variance[0] = spread * spread;
	c->variance[1] = fmax(spread * spread, 0.1 * depth * depth);
	c->depth = depth;
	c->to_slow = 0.01;
	c->to_fast = 0.05;
	free(sorted);
}

static struct chain chain_new(const struct steplog *l)
{
	return (struct chain){ .workers = l->workers, .steps = l->steps, .likelihood = -HUGE_VAL,
			       .level = xcalloc(l->workers, sizeof(double)),
			       .slow = xcalloc(l->workers * l->steps, sizeof(double)) };
}

struct chain chain_fit(const struct steplog *l)
{
	enum { QUANTILES = 2, DEPTHS = 3 };
	static const double quantiles[QUANTILES] = { 0.5, 0.2 };
	static const double depths[DEPTHS] = { 0.1, 0.4, 1.2 };
	const size_t n = l->workers * l->steps;
	struct chain_work w = { xcalloc(n, sizeof(double)), xcalloc(2 * l->steps, sizeof(double)),
				xcalloc(2 * l->steps, sizeof(double)) };
	struct chain best = chain_new(l);

	for (size_t i = 0; i < n; i++)
		w.y[i] = log(l->seconds[i]);
	for (int i = 0; i < QUANTILES * DEPTHS; i++) {
		struct chain c = chain_new(l);

		chain_begin(&c, &w, quantiles[i / DEPTHS], depths[i % DEPTHS]);
		if (chain_climb(&c, &w, TRIAL_ROUNDS) && c.likelihood > best.likelihood) {
			chain_release(&best);
			best = c;
		} else {
			chain_release(&c);
		}
	}
	if (isfinite(best.likelihood) && !chain_climb(&best, &w, MOST_ROUNDS))
		best.likelihood = -HUGE_VAL;
	free_all(w.y, w.forward, w.density);
	return best;
}

void chain_release(struct chain *c)
{
	free_all(c->level, c->slow);
	*c = (struct chain){ 0 };
}

/* ---- numbers with weights ---- */

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

/* Variation of the means of workers, without what chance adds to a mean of so many times. */
static double spread_of_means(const struct weighed *means, double within, double steps)
{
	const double mean = weighed_mean(means);
	const double own = weighed_variance(means) / (mean * mean) - within * within / steps;

	return sqrt(fmax(own, 0.0));
}

/* weight[steps], whose sum is the number of steps, or NULL: all are alike. */
static void estimate_moments(const struct steplog *l, const double *weight, struct estimates *e)
{
	struct weighed all = { 0 }, means = { 0 };
	double within = 0.0;

	for (size_t w = 0; w < l->workers; w++) {
		struct weighed own = { 0 };

		for (size_t k = 0; k < l->steps; k++) {
			weighed_add(&own, l->seconds[w * l->steps + k], weight ? weight[k] : 1.0);
			weighed_add(&all, l->seconds[w * l->steps + k], weight ? weight[k] : 1.0);
		}
		weighed_add(&means, weighed_mean(&own), 1.0);
		within += weighed_variance(&own) /
			  (weighed_mean(&own) * weighed_mean(&own) * (double)l->workers);
	}
	e->mean = weighed_mean(&all);
	e->cv = sqrt(weighed_variance(&all)) / e->mean;
	e->within_cv = sqrt(within);
	e->static_cv = spread_of_means(&means, e->within_cv, (double)l->steps);
}

double *fit_weights(const struct steplog *l)
{
	double *weight = xcalloc(l->steps, sizeof(*weight)), sum = 0.0;

	for (size_t k = 1; k < l->steps; k++) {
		weight[k] = fit_step(l, k - 1);
		sum += weight[k];
	}
	for (size_t k = 1; k < l->steps; k++)
		weight[k] *= (double)l->steps / sum;
	return weight;
}

struct estimates fit_moments_over_time(const struct steplog *l)
{
	struct estimates e = { 0 };
	scoped double *weight = fit_weights(l);

	estimate_moments(l, weight, &e);
	return e;
}

/* ---- fast and slow ---- */

double *fit_clock(const struct steplog *l)
{
	double *clock;

	if (!l->least)
		return NULL;
	clock = xcalloc(l->steps, sizeof(*clock));
	for (size_t k = 0; k < l->steps; k++)
		clock[k] = fit_step(l, k);
	return clock;
}

struct lengths {                /* of the steps in a state */
	const double *seconds;
	double *weight;         /* owned */
	size_t n;
};

/* All steps on the clock where there is one; else all are alike. */
static struct lengths lengths_of(const struct chain *c, const double *clock, const double *seconds,
				 bool slow)
{
	struct lengths t = { clock ? clock : seconds, NULL, clock ? c->steps : 1 };

	t.weight = xcalloc(t.n, sizeof(*t.weight));
	for (size_t i = 0; i < c->workers * c->steps; i++)
		t.weight[clock ? i % c->steps : 0] += slow ? c->slow[i] : 1.0 - c->slow[i];
	return t;
}

/* Mean of 1 - e^(-r t) over these steps. */
static double lengths_part(const struct lengths *t, double r)
{
	double sum = 0.0, weight = 0.0;

	for (size_t k = 0; k < t->n; k++) {
		sum += t->weight[k] * -expm1(-r * t->seconds[k]);
		weight += t->weight[k];
	}
	return sum / weight;
}

/*
 * From probabilities a step to mean times, with steps of length t_f and t_s:
 * to_slow = s (1 - e^(-r t_f)), to_fast = (1 - s) (1 - e^(-r t_s)), fast_s = 1 / (r s), slow_s =
 * 1 / (r (1 - s)). The sum of to_slow / (1 - e^(-r t_f)) and to_fast / (1 - e^(-r t_s)) falls
 * in r and is 1. From r = 10 / t_f on, a step tells nothing of the next one (e^-10 of it), and a
 * log nothing of r; simulating shorter phases only takes time.
 */
static void estimate_times(const struct chain *c, const double *clock, struct estimates *e)
{
	const double own[2] = { e->base, e->base * e->factor };
	struct lengths fast = lengths_of(c, clock, &own[0], false);
	struct lengths slow = lengths_of(c, clock, &own[1], true);
	double low = 1e-12 / own[0], high = 10.0 / own[0], share;

	for (int i = 0; i < 60; i++) {
		const double r = sqrt(low * high);

		if (c->to_slow / lengths_part(&fast, r) + c->to_fast / lengths_part(&slow, r) > 1.0)
			low = r;
		else
			high = r;
	}
	share = fmin(fmax(c->to_slow / lengths_part(&fast, low), 1e-9), 1.0 - 1e-9);
	e->fast_s = 1.0 / (low * share);
	e->slow_s = 1.0 / (low * (1.0 - share));
	free_all(fast.weight, slow.weight);
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
	e->base_static_cv = spread_of_means(&means, e->noise_cv, steps / means.weight);
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
	/* without a base no worker was fast for long enough to tell what is slow */
	e->slow = e->base > 0.0 && slow.weight >= FEWEST_STEPS && e->factor >= LEAST_FACTOR;
}

/* ---- whole phases ---- */

struct phase_sums {
	struct weighed length, depth;   /* logarithms of seconds; depths */
	double noise;                   /* what noise adds to the depths' variance, summed */
};

/* Steps from `from` to before `to` of a worker are slow, with fast ones before and after. */
static void phase_add(struct phase_sums *s, const double *seconds, const double *clock,
		      size_t from, size_t to, double fast, double noise_cv)
{
	double length = 0.0, sum = 0.0, factor, depth;

	for (size_t k = from; k < to; k++) {
		length += clock ? clock[k] : seconds[k];
		sum += seconds[k];
	}
	factor = sum / fast / (double)(to - from);
	depth = factor - 1.0;
	if (!(depth > 0.0))
		return;
	weighed_add(&s->length, log(length), 1.0);
	weighed_add(&s->depth, depth, 1.0);
	s->noise += noise_cv * noise_cv * factor * factor / (double)(to - from);
}

static void estimate_phases(const struct steplog *l, const struct chain *c, const double *clock,
			    const struct weighed *own, struct estimates *e)
{
	struct phase_sums s = { 0 };

	for (size_t w = 0; w < l->workers; w++) {
		const double *slow = c->slow + w * l->steps, *seconds = l->seconds + w * l->steps;
		const double fast = fast_seconds(&own[w], e);
		size_t from = 0;

		for (size_t k = 1; k < l->steps; k++) {
			const bool now = slow[k] > 0.5, before = slow[k - 1] > 0.5;

			if (now && !before)
				from = k;
			else if (before && !now && from > 0)
				phase_add(&s, seconds, clock, from, k, fast, e->noise_cv);
		}
	}
	e->phases = (size_t)s.length.weight;
	if (e->phases == 0)
		return;
	e->slow_cv = cv_of_logs(weighed_variance(&s.length));
	e->depth = weighed_mean(&s.depth);
	e->depth_cv = sqrt(fmax(weighed_variance(&s.depth) - s.noise / s.length.weight, 0.0)) /
		      e->depth;
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
	scoped_by(chain_release) struct chain c = chain_fit(l);
	struct weighed *own = xcalloc(l->workers, sizeof(*own));
	double *clock = fit_clock(l);

	estimate_moments(l, NULL, &e);
	e.step = clock ? fit_mean(clock, l->steps) : e.mean;
	if (isfinite(c.likelihood)) {
		/* each worker's seconds, weighed by their probability of being fast */
		for (size_t i = 0; i < l->workers * l->steps; i++)
			weighed_add(&own[i / l->steps], l->seconds[i], 1.0 - c.slow[i]);
		estimate_base(l, own, &e);
		estimate_factor(l, &c, own, &e);
	}
	if (e.slow) {
		estimate_times(&c, clock, &e);
		estimate_phases(l, &c, clock, own, &e);
		estimate_variances(l, own, &e);
	}
	free_all(clock, own);
	return e;
}

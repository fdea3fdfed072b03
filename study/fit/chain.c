/*
 * chain.c - which steps of a log are slow: a hidden Markov model of two states.
 *
 * Baum, Petrie, Soules, Weiss 1970: expectation by the forward and backward recursions, scaled at
 * every step; maximisation in closed form, the levels before the depth.
 */
#include "study/fit/fit.h"

#include "core/base/mem.h"
#include "core/math/median.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIAL_ROUNDS = 12, MOST_ROUNDS = 200 };

static const double LEAST_VARIANCE = 1e-10, LEAST_CHANCE = 1e-9;

struct chain_sums {             /* of an expectation */
	double from[2], change[2];      /* steps with a next one; and with one in the other state */
	double weight[2];               /* steps in a state */
};

struct chain_work {
	double *y;              /* [workers][steps] ln seconds */
	double *forward;        /* [steps][2] */
	double *density;        /* [steps][2], the larger is 1 */
};

/* ---- expectation ---- */

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

/* ---- maximisation ---- */

static void chain_set_level(struct chain *c, const double *y, size_t i)
{
	const double *slow = c->slow + i * c->steps;
	double sum = 0.0, weight = 0.0;

	for (size_t k = 0; k < c->steps; k++) {
		const double fast = (1.0 - slow[k]) / c->variance[0];
		const double other = slow[k] / c->variance[1];

		sum += fast * y[k] + other * (y[k] - c->depth);
		weight += fast + other;
	}
	c->level[i] = sum / weight;
}

static void chain_set_depth(struct chain *c, const double *y, double slow_steps)
{
	double sum = 0.0;

	for (size_t i = 0; i < c->workers; i++)
		for (size_t k = 0; k < c->steps; k++)
			sum += c->slow[i * c->steps + k] * (y[i * c->steps + k] - c->level[i]);
	c->depth = sum / slow_steps;
}

static void chain_set_variances(struct chain *c, const double *y, const double weight[2])
{
	double sum[2] = { 0.0, 0.0 };

	for (size_t i = 0; i < c->workers; i++)
		for (size_t k = 0; k < c->steps; k++) {
			const double slow = c->slow[i * c->steps + k];
			const double r = y[i * c->steps + k] - c->level[i];

			sum[0] += (1.0 - slow) * r * r;
			sum[1] += slow * (r - c->depth) * (r - c->depth);
		}
	for (int s = 0; s < 2; s++)
		c->variance[s] = fmax(sum[s] / weight[s], LEAST_VARIANCE);
}

static double chance(double changes, double steps)
{
	return fmin(fmax(changes / steps, LEAST_CHANCE), 1.0 - LEAST_CHANCE);
}

/* False where one of the states has lost all its steps, or a slow one is not slow. */
static bool chain_maximise(struct chain *c, const double *y, const struct chain_sums *sums)
{
	if (!(sums->weight[0] > 1.0 && sums->weight[1] > 1.0 && sums->from[0] > 0.0 &&
	      sums->from[1] > 0.0))
		return false;
	c->to_slow = chance(sums->change[0], sums->from[0]);
	c->to_fast = chance(sums->change[1], sums->from[1]);
	for (size_t i = 0; i < c->workers; i++)
		chain_set_level(c, y + i * c->steps, i);
	chain_set_depth(c, y, sums->weight[1]);
	chain_set_variances(c, y, sums->weight);
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

/* ---- starts ---- */

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

static struct chain_work chain_work_new(const struct steplog *l)
{
	const size_t n = l->workers * l->steps;
	struct chain_work w = { xcalloc(n, sizeof(double)), xcalloc(2 * l->steps, sizeof(double)),
				xcalloc(2 * l->steps, sizeof(double)) };

	for (size_t i = 0; i < n; i++)
		w.y[i] = log(l->seconds[i]);
	return w;
}

struct chain chain_fit(const struct steplog *l)
{
	static const double quantiles[] = { 0.5, 0.2 }, depths[] = { 0.1, 0.4, 1.2 };
	struct chain_work w = chain_work_new(l);
	struct chain best = chain_new(l);

	for (int i = 0; i < 6; i++) {
		struct chain c = chain_new(l);

		chain_begin(&c, &w, quantiles[i / 3], depths[i % 3]);
		if (chain_climb(&c, &w, TRIAL_ROUNDS) && c.likelihood > best.likelihood) {
			chain_release(&best);
			best = c;
		} else {
			chain_release(&c);
		}
	}
	if (isfinite(best.likelihood) && !chain_climb(&best, &w, MOST_ROUNDS))
		best.likelihood = -HUGE_VAL;
	free(w.y);
	free(w.forward);
	free(w.density);
	return best;
}

void chain_release(struct chain *c)
{
	free(c->level);
	free(c->slow);
	*c = (struct chain){ 0 };
}

/* together.c - whether ranks are slow at the same time: all of them, or those of each node. */
#include "study/fit/fit.h"

#include "core/base/mem.h"
#include "core/math/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A smaller correlation changes the time of an all-reduce by a few percent. */
static const double LEAST_CORRELATION = 0.2;

/* Logs whose ranks but the first are shifted in time, each by a random number of steps. */
enum { SHIFTED_LOGS = 99 };

/* Pairs of ranks of a group, of all groups of that size; the last one may have fewer ranks. */
static double pairs_of(size_t workers, size_t size)
{
	const size_t rest = workers % size;

	return 0.5 * (double)((workers - rest) * (size - 1) + (rest ? rest * (rest - 1) : 0));
}

/*
 * Sum of x_i(k) x_j(k + lag) over the pairs of ranks of a group of that size, i and j in any order,
 * and over steps: from the square of a group's total, less the squares of its ranks. x[w][k].
 */
static double pairs_product(const double *x, size_t workers, size_t steps, size_t size, size_t lag)
{
	double *sum = xcalloc(steps, sizeof(*sum)), all = 0.0;

	for (size_t w = 0; w < workers; w++) {
		const double *own = x + w * steps;

		for (size_t k = 0; k < steps; k++)
			sum[k] = (w % size ? sum[k] : 0.0) + own[k];
		for (size_t k = 0; k + lag < steps; k++) {
			all -= own[k] * own[k + lag];
			if (w % size == size - 1 || w == workers - 1)
				all += sum[k] * sum[k + lag];
		}
	}
	free(sum);
	return 0.5 * all;
}

/* out[n] <- v less its mean, divided by its deviation; 0 where all are equal. */
static void standardise(const double *v, size_t n, double *out)
{
	static const double least = 1e-9;       /* a smaller deviation of logarithms is rounding */
	const double mean = fit_mean(v, n);
	double square = 0.0, scale;

	for (size_t k = 0; k < n; k++)
		square += (v[k] - mean) * (v[k] - mean);
	scale = sqrt(square / (double)n);
	for (size_t k = 0; k < n; k++)
		out[k] = scale > least ? (v[k] - mean) / scale : 0.0;
}

/*
 * The size of groups whose ranks are the most surely correlated. Without any correlation, the mean
 * of n pairs has a deviation in proportion to 1 / sqrt(n): *score <- the mean times sqrt(n). So of
 * equal correlations that of the most pairs is chosen.
 */
static size_t groups_find(const double *z, size_t workers, size_t steps, double *score)
{
	size_t best = 0;

	*score = 0.0;
	for (size_t size = 2; size <= workers; size++) {
		double own;

		if (workers % size)
			continue;
		own = pairs_product(z, workers, steps, size, 0) /
		      ((double)steps * sqrt(pairs_of(workers, size)));
		if (own > *score) {
			*score = own;
			best = size;
		}
	}
	return best;
}

/* The largest score of logs whose ranks are shifted: slow phases stay, but at other times. */
static double groups_by_chance(const double *z, size_t workers, size_t steps)
{
	double *shifted = xcalloc(workers * steps, sizeof(*shifted)), most = 0.0;

	for (uint64_t i = 0; i < SHIFTED_LOGS; i++) {
		struct rng r;
		double score;

		rng_at(&r, 0, RNG_DELAY, 0, i);
		for (size_t w = 0; w < workers; w++) {
			const double *from = z + w * steps;
			double *to = shifted + w * steps;
			/* not all by as much as the first one: that would be the log again */
			const size_t by = w ? 1 + (size_t)rng_below(&r, steps - 1) : 0;

			memcpy(to, from + by, (steps - by) * sizeof(*to));
			memcpy(to + (steps - by), from, by * sizeof(*to));
		}
		groups_find(shifted, workers, steps, &score);
		most = fmax(most, score);
	}
	free(shifted);
	return most;
}

struct fit_together fit_together(const struct steplog *l)
{
	const size_t n = l->workers * l->steps;
	scoped double *z = xcalloc(n, sizeof(*z)), *logs = xcalloc(l->steps, sizeof(*logs));
	struct fit_together t = { 0 };
	double score;

	for (size_t w = 0; w < l->workers; w++) {
		for (size_t k = 0; k < l->steps; k++)
			logs[k] = log(l->seconds[w * l->steps + k]);
		standardise(logs, l->steps, z + w * l->steps);
	}
	t.size = groups_find(z, l->workers, l->steps, &score);
	if (t.size) {
		const double root = sqrt(pairs_of(l->workers, t.size));

		t.correlation = score / root;
		t.chance = groups_by_chance(z, l->workers, l->steps) / root;
		t.is = t.correlation > t.chance && t.correlation >= LEAST_CORRELATION;
	}
	if (t.is)
		fit_racks(l, &t);
	return t;
}

char *together_words(const struct fit_together *t, size_t workers)
{
	char *groups, *text;

	if (!t->is)
		return NULL;
	groups = t->size == workers ? xstrdup("")
				    : xasprintf(" in groups of %zu (0 to %zu, and so on)", t->size,
						t->size - 1);
	text = xasprintf("The ranks are slow together%s: the mean correlation of two of them is "
			 "%.2g (by chance at most %.2g). Times that include communication look so, "
			 "too.", groups, t->correlation, t->chance);
	free(groups);
	return text;
}

/* ---- the model `rack` ---- */

/*
 * A factor that holds for a time has more steps when it is small: its deviation is one over time.
 * Of the products of a step's two factors, and of those of a step and the next one, the sums
 * differ by one variance for each draw.
 */
void fit_racks(const struct steplog *l, struct fit_together *t)
{
	const double pairs = pairs_of(l->workers, t->size), n = (double)l->steps;
	scoped double *x = xcalloc(l->workers * l->steps, sizeof(*x)), *weight = fit_weights(l);
	double seconds = 0.0, least = HUGE_VAL, same, next;

	for (size_t w = 0; w < l->workers; w++) {
		const double *v = l->seconds + w * l->steps;
		double mean = 0.0;

		for (size_t k = 0; k < l->steps; k++)
			mean += weight[k] * v[k] / n;
		for (size_t k = 0; k < l->steps; k++)
			x[w * l->steps + k] = v[k] / mean - 1.0;
	}
	for (size_t k = 0; k < l->steps; k++) {
		const double all = fit_step(l, k);

		seconds += all;
		least = fmin(least, all);
	}
	same = pairs_product(x, l->workers, l->steps, t->size, 0) / pairs;
	next = pairs_product(x, l->workers, l->steps, t->size, 1) / pairs;
	for (size_t i = 0; i < l->workers * l->steps; i++)
		x[i] *= sqrt(weight[i % l->steps]);
	t->cv = sqrt(fmax(pairs_product(x, l->workers, l->steps, t->size, 0) / (pairs * (n - 1.0)),
			  0.0));
	/* Where each step has another draw, any time shorter than a step says so. */
	t->every_s = next > 2.0 / sqrt(n) * same
			     ? seconds / fmin(fmax((same - next) / (t->cv * t->cv), 1.0), n)
			     : 0.5 * least;
	t->draws = fmin(seconds / t->every_s, n) * (double)l->workers / (double)t->size;
}

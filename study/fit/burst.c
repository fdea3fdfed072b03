/*
 * burst.c - bursts of slow steps in a log, which workers have more than their part of them, and
 * which become slow and stay so.
 */
#include "study/fit/fit.h"

#include "core/base/mem.h"
#include "core/math/median.h"

#include <math.h>
#include <stdlib.h>

/*
 * A step is far if it takes 1.1 times the worker's median, and more than three robust deviations of
 * the logarithms. One or two other steps do not end a burst.
 */
enum { FEWEST_BURST_STEPS = 3, MOST_GAP = 2 };

static const double LEAST_FAR = 1.1, FAR_DEVIATIONS = 3.0, DEVIATIONS_PER_MEDIAN = 1.4826;

/* Expected number of runs by chance in the whole log, of which a burst has less. */
static const double CHANCE_RUNS = 1e-3;

/* Probability that equal workers have bursts as unevenly distributed as these. */
static const double CHANCE_OWN = 0.05;

/* far[steps] <- of a worker's seconds; how many are. */
static size_t steps_far(const double *seconds, size_t steps, bool *far)
{
	double *sorted = xcalloc(steps, sizeof(*sorted)), median, most;
	size_t n = 0;

	for (size_t k = 0; k < steps; k++)
		sorted[k] = log(seconds[k]);
	median = median_of(sorted, steps);
	for (size_t k = 0; k < steps; k++)
		sorted[k] = fabs(log(seconds[k]) - median);
	most = fmax(FAR_DEVIATIONS * DEVIATIONS_PER_MEDIAN * median_of(sorted, steps),
		    log(LEAST_FAR));
	for (size_t k = 0; k < steps; k++) {
		far[k] = log(seconds[k]) - median > most;
		n += far[k];
	}
	free(sorted);
	return n;
}

static void burst_add(struct burst_list *b, struct burst one)
{
	b->v = xgrown(b->v, b->n, sizeof(*b->v));
	b->v[b->n++] = one;
}

struct burst_list bursts_find(const struct steplog *l)
{
	struct burst_list b = { 0 };
	scoped bool *far = xcalloc(l->steps, sizeof(*far));

	for (size_t w = 0; w < l->workers; w++) {
		const size_t n = steps_far(l->seconds + w * l->steps, l->steps, far);
		const double share = (double)n / (double)l->steps;
		size_t k = 0;

		while (k < l->steps) {
			struct burst one = { w, k, k };
			size_t steps = 0;

			while (k < l->steps && k - one.to <= MOST_GAP && (far[k] || steps)) {
				if (far[k]) {
					steps++;
					one.to = k + 1;
				}
				k++;
			}
			/* independent steps have about that many runs of this length */
			if (steps >= FEWEST_BURST_STEPS &&
			    (double)(l->workers * l->steps) * pow(share, (double)steps) <
				    CHANCE_RUNS)
				burst_add(&b, one);
			k = steps ? one.to : k + 1;
		}
	}
	return b;
}

/* P(X >= k) of a binomial X of n draws with probability p. */
static double binomial_tail(size_t n, size_t k, double p)
{
	double sum = 0.0;

	for (size_t i = k; i <= n; i++)
		sum += exp(lgamma((double)n + 1.0) - lgamma((double)i + 1.0) -
			   lgamma((double)(n - i) + 1.0) + (double)i * log(p) +
			   (double)(n - i) * log1p(-p));
	return sum;
}

void bursts_own(const struct burst_list *b, size_t workers, bool *own)
{
	scoped size_t *count = xcalloc(workers, sizeof(*count));

	for (size_t i = 0; i < b->n; i++)
		count[b->v[i].worker]++;
	for (size_t w = 0; w < workers; w++)
		own[w] = workers > 1 && count[w] > 1 &&
			 (double)workers * binomial_tail(b->n, count[w], 1.0 / (double)workers) <=
				 CHANCE_OWN;
}

/* ---- slow to the end ---- */

/* Fewest steps, and share of the log, before and after the change; share on its wrong side. */
enum { FEWEST_LASTING_STEPS = 10 };

static const double LEAST_SHARE = 0.1, LEAST_LASTING = 1.1, MOST_WRONG = 0.1;

/* *after <- the step at which means before and after differ most; their difference; 0: none. */
static double lasting_find(const double *x, size_t steps, size_t *after)
{
	const double n = (double)steps, least = fmax(FEWEST_LASTING_STEPS, LEAST_SHARE * n);
	double all = 0.0, sum = 0.0, most = 0.0, jump = 0.0, middle = 0.0, wrong[2] = { 0.0, 0.0 };

	for (size_t k = 0; k < steps; k++)
		all += x[k];
	for (size_t k = 0; k + 1 < steps; k++) {
		const double before = (double)k + 1.0, rest = n - before;
		double own;

		sum += x[k];
		own = (all - sum) / rest - sum / before;
		if (before < least || rest < least || own * sqrt(before * rest) <= most)
			continue;
		most = own * sqrt(before * rest);
		middle = sum / before + 0.5 * own;
		jump = own;
		*after = k + 1;
	}
	for (size_t k = 0; k < steps && most > 0.0; k++)
		wrong[k >= *after] += (x[k] > middle) != (k >= *after);
	return jump > log(LEAST_LASTING) && wrong[0] <= MOST_WRONG * (double)*after &&
	       wrong[1] <= MOST_WRONG * (n - (double)*after) ? jump : 0.0;
}

char *lasting_words(const struct steplog *l, const struct outliers *o)
{
	double *usual = xcalloc(l->steps, sizeof(*usual)), *x = xcalloc(l->steps, sizeof(*x));
	double *step = xcalloc(l->workers, sizeof(*step)), jump;
	struct burst_list bursts = bursts_find(l);
	bool none = l->workers < FIT_FEWEST_RANKS;
	char *text = NULL;
	size_t after = 0, next = 0;

	/* where bursts end, one at the end of the log may be one of them */
	for (size_t i = 0; i < bursts.n; i++)
		none |= bursts.v[i].to + MOST_GAP < l->steps;
	for (size_t k = 0; k < l->steps; k++) {
		for (size_t w = 0; w < l->workers; w++)
			step[w] = l->seconds[w * l->steps + k];
		usual[k] = median_of(step, l->workers);
	}
	for (size_t w = 0; w < l->workers && !none; w++) {
		if (next < o->n && o->v[next].worker == w) {
			next++;
			continue;
		}
		for (size_t k = 0; k < l->steps; k++)
			x[k] = log(l->seconds[w * l->steps + k] / usual[k]);
		jump = lasting_find(x, l->steps, &after);
		if (jump > 0.0)
			xappendf(&text, "; ", "rank %zu becomes slow after %zu of %zu steps, %.3g "
				 "times, and stays so", w, after, l->steps, exp(jump));
	}
	free_all(bursts.v, usual, step, x);
	return text;
}

/* compare.c - a log, and runs of a model with its workers and steps, in three numbers. */
#include "study/fit/fit.h"

#include "core/base/mem.h"
#include "core/math/median.h"
#include "delays/delay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A smaller coefficient of variation is rounding. */
static const double LEAST_CV = 1e-12;

/* ---- the numbers of a log ---- */

double fit_mean(const double *v, size_t n)
{
	double sum = 0.0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return sum / (double)n;
}

/* Around each worker's own mean, all workers together. */
static double lag1_of(const struct steplog *l)
{
	const size_t n = l->workers * l->steps;
	const double least = LEAST_CV * fit_mean(l->seconds, n);
	double product = 0.0, square = 0.0;

	for (size_t w = 0; w < l->workers; w++) {
		const double *v = l->seconds + w * l->steps, mean = fit_mean(v, l->steps);

		for (size_t k = 0; k < l->steps; k++) {
			square += (v[k] - mean) * (v[k] - mean);
			if (k > 0)
				product += (v[k] - mean) * (v[k - 1] - mean);
		}
	}
	return square > least * least * (double)n ? product / square : 0.0;
}

/* The coefficient of variation of the workers' means. */
static double spread_between(const struct steplog *l)
{
	const double all = fit_mean(l->seconds, l->workers * l->steps);
	double square = 0.0;

	for (size_t w = 0; w < l->workers; w++) {
		const double d = fit_mean(l->seconds + w * l->steps, l->steps) / all - 1.0;

		square += d * d;
	}
	return l->workers > 1 ? sqrt(square / (double)(l->workers - 1)) : 0.0;
}

struct fit_numbers fit_numbers(const struct steplog *l)
{
	const size_t n = l->workers * l->steps;
	struct fit_numbers own = { lag1_of(l), spread_between(l),
				   xcalloc(FIT_QUANTILES, sizeof(double)) };
	double *sorted = xcalloc(n, sizeof(*sorted));

	memcpy(sorted, l->seconds, n * sizeof(*sorted));
	sort_doubles(sorted, n);
	for (size_t i = 0; i < FIT_QUANTILES; i++)
		own.quantile[i] = sorted[(size_t)(((double)i + 0.5) / FIT_QUANTILES * (double)n)];
	free(sorted);
	return own;
}

/* ---- runs of the model ---- */

int fit_simulate(const struct fit_model *m, size_t workers, size_t steps, uint64_t seed,
		 struct steplog *l)
{
	struct delays *d = delays_new(delay_table, m->delay, (int)workers, NULL);

	*l = (struct steplog){ 0 };
	if (!d)
		return -1;
	*l = (struct steplog){ workers, steps, xcalloc(workers * steps, sizeof(double)) };
	for (size_t w = 0; w < workers; w++) {
		double time = 0.0;

		for (size_t k = 0; k < steps; k++) {
			double *seconds = &l->seconds[w * steps + k];

			*seconds = m->compute_s *
				   delays_factor(d, seed, (int)w, (int64_t)k, time);
			time += *seconds;
		}
	}
	delays_free(d);
	return 0;
}

double fit_ks(const double *a, size_t n, const double *b, size_t m)
{
	double most = 0.0;
	size_t i = 0, k = 0;

	while (i < n && k < m) {
		const double x = fmin(a[i], b[k]);

		while (i < n && a[i] <= x)
			i++;
		while (k < m && b[k] <= x)
			k++;
		most = fmax(most, fabs((double)i / (double)n - (double)k / (double)m));
	}
	return most;
}

static struct fit_range range_of(double *v)
{
	sort_doubles(v, FIT_RUNS);
	return (struct fit_range){ v[0], v[FIT_RUNS / 2], v[FIT_RUNS - 1] };
}

static void compare_quantiles(const struct fit_numbers run[FIT_RUNS], struct comparison *c)
{
	double v[FIT_RUNS];

	c->quantile = xcalloc(FIT_QUANTILES, sizeof(*c->quantile));
	for (size_t i = 0; i < FIT_QUANTILES; i++) {
		for (size_t r = 0; r < FIT_RUNS; r++)
			v[r] = run[r].quantile[i];
		c->quantile[i] = range_of(v);
	}
}

static void compare_ks(const struct fit_numbers *own, const struct fit_numbers run[FIT_RUNS],
		       struct comparison *c)
{
	const size_t n = (size_t)FIT_RUNS * FIT_QUANTILES;
	double *all = xcalloc(n, sizeof(*all));

	for (size_t r = 0; r < FIT_RUNS; r++)
		memcpy(all + r * FIT_QUANTILES, run[r].quantile, FIT_QUANTILES * sizeof(*all));
	sort_doubles(all, n);
	/* the middle of every FIT_RUNS neighbours stands for them */
	for (size_t i = 0; i < FIT_QUANTILES; i++)
		all[i] = all[i * FIT_RUNS + FIT_RUNS / 2];
	c->ks = fit_ks(own->quantile, FIT_QUANTILES, all, FIT_QUANTILES);
	c->ks_most = 0.0;
	for (size_t r = 0; r < FIT_RUNS; r++)
		c->ks_most = fmax(c->ks_most,
				  fit_ks(run[r].quantile, FIT_QUANTILES, all, FIT_QUANTILES));
	free(all);
}

static bool fit_within(double x, const struct fit_range *r)
{
	return x >= r->low && x <= r->high;
}

static void compare_all(const struct fit_numbers *own, const struct fit_numbers run[FIT_RUNS],
			struct comparison *c)
{
	double lag1[FIT_RUNS], spread[FIT_RUNS];

	for (size_t r = 0; r < FIT_RUNS; r++) {
		lag1[r] = run[r].lag1;
		spread[r] = run[r].spread;
	}
	c->lag1 = range_of(lag1);
	c->spread = range_of(spread);
	compare_ks(own, run, c);
	compare_quantiles(run, c);
	c->fits = c->ks <= c->ks_most && fit_within(own->lag1, &c->lag1) &&
		  fit_within(own->spread, &c->spread);
}

int fit_compare(const struct steplog *l, const struct fit_numbers *own, const struct fit_model *m,
		uint64_t seed, struct comparison *c)
{
	struct fit_numbers run[FIT_RUNS] = { { 0 } };
	int ret = 0;

	*c = (struct comparison){ 0 };
	for (size_t r = 0; r < FIT_RUNS && ret == 0; r++) {
		struct steplog made;

		ret = fit_simulate(m, l->workers, l->steps, seed + r, &made);
		if (ret == 0)
			run[r] = fit_numbers(&made);
		steplog_release(&made);
	}
	if (ret == 0)
		compare_all(own, run, c);
	for (size_t r = 0; r < FIT_RUNS; r++)
		free(run[r].quantile);
	return ret;
}

void comparison_release(struct comparison *c)
{
	free(c->quantile);
}

/* Both are between 0 and 2, and so is the third where workers are not far apart. */
static double distance_of(const struct fit_numbers *own, const struct comparison *c)
{
	return c->ks + fabs(own->lag1 - c->lag1.middle) + fabs(own->spread - c->spread.middle);
}

size_t fit_best(const struct fit_numbers *own, const struct comparison *c, size_t n)
{
	size_t best = 0;

	for (size_t i = 0; i < n; i++)
		if (c[i].fits)
			return i;
	for (size_t i = 1; i < n; i++)
		if (distance_of(own, &c[i]) < distance_of(own, &c[best]))
			best = i;
	return best;
}

/*
 * outliers.c - workers of a log that are far from the others: machines with a factor of their own,
 * or with slow phases of their own.
 *
 * A law of many machines says nothing of such a worker, and it would make that law wide. A machine
 * with a factor is slow in its fastest steps, too; one with phases is not.
 */
#include "study/fit/fit.h"

#include "core/base/mem.h"
#include "core/math/median.h"
#include "core/text/opt_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Of logs whose workers' means are all of one normal law, 8 robust deviations are passed in one of
 * 90 with 8 workers, and in one of 35 with 4; with 3 in one of 8. Machines of the preset `shared`
 * differ by 5 %, and the bad ones of `bad-node` by 10 %.
 */
enum { FEWEST_WORKERS = 4, MOST_DEVIATIONS = 8, PARTS = 4 };

static const double LEAST_DIFFERENCE = 0.05;

/* Between phases a worker is as fast as others; a phase may take nearly all of a log. */
static const double FAST_STEPS = 0.05;

/* A robust deviation: 1.4826 times the median of the distances is that of a normal law. */
static const double DEVIATIONS_PER_MEDIAN = 1.4826;

static double worker_mean(const struct steplog *l, size_t w, size_t from, size_t to)
{
	double sum = 0.0;

	for (size_t k = from; k < to; k++)
		sum += l->seconds[w * l->steps + k];
	return sum / (double)(to - from);
}

/* mean[w] <- of steps from `from` to before `to`; the median of these. */
static double worker_means(const struct steplog *l, size_t from, size_t to, double *mean)
{
	double *sorted = xcalloc(l->workers, sizeof(*sorted)), median;

	for (size_t w = 0; w < l->workers; w++)
		sorted[w] = mean[w] = worker_mean(l, w, from, to);
	median = median_of(sorted, l->workers);
	free(sorted);
	return median;
}

/* far[w] += 1 for a worker whose value is too large, -1 for one whose value is too small. */
static void outliers_count(const double *value, size_t n, int *far)
{
	double *sorted = xcalloc(n, sizeof(*sorted)), median, most;

	memcpy(sorted, value, n * sizeof(*sorted));
	median = median_of(sorted, n);
	for (size_t w = 0; w < n; w++)
		sorted[w] = fabs(value[w] - median);
	most = fmax(MOST_DEVIATIONS * DEVIATIONS_PER_MEDIAN * median_of(sorted, n),
		    LEAST_DIFFERENCE * median);
	for (size_t w = 0; w < n; w++)
		if (fabs(value[w] - median) > most)
			far[w] += value[w] > median ? 1 : -1;
	free(sorted);
}

/* Workers that are far in the mean of each part of the log: a slow phase alone is none. */
static void outliers_count_parts(const struct steplog *l, int *far)
{
	double *mean = xcalloc(l->workers, sizeof(*mean));

	for (size_t p = 0; p < PARTS; p++) {
		worker_means(l, p * l->steps / PARTS, (p + 1) * l->steps / PARTS, mean);
		outliers_count(mean, l->workers, far);
	}
	free(mean);
}

/* Workers whose fast steps are far from those of the others. */
static void outliers_count_fast(const struct steplog *l, int *far)
{
	double *fast = xcalloc(l->workers, sizeof(*fast));
	double *sorted = xcalloc(l->steps, sizeof(*sorted));

	for (size_t w = 0; w < l->workers; w++) {
		memcpy(sorted, l->seconds + w * l->steps, l->steps * sizeof(*sorted));
		sort_doubles(sorted, l->steps);
		fast[w] = sorted[(size_t)(FAST_STEPS * (double)l->steps)];
	}
	outliers_count(fast, l->workers, far);
	free(sorted);
	free(fast);
}

/* Four digits: more were not measured. */
static double outlier_factor(double mean, double usual)
{
	char text[32];

	snprintf(text, sizeof(text), "%.4g", mean / usual);
	return strtod(text, NULL);
}

/* Adds a worker, unless it has neither a factor nor phases. */
static void outliers_add(struct outliers *o, const struct steplog *l, struct outlier one)
{
	if (one.phases) {
		const struct steplog own = { 1, l->steps, l->seconds + one.worker * l->steps };

		one.of = estimate(&own);
		if (!one.of.slow)
			return;
	}
	o->v[o->n++] = one;
}

struct outliers fit_outliers(const struct steplog *l)
{
	struct outliers o = { xcalloc(l->workers, sizeof(*o.v)), 0 };
	int *far = xcalloc(l->workers, sizeof(*far)), *fast = xcalloc(l->workers, sizeof(*fast));
	double *mean = xcalloc(l->workers, sizeof(*mean));
	const double usual = worker_means(l, 0, l->steps, mean);

	if (l->workers >= FEWEST_WORKERS) {
		outliers_count_parts(l, far);
		outliers_count_fast(l, fast);
	}
	for (size_t w = 0; w < l->workers; w++)
		if (abs(far[w]) == PARTS)
			outliers_add(&o, l, (struct outlier){
				.worker = w, .seconds = mean[w],
				.factor = outlier_factor(mean[w], usual),
				.phases = far[w] != PARTS * fast[w] });
	free(far);
	free(fast);
	free(mean);
	return o;
}

struct steplog outliers_rest(const struct outliers *o, const struct steplog *l)
{
	struct steplog rest = { l->workers - o->n, l->steps,
				xcalloc(l->workers * l->steps, sizeof(double)) };
	size_t next = 0, to = 0;

	for (size_t w = 0; w < l->workers; w++) {
		if (next < o->n && o->v[next].worker == w) {
			next++;
			continue;
		}
		memcpy(rest.seconds + to++ * l->steps, l->seconds + w * l->steps,
		       l->steps * sizeof(double));
	}
	return rest;
}

char *outliers_slow(const struct outliers *o)
{
	char *text = xstrdup("");

	for (size_t i = 0; i < o->n; i++) {
		char *factor = double_text(o->v[i].factor);

		if (!o->v[i].phases)
			xappend_own(&text, "+", xasprintf("%zu:%s", o->v[i].worker, factor));
		free(factor);
	}
	return text;
}

/* All of a worker's delay, which replaces that of the others. */
static char *phases_clause(const struct outlier *one, double compute_s)
{
	const double base = one->of.base / compute_s;
	char *model = fit_markov_text(&one->of), *text;

	text = fabs(base - 1.0) < 0.01
		       ? xasprintf("%zu: %s", one->worker, model)
		       : xasprintf("%zu: %s * static:cv=0,bad=1,bad_factor=%.4g", one->worker,
				   model, base);
	free(model);
	return text;
}

char *outliers_clauses(const struct outliers *o, double compute_s, bool all)
{
	char *text = xstrdup("");

	for (size_t i = 0; i < o->n; i++) {
		const struct outlier *one = &o->v[i];
		char *factor = double_text(one->factor), *clause = NULL;

		if (one->phases)
			clause = phases_clause(one, compute_s);
		else if (all)
			clause = xasprintf("%zu: * static:cv=0,bad=1,bad_factor=%s", one->worker,
					   factor);
		if (clause)
			xappend_own(&text, "", xasprintf("; %s", clause));
		free(clause);
		free(factor);
	}
	return text;
}

/*
 * outliers.c - workers of a log that are far from the others: machines with a factor of their own.
 *
 * A law of many machines says nothing of such a worker, and it would make that law wide.
 */
#include "cmd/delay/fit.h"

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

/* far[w] += 1 for a worker that is too slow in these steps, -1 for one that is too fast. */
static void outliers_count(const struct steplog *l, size_t from, size_t to, int *far)
{
	double *mean = xcalloc(l->workers, sizeof(*mean));
	double *away = xcalloc(l->workers, sizeof(*away));
	const double median = worker_means(l, from, to, mean);
	double most;

	for (size_t w = 0; w < l->workers; w++)
		away[w] = fabs(mean[w] - median);
	most = fmax(MOST_DEVIATIONS * DEVIATIONS_PER_MEDIAN * median_of(away, l->workers),
		    LEAST_DIFFERENCE * median);
	for (size_t w = 0; w < l->workers; w++)
		if (fabs(mean[w] - median) > most)
			far[w] += mean[w] > median ? 1 : -1;
	free(mean);
	free(away);
}

/* Four digits: more were not measured. */
static double outlier_factor(double mean, double usual)
{
	char text[32];

	snprintf(text, sizeof(text), "%.4g", mean / usual);
	return strtod(text, NULL);
}

struct outliers fit_outliers(const struct steplog *l)
{
	struct outliers o = { xcalloc(l->workers, sizeof(*o.v)), 0 };
	int *far = xcalloc(l->workers, sizeof(*far));
	double *mean = xcalloc(l->workers, sizeof(*mean)), usual;

	usual = worker_means(l, 0, l->steps, mean);
	/* in every part of the log: a slow phase is none */
	for (size_t p = 0; p < PARTS && l->workers >= FEWEST_WORKERS; p++)
		outliers_count(l, p * l->steps / PARTS, (p + 1) * l->steps / PARTS, far);
	for (size_t w = 0; w < l->workers; w++)
		if (abs(far[w]) == PARTS)
			o.v[o.n++] = (struct outlier){ w, mean[w],
						     outlier_factor(mean[w], usual) };
	free(far);
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

		xappend_own(&text, "+", xasprintf("%zu:%s", o->v[i].worker, factor));
		free(factor);
	}
	return text;
}

char *outliers_delay(const struct outliers *o, const char *delay)
{
	char *text = xstrdup(delay);

	for (size_t i = 0; i < o->n; i++) {
		char *factor = double_text(o->v[i].factor);

		xappend_own(&text, "; ", xasprintf("%zu: * static:cv=0,bad=1,bad_factor=%s",
						   o->v[i].worker, factor));
		free(factor);
	}
	return text;
}

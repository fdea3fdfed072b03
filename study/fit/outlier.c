/* outlier.c - workers that are far from the others, throughout a log or in bursts. */
#include "study/fit/fit.h"

#include "core/base/mem.h"
#include "core/math/median.h"
#include "core/text/opt_text.h"
#include "core/text/word.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A law of many machines says nothing of a worker with a factor of its own, or with slow phases of
 * its own, and it would make that law wide. A machine with a factor is slow in its fastest steps,
 * too; one with phases is not.
 */

/*
 * Among logs whose workers' means are all of one normal law, 8 robust deviations are passed in
 * one of 90 with 8 workers, and in one of 35 with 4; with 3 in one of 8. Machines of the preset
 * `shared` differ by 5 %, and the bad ones of `bad-node` by 10 %.
 */
enum { MOST_DEVIATIONS = 8, LOG_PARTS = 4 };

static const double LEAST_DIFFERENCE = 0.05;

/* Between phases a worker is as fast as others; a phase may take nearly all of a log. */
static const double FAST_STEPS = 0.05;

/* A robust deviation: 1.4826 times the median of the distances is that of a normal law. */
static const double DEVIATIONS_PER_MEDIAN = 1.4826;

/* mean[w] <- of steps from `from` to before `to`. */
static void worker_means(const struct steplog *l, size_t from, size_t to, double *mean)
{
	for (size_t w = 0; w < l->workers; w++) {
		double sum = 0.0;

		for (size_t k = from; k < to; k++)
			sum += l->seconds[w * l->steps + k];
		mean[w] = sum / (double)(to - from);
	}
}

/* The values stay in their order. */
static double outliers_median(const double *value, size_t n)
{
	scoped double *sorted = fit_copy(value, n);

	return median_of(sorted, n);
}

/* far[w] += 1 for a worker whose value is too large, -1 for one whose value is too small. */
static void outliers_count(const double *value, size_t n, int *far)
{
	const double median = outliers_median(value, n);
	double *distance = xcalloc(n, sizeof(*distance)), most;

	for (size_t w = 0; w < n; w++)
		distance[w] = fabs(value[w] - median);
	most = fmax(MOST_DEVIATIONS * DEVIATIONS_PER_MEDIAN * median_of(distance, n),
		    LEAST_DIFFERENCE * median);
	for (size_t w = 0; w < n; w++)
		if (fabs(value[w] - median) > most)
			far[w] += value[w] > median ? 1 : -1;
	free(distance);
}

/* ---- how far, and in how many bursts ---- */

/* Student's t of 19 degrees of freedom, 97.5 %: a mean of 20 parts of a log. */
enum { LEVEL_PARTS = 20 };

static const double LEVEL_T = 2.093;

/* Four digits: more were not measured. */
static double rounded(double factor)
{
	char text[32];

	snprintf(text, sizeof(text), "%.4g", factor);
	return strtod(text, NULL);
}

/* slow[steps] <- steps of a worker in its phases; counts the phases. */
static void outlier_count_bursts(struct outlier *o, const struct steplog *own, bool *slow)
{
	scoped_by(chain_release) struct chain c = chain_fit(own);

	for (size_t k = 0; k < own->steps; k++) {
		slow[k] = c.slow[k] > 0.5;
		o->burst_steps += slow[k];
		o->bursts += slow[k] && (k == 0 || !slow[k - 1]);
	}
}

/* Mean of a worker's steps that are not slow, from `from` to before `to`; NaN: all are. */
static double mean_between(const double *seconds, const bool *slow, size_t from, size_t to)
{
	double sum = 0.0, n = 0.0;

	for (size_t k = from; k < to; k++)
		if (!slow[k]) {
			sum += seconds[k];
			n++;
		}
	return sum / n;
}

/* Level and interval: from parts of the log, each divided by the median worker's mean in it. */
static void outlier_find_level(struct outlier *o, const struct steplog *l, const bool *slow)
{
	double *mean = xcalloc(l->workers, sizeof(*mean)), sum = 0.0, square = 0.0, n = 0.0;

	for (size_t p = 0; p < LEVEL_PARTS; p++) {
		const size_t from = p * l->steps / LEVEL_PARTS;
		const size_t to = (p + 1) * l->steps / LEVEL_PARTS;
		const double own = mean_between(l->seconds + o->worker * l->steps, slow, from, to);
		double usual;

		if (isnan(own))
			continue;
		worker_means(l, from, to, mean);
		usual = median_of(mean, l->workers);
		sum += own / usual;
		square += own / usual * own / usual;
		n++;
	}
	o->level = n > 0.0 ? sum / n : o->factor;
	o->low = o->high = o->level;
	if (n > 1.0) {
		const double half = LEVEL_T * sqrt(fmax(square / n - o->level * o->level, 0.0) /
						   (n - 1.0));

		o->low -= half;
		o->high += half;
	}
	free(mean);
}

static char *outlier_words(const struct outlier *o, size_t steps)
{
	const double share = 100.0 * (double)o->burst_steps / (double)steps;
	char *bursts = xasprintf("in %zu burst%s, %.2g %% of steps, %.3g times", o->bursts,
				 word_plural((double)o->bursts), share, o->of.factor);
	char *text, *level = xasprintf("rank %zu is %s throughout, %.3g times (%.3g to %.3g)",
				       o->worker, o->level < 1.0 ? "fast" : "slow", o->level,
				       o->low, o->high);

	if (o->throughout && o->phases)
		text = xasprintf("%s, and slower still %s that", level, bursts);
	else if (o->phases)
		text = xasprintf("rank %zu is slow %s", o->worker, bursts);
	else
		text = xstrdup(level);
	free_all(bursts, level);
	return text;
}

/* Ranks that follow each other and are slow or fast throughout by the same factor. */
static size_t outliers_alike(const struct outliers *o, size_t i)
{
	static const double close = 0.02;
	size_t n = 1;

	while (i + n < o->n && o->v[i].throughout && !o->v[i].phases && o->v[i + n].throughout &&
	       !o->v[i + n].phases && o->v[i + n].worker == o->v[i].worker + n &&
	       fabs(o->v[i + n].level / o->v[i].level - 1.0) < close)
		n++;
	return n;
}

char *outliers_words(const struct outliers *o, size_t i, size_t steps, size_t *n)
{
	const struct outlier *one = &o->v[i];

	*n = outliers_alike(o, i);
	if (*n == 1)
		return outlier_words(one, steps);
	return xasprintf("ranks %zu to %zu are %s throughout, %.3g times", one->worker,
			 one->worker + *n - 1, one->level < 1.0 ? "fast" : "slow", one->level);
}

/* ---- which ranks are slower, where none is far from the others ---- */

struct rank_mean {
	size_t rank;
	double mean;
};

static int by_mean(const void *a, const void *b)
{
	const struct rank_mean *x = a, *y = b;

	return (x->mean > y->mean) - (x->mean < y->mean);
}

/* "rank 3", "ranks 0, 8 to 15" of member[n]; the caller frees. */
static char *ranks_text(const bool *member, size_t n)
{
	char *text = NULL, *all;
	size_t count = 0;

	for (size_t w = 0; w < n; w++) {
		size_t end = w;

		if (!member[w])
			continue;
		while (end + 1 < n && member[end + 1])
			end++;
		count += end - w + 1;
		xappend_own(&text, ", ", end > w ? xasprintf("%zu to %zu", w, end)
						 : xasprintf("%zu", w));
		w = end;
	}
	all = xasprintf("rank%s %s", word_plural((double)count), text ? text : "");
	free(text);
	return all;
}

/* True when all slow ranks are slower than all others in each part of the log. */
static bool is_slower_throughout(const struct steplog *l, const bool *slow)
{
	scoped double *mean = xcalloc(l->workers, sizeof(*mean));
	bool is = true;

	for (size_t part = 0; part < LOG_PARTS; part++) {
		double least = HUGE_VAL, most = 0.0;

		worker_means(l, part * l->steps / LOG_PARTS, (part + 1) * l->steps / LOG_PARTS,
			     mean);
		for (size_t w = 0; w < l->workers; w++)
			if (slow[w])
				least = fmin(least, mean[w]);
			else
				most = fmax(most, mean[w]);
		is &= least > most;
	}
	return is;
}

char *slower_words(const struct steplog *l)
{
	static const double least = 0.01, most_of_range = 0.5;
	enum { DEVIATIONS = 5 };
	struct rank_mean *m = xcalloc(l->workers, sizeof(*m));
	double *mean = xcalloc(l->workers, sizeof(*mean)), within = 0.0, gap = 0.0, range;
	bool *slow = xcalloc(l->workers, sizeof(*slow));
	size_t split = 0;
	char *text = NULL;

	worker_means(l, 0, l->steps, mean);
	for (size_t w = 0; w < l->workers; w++) {
		m[w] = (struct rank_mean){ w, mean[w] };
		for (size_t k = 0; k < l->steps; k++)
			within += pow(l->seconds[w * l->steps + k] - mean[w], 2.0);
	}
	/* standard error of a mean */
	within = sqrt(within / (double)(l->workers * l->steps) / (double)l->steps);
	qsort(m, l->workers, sizeof(*m), by_mean);
	for (size_t i = 1; i < l->workers; i++)
		if (m[i].mean - m[i - 1].mean > gap) {
			gap = m[i].mean - m[i - 1].mean;
			split = i;
		}
	range = m[l->workers - 1].mean - m[0].mean;
	for (size_t i = split; i < l->workers; i++)
		slow[m[i].rank] = true;
	if (gap > most_of_range * range && gap > least * m[0].mean &&
	    gap > DEVIATIONS * within && is_slower_throughout(l, slow)) {
		scoped char *ranks = ranks_text(slow, l->workers);
		double sum[2] = { 0.0, 0.0 };

		for (size_t i = 0; i < l->workers; i++)
			sum[i >= split] += m[i].mean;
		text = xasprintf("%s %s slower than the other%s throughout, %.3g times", ranks,
				 l->workers - split > 1 ? "are" : "is", split > 1 ? "s" : "",
				 sum[1] / (double)(l->workers - split) / (sum[0] / (double)split));
	}
	free_all(slow, mean, m);
	return text;
}

/*
 * sign[w] <- 1 for a worker that is slower than the others in each part of the log, -1 for one that
 * is faster; *fast likewise for its fast steps. mean[w], usual: of all steps, and the median.
 */
static void outliers_far(const struct steplog *l, const double *mean, double usual, int *sign,
			 int *fast)
{
	double *part = xcalloc(l->workers, sizeof(*part)), usual_fast;
	double *sorted = xcalloc(l->steps, sizeof(*sorted));

	/* far in the mean of each part of the log: a slow phase alone is none */
	for (size_t p = 0; p < LOG_PARTS; p++) {
		worker_means(l, p * l->steps / LOG_PARTS, (p + 1) * l->steps / LOG_PARTS, part);
		outliers_count(part, l->workers, sign);
	}
	/* far in the fast steps */
	for (size_t w = 0; w < l->workers; w++) {
		sign[w] /= LOG_PARTS;
		memcpy(sorted, l->seconds + w * l->steps, l->steps * sizeof(*sorted));
		sort_doubles(sorted, l->steps);
		part[w] = sorted[(size_t)(FAST_STEPS * (double)l->steps)];
	}
	outliers_count(part, l->workers, fast);
	/* or nearer to those of a worker with its factor than to the others' */
	usual_fast = outliers_median(part, l->workers);
	for (size_t w = 0; w < l->workers; w++)
		if (sign[w] && log(part[w] / usual_fast) / log(mean[w] / usual) > 0.5)
			fast[w] = sign[w];
	free_all(part, sorted);
}

struct outliers fit_outliers(const struct steplog *l)
{
	struct outliers o = { xcalloc(l->workers, sizeof(*o.v)), 0 };
	int *sign = xcalloc(l->workers, sizeof(*sign)), *fast = xcalloc(l->workers, sizeof(*fast));
	bool *burst = xcalloc(l->workers, sizeof(*burst));
	double *mean = xcalloc(l->workers, sizeof(*mean)), *clock = fit_clock(l), usual;

	worker_means(l, 0, l->steps, mean);
	usual = outliers_median(mean, l->workers);
	if (l->workers >= FIT_FEWEST_RANKS) {
		struct burst_list bursts = bursts_find(l);

		outliers_far(l, mean, usual, sign, fast);
		bursts_own(&bursts, l->workers, burst);
		free(bursts.v);
	}
	for (size_t w = 0; w < l->workers; w++) {
		const bool throughout = sign[w] && sign[w] == fast[w];
		struct outlier one = { .worker = w, .seconds = mean[w], .throughout = throughout,
				       .factor = rounded(mean[w] / usual),
				       .phases = burst[w] || (sign[w] && !throughout) };
		const struct steplog own = { 1, l->steps, l->seconds + w * l->steps, clock };
		bool *slow;

		if (one.phases) {
			one.of = estimate(&own);
			one.phases = one.of.slow;
		}
		/* neither a factor nor phases */
		if (!one.phases && !throughout)
			continue;
		slow = xcalloc(l->steps, sizeof(*slow));
		if (one.phases)
			outlier_count_bursts(&one, &own, slow);
		outlier_find_level(&one, l, slow);
		one.throughout |= sign[w] > 0 && one.low > 1.0 &&
				  one.level > 1.0 + LEAST_DIFFERENCE;
		free(slow);
		o.v[o.n++] = one;
	}
	free_all(sign, fast, burst, mean, clock);
	return o;
}

struct steplog outliers_rest(const struct outliers *o, const struct steplog *l)
{
	struct steplog rest = { l->workers - o->n, l->steps,
				xcalloc(l->workers * l->steps, sizeof(double)),
				l->least ? fit_copy(l->least, l->steps) : NULL };
	size_t next = 0, to = 0;

	for (size_t w = 0; w < l->workers; w++) {
		if (next < o->n && o->v[next].worker == w) {
			for (size_t k = 0; k < l->steps && l->least; k++)
				rest.least[k] = fmax(rest.least[k], l->seconds[w * l->steps + k]);
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
		scoped char *factor = double_text(o->v[i].factor);

		if (!o->v[i].phases)
			xappendf(&text, "+", "%zu:%s", o->v[i].worker, factor);
	}
	return text;
}

char *outliers_clauses(const struct outliers *o, double compute_s, bool all)
{
	char *text = xstrdup("");

	for (size_t i = 0; i < o->n; i++) {
		const struct outlier *one = &o->v[i];
		const double base = one->of.base / compute_s;
		const struct fit_model markov = fit_markov(&one->of);
		scoped char *model = fit_model_text(&markov, false),
			    *factor = double_text(one->factor);

		/* all of a worker's delay, which replaces that of the others */
		if (one->phases && fabs(base - 1.0) < 0.01)
			xappendf(&text, "", "; %zu: %s", one->worker, model);
		else if (one->phases)
			xappendf(&text, "", "; %zu: %s * static:cv=0,bad=1,bad_factor=%.4g",
				 one->worker, model, base);
		else if (all)
			xappendf(&text, "", "; %zu: * static:cv=0,bad=1,bad_factor=%s", one->worker,
				 factor);
	}
	return text;
}

/*
 * compare.c - the models that a log is compared with, and runs of each with the log's workers and
 * steps; workers that are far from the others; how far parameters are known.
 */
#include "study/fit/fit.h"

#include "core/base/mem.h"
#include "core/math/median.h"
#include "core/text/opt_text.h"
#include "delays/delay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the models, as texts of --delay, the simplest first ---- */

/* Fewer whole phases say nothing of how phases differ. */
enum { FEWEST_PHASES = 5 };

/* Less than what the models take is 0; a time of less than they take is the least. */
static double model_cv(double cv)
{
	return cv < 1e-6 ? 0.0 : cv;
}

static double model_time(double seconds)
{
	return fmax(seconds, 1e-3);
}

/* Four digits or three: more cannot be known. */
static void model_add(struct fit_model *m, const char *part, const char *key, int digits,
		      double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.*g", digits, value);
	m->p[m->n++] = (struct fit_parameter){ part, key, digits, strtod(text, NULL), 0.0, 0.0 };
}

char *fit_parameter_name(const struct fit_parameter *p)
{
	return p->part ? xasprintf("%s.%s", p->part, p->key) : xstrdup(p->key);
}

char *fit_model_text(const struct fit_model *m, bool deviations)
{
	char *text;
	size_t size;
	FILE *out = xmemstream(&text, &size);

	for (size_t i = 1; i < m->n; i++) {
		const struct fit_parameter *p = &m->p[i];
		const bool begins = i == 1 || strcmp(p->part, p[-1].part) != 0;
		/* "+-DEVIATION" of a 95 % interval, as convoy advise reads it; not of 0 or less */
		const double deviation = fmin(0.25 * (p->high - p->low), p->value);

		if (begins)
			fprintf(out, "%s%s:", i > 1 ? " * " : "", p->part);
		fprintf(out, "%s%s=%.*g", begins ? "" : ",", p->key, p->digits, p->value);
		if (deviations && deviation > 0.0)
			fprintf(out, "+-%.2g", deviation);
	}
	if (m->n == 1)
		fputs(m->name, out);
	xmemclose(out);
	return text;
}

static struct fit_model model_begin(const char *name, double compute_s)
{
	return (struct fit_model){ .name = name, .compute_s = compute_s, .n = 1,
				   .p = { { NULL, "compute_s", 0, compute_s, 0.0, 0.0 } } };
}

/* Noise, and where workers differ their spread. */
static struct fit_model model_noise(const char *name, double compute_s, double cv, double static_cv)
{
	struct fit_model m = model_begin(name, compute_s);

	model_add(&m, "gamma", "cv", 4, model_cv(cv));
	if (model_cv(static_cv) > 0.0)
		model_add(&m, "static", "cv", 4, model_cv(static_cv));
	return m;
}

static struct fit_model model_markov(const struct estimates *e)
{
	struct fit_model m = model_noise("markov", e->base, e->noise_cv, e->base_static_cv);

	model_add(&m, "markov", "factor", 4, e->factor);
	model_add(&m, "markov", "fast_s", 4, model_time(e->fast_s));
	model_add(&m, "markov", "slow_s", 4, model_time(e->slow_s));
	return m;
}

static struct fit_model model_phases(const struct estimates *e)
{
	struct fit_model m = model_noise("phases", e->base, e->noise_cv, e->base_static_cv);

	model_add(&m, "phases", "fast_s", 4, model_time(e->fast_s));
	model_add(&m, "phases", "slow_s", 4, model_time(e->slow_s));
	model_add(&m, "phases", "slow_cv", 3, model_cv(e->slow_cv));
	model_add(&m, "phases", "depth", 4, e->depth);
	model_add(&m, "phases", "depth_cv", 3, model_cv(e->depth_cv));
	return m;
}

static struct fit_model model_bursts(const struct estimates *e)
{
	struct fit_model m = model_begin("bursts", e->base);

	model_add(&m, "bursts", "mean_cv", 4, model_cv(e->base_static_cv));
	model_add(&m, "bursts", "cv", 4, model_cv(sqrt(e->var)));
	model_add(&m, "bursts", "var_cv", 3, model_cv(e->var_cv));
	model_add(&m, "bursts", "correlation", 3, e->correlation);
	model_add(&m, "bursts", "factor", 4, e->factor);
	model_add(&m, "bursts", "calm_s", 4, model_time(e->fast_s));
	model_add(&m, "bursts", "burst_s", 4, model_time(e->slow_s));
	return m;
}

size_t fit_models(const struct steplog *l, struct fit_model m[FIT_MODELS])
{
	const struct estimates e = estimate(l);
	size_t n = 0, equal = 1;

	while (equal < l->workers * l->steps && l->seconds[equal] == l->seconds[0])
		equal++;
	if (equal == l->workers * l->steps) {
		m[n++] = model_begin("constant", l->seconds[0]);
	} else {
		m[n++] = model_noise("gamma", e.mean, e.cv, 0.0);
		m[n] = model_begin("lognormal", e.mean);
		model_add(&m[n++], "lognormal", "cv", 4, model_cv(e.cv));
		if (model_cv(e.static_cv) > 0.0)
			m[n++] = model_noise("static", e.mean, e.within_cv, e.static_cv);
		if (e.slow)
			m[n++] = model_markov(&e);
		if (e.slow && e.phases >= FEWEST_PHASES)
			m[n++] = model_phases(&e);
		if (e.slow && l->workers > 1)
			m[n++] = model_bursts(&e);
	}
	for (size_t i = 0; i < n; i++)
		m[i].delay = fit_model_text(&m[i], false);
	return n;
}

void fit_models_release(struct fit_model *m, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(m[i].delay);
}

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

struct fit_numbers fit_numbers(const struct steplog *l)
{
	const size_t n = l->workers * l->steps;
	const double all = fit_mean(l->seconds, n), least = LEAST_CV * all;
	struct fit_numbers own = { .quantile = xcalloc(FIT_QUANTILES, sizeof(double)) };
	double *sorted = xcalloc(n, sizeof(*sorted)), product = 0.0, square = 0.0, between = 0.0;

	/* around each worker's own mean, all workers together; and of these means */
	for (size_t w = 0; w < l->workers; w++) {
		const double *v = l->seconds + w * l->steps, mean = fit_mean(v, l->steps);

		for (size_t k = 0; k < l->steps; k++) {
			square += (v[k] - mean) * (v[k] - mean);
			if (k > 0)
				product += (v[k] - mean) * (v[k - 1] - mean);
		}
		between += (mean / all - 1.0) * (mean / all - 1.0);
	}
	own.lag1 = square > least * least * (double)n ? product / square : 0.0;
	own.spread = l->workers > 1 ? sqrt(between / (double)(l->workers - 1)) : 0.0;
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

static bool range_has(const struct fit_range *r, double x)
{
	return x >= r->low && x <= r->high;
}

static void runs_compare(const struct fit_numbers *own, const struct fit_numbers run[FIT_RUNS],
			 struct fit_comparison *c)
{
	const size_t n = (size_t)FIT_RUNS * FIT_QUANTILES;
	double *all = xcalloc(n, sizeof(*all)), v[FIT_RUNS];

	for (size_t r = 0; r < FIT_RUNS; r++)
		v[r] = run[r].lag1;
	c->lag1 = range_of(v);
	for (size_t r = 0; r < FIT_RUNS; r++)
		v[r] = run[r].spread;
	c->spread = range_of(v);
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
	c->quantile = xcalloc(FIT_QUANTILES, sizeof(*c->quantile));
	for (size_t i = 0; i < FIT_QUANTILES; i++) {
		for (size_t r = 0; r < FIT_RUNS; r++)
			v[r] = run[r].quantile[i];
		c->quantile[i] = range_of(v);
	}
	c->fits = c->ks <= c->ks_most && range_has(&c->lag1, own->lag1) &&
		  range_has(&c->spread, own->spread);
}

int fit_compare(const struct steplog *l, const struct fit_numbers *own, const struct fit_model *m,
		uint64_t seed, struct fit_comparison *c)
{
	struct fit_numbers run[FIT_RUNS] = { { 0 } };
	int ret = 0;

	*c = (struct fit_comparison){ 0 };
	for (size_t r = 0; r < FIT_RUNS && ret == 0; r++) {
		struct steplog made;

		ret = fit_simulate(m, l->workers, l->steps, seed + r, &made);
		if (ret == 0)
			run[r] = fit_numbers(&made);
		steplog_release(&made);
	}
	if (ret == 0)
		runs_compare(own, run, c);
	for (size_t r = 0; r < FIT_RUNS; r++)
		free(run[r].quantile);
	return ret;
}

void fit_comparison_release(struct fit_comparison *c)
{
	free(c->quantile);
}

/* Two terms are between 0 and 2, and so is the third where workers are not far apart. */
static double comparison_distance(const struct fit_numbers *own, const struct fit_comparison *c)
{
	return c->ks + fabs(own->lag1 - c->lag1.middle) + fabs(own->spread - c->spread.middle);
}

size_t fit_best(const struct fit_numbers *own, const struct fit_comparison *c, size_t n)
{
	size_t best = 0;

	for (size_t i = 0; i < n; i++)
		if (c[i].fits)
			return i;
	for (size_t i = 1; i < n; i++)
		if (comparison_distance(own, &c[i]) < comparison_distance(own, &c[best]))
			best = i;
	return best;
}

/* ---- workers that are far from the others ---- */

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
enum { FEWEST_FOR_OUTLIERS = 4, MOST_DEVIATIONS = 8, LOG_PARTS = 4 };

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

struct outliers fit_outliers(const struct steplog *l)
{
	struct outliers o = { xcalloc(l->workers, sizeof(*o.v)), 0 };
	int *far = xcalloc(l->workers, sizeof(*far)), *fast = xcalloc(l->workers, sizeof(*fast));
	double *mean = xcalloc(l->workers, sizeof(*mean)), usual;
	double *part = xcalloc(l->workers, sizeof(*part));
	double *sorted = xcalloc(l->steps, sizeof(*sorted));

	worker_means(l, 0, l->steps, mean);
	memcpy(part, mean, l->workers * sizeof(*part));
	usual = median_of(part, l->workers);
	/* far in the mean of each part of the log: a slow phase alone is none */
	for (size_t p = 0; p < LOG_PARTS && l->workers >= FEWEST_FOR_OUTLIERS; p++) {
		worker_means(l, p * l->steps / LOG_PARTS, (p + 1) * l->steps / LOG_PARTS, part);
		outliers_count(part, l->workers, far);
	}
	/* far in the fast steps */
	for (size_t w = 0; w < l->workers; w++) {
		memcpy(sorted, l->seconds + w * l->steps, l->steps * sizeof(*sorted));
		sort_doubles(sorted, l->steps);
		part[w] = sorted[(size_t)(FAST_STEPS * (double)l->steps)];
	}
	if (l->workers >= FEWEST_FOR_OUTLIERS)
		outliers_count(part, l->workers, fast);
	for (size_t w = 0; w < l->workers; w++) {
		struct outlier one = { .worker = w, .seconds = mean[w],
				       .phases = far[w] != LOG_PARTS * fast[w] };
		char text[32];

		if (abs(far[w]) != LOG_PARTS)
			continue;
		/* four digits: more were not measured */
		snprintf(text, sizeof(text), "%.4g", mean[w] / usual);
		one.factor = strtod(text, NULL);
		if (one.phases) {
			const struct steplog own = { 1, l->steps, l->seconds + w * l->steps };

			one.of = estimate(&own);
		}
		/* neither a factor nor phases */
		if (one.phases && !one.of.slow)
			continue;
		o.v[o.n++] = one;
	}
	free(far);
	free(fast);
	free(mean);
	free(part);
	free(sorted);
	return o;
}

/* The log without these workers. */
static struct steplog outliers_rest(const struct outliers *o, const struct steplog *l)
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

char *outliers_clauses(const struct outliers *o, double compute_s, bool all)
{
	char *text = xstrdup("");

	for (size_t i = 0; i < o->n; i++) {
		const struct outlier *one = &o->v[i];
		const double base = one->of.base / compute_s;
		const struct fit_model markov = model_markov(&one->of);
		char *model = fit_model_text(&markov, false), *factor = double_text(one->factor);

		/* all of a worker's delay, which replaces that of the others */
		if (one->phases && fabs(base - 1.0) < 0.01)
			xappend_own(&text, "", xasprintf("; %zu: %s", one->worker, model));
		else if (one->phases)
			xappend_own(&text, "",
				    xasprintf("; %zu: %s * static:cv=0,bad=1,bad_factor=%.4g",
					      one->worker, model, base));
		else if (all)
			xappend_own(&text, "", xasprintf("; %zu: * static:cv=0,bad=1,bad_factor=%s",
							 one->worker, factor));
		free(model);
		free(factor);
	}
	return text;
}

/* ---- how far parameters are known ---- */

/*
 * Parametric bootstrap: FIT_REFITS runs of the fitted model, of the log's workers and steps, are
 * fitted again. The least and greatest of 39 are a 95 % interval.
 */

/* The value of a parameter in a model; 0 where it was left out for being 0. */
static double model_value(const struct fit_model *m, const struct fit_parameter *p)
{
	for (size_t i = 1; i < m->n && p->part; i++)
		if (strcmp(m->p[i].part, p->part) == 0 && strcmp(m->p[i].key, p->key) == 0)
			return m->p[i].value;
	return p->part ? 0.0 : m->compute_s;
}

/* Widens the intervals by a run's model of the same name, if the run has one. */
static void intervals_widen(struct fit_model *m, const struct steplog *run)
{
	struct fit_model again[FIT_MODELS];
	const size_t n = fit_models(run, again);
	size_t k = 0;

	while (k < n && strcmp(again[k].name, m->name) != 0)
		k++;
	for (size_t i = 0; k < n && i < m->n; i++) {
		struct fit_parameter *p = &m->p[i];
		const double value = model_value(&again[k], p);

		p->low = m->refits ? fmin(p->low, value) : value;
		p->high = m->refits ? fmax(p->high, value) : value;
	}
	m->refits += k < n;
	fit_models_release(again, n);
}

int fit_intervals(const struct steplog *l, struct fit_model *m, uint64_t seed)
{
	int ret = 0;

	for (size_t i = 0; i < m->n; i++)
		m->p[i].low = m->p[i].high = m->p[i].value;
	for (uint64_t r = 0; r < FIT_REFITS && ret == 0; r++) {
		struct steplog run;

		ret = fit_simulate(m, l->workers, l->steps, seed + r, &run);
		if (ret == 0)
			intervals_widen(m, &run);
		steplog_release(&run);
	}
	return ret;
}

/* ---- the whole ---- */

/* More values than that are compared in part. */
enum { MOST_VALUES = 50000 };

int fit_find(struct fit *f, uint64_t seed)
{
	const struct steplog *rest = &f->rest;
	struct steplog part;
	size_t most;
	int ret = 0;

	f->outliers = fit_outliers(&f->log);
	f->rest = outliers_rest(&f->outliers, &f->log);
	f->n = fit_models(rest, f->model);
	most = MOST_VALUES / rest->workers;
	most = most < FIT_FEWEST_STEPS ? FIT_FEWEST_STEPS : most;
	f->cut = most < rest->steps;
	f->compared = f->cut ? most : rest->steps;
	part = (struct steplog){ rest->workers, f->compared,
				 xcalloc(rest->workers * f->compared, sizeof(double)) };
	for (size_t w = 0; w < part.workers; w++)
		memcpy(part.seconds + w * part.steps, rest->seconds + w * rest->steps,
		       part.steps * sizeof(double));
	f->own = fit_numbers(&part);
	for (size_t i = 0; i < f->n && ret == 0; i++)
		ret = fit_compare(&part, &f->own, &f->model[i], seed, &f->of[i]);
	steplog_release(&part);
	if (ret == 0)
		f->best = fit_best(&f->own, f->of, f->n);
	return ret == 0 && f->intervals ? fit_intervals(rest, &f->model[f->best], seed) : ret;
}

void fit_release(struct fit *f)
{
	for (size_t i = 0; i < f->n; i++)
		fit_comparison_release(&f->of[i]);
	fit_models_release(f->model, f->n);
	free(f->own.quantile);
	free(f->path);
	free(f->outliers.v);
	steplog_release(&f->rest);
	steplog_release(&f->log);
}

/*
 * models.c - the models that a log is compared with, and runs of each with the log's workers and
 * steps; how far parameters are known.
 */
#include "study/fit/fit.h"

#include "core/base/mem.h"
#include "core/math/median.h"
#include "delays/delay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the models, as texts of --delay, the simplest first ---- */

/* Fewer whole phases, or draws of a rack, say nothing of how these differ. */
enum { FEWEST_PHASES = 5, FEWEST_DRAWS = 50 };

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

struct fit_model fit_markov(const struct estimates *e)
{
	struct fit_model m = model_noise("markov", e->base, e->noise_cv, e->base_static_cv);

	model_add(&m, "markov", "factor", 4, e->factor);
	model_add(&m, "markov", "fast_s", 4, model_time(e->fast_s));
	model_add(&m, "markov", "slow_s", 4, model_time(e->slow_s));
	return m;
}

/* Of what varies within a worker, the part that its group shares, and noise of its own. */
static struct fit_model rack_of(const struct estimates *e, const struct fit_together *t)
{
	const double common = t->cv * t->cv, within = e->within_cv * e->within_cv;
	struct fit_model m = model_noise("rack", e->mean,
					 sqrt(fmax(within - common, 0.0) / (1.0 + common)),
					 e->static_cv);

	m.together = t->size;
	model_add(&m, "rack", "size", 10, (double)t->size);
	model_add(&m, "rack", "every_s", 4, fmax(t->every_s, 1e-6));
	model_add(&m, "rack", "cv", 4, model_cv(t->cv));
	return m;
}

/* More values of a log than that are compared in part. */
enum { MOST_VALUES = 50000 };

/* Steps of a log that are compared, if so many values may be. */
static size_t steps_compared(const struct steplog *l, double values)
{
	const double n = fmax(values / (double)l->workers, FIT_FEWEST_STEPS);

	return (double)l->steps <= n ? l->steps : (size_t)n;
}

/*
 * Steps that go on while the next draw begins hide a part of it, so mean and every_s come out too
 * short where a draw holds for a few steps. Runs of the model, estimated alike, tell by how much.
 */
static struct fit_model model_rack(const struct steplog *l, const struct fit_together *t)
{
	enum { RUNS = 9 };
	struct estimates e = fit_moments_over_time(l);
	struct fit_together corrected = *t;
	struct fit_model m = rack_of(&e, t);
	double mean = 0.0, every_s = 0.0;

	m.delay = fit_model_text(&m, false);
	for (uint64_t r = 1; r <= RUNS; r++) {
		struct fit_together again = { .size = t->size };
		scoped_by(steplog_release) struct steplog run;

		/* seeds that no comparison has, which says what is wrong with the model */
		if (fit_simulate(&m, l->workers, steps_compared(l, MOST_VALUES), l->least, -r,
				 &run) == 0) {
			fit_racks(&run, &again);
			mean += fit_moments_over_time(&run).mean / RUNS;
			every_s += again.every_s / RUNS;
		}
	}
	free(m.delay);
	if (mean > 0.0) {
		e.mean *= m.compute_s / mean;
		corrected.every_s *= t->every_s / every_s;
	}
	return rack_of(&e, &corrected);
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

/*
 * Cycles of a fast and a slow phase in so many seconds, as a run of the models with phases draws
 * them one by one.
 */
static double phase_cycles(const struct estimates *e, double seconds)
{
	return e->slow ? seconds / (model_time(e->fast_s) + model_time(e->slow_s)) : 0.0;
}

/*
 * A slow step during which phases changed more often, as where steps are slow by chance and many
 * hundred times as long as others: such phases say nothing, and runs of them take minutes.
 */
static const double MOST_CYCLES = 1000.0;

size_t fit_models(const struct steplog *l, const struct fit_together *t,
		  struct fit_model m[FIT_MODELS], struct fit_phases *p)
{
	struct estimates e = estimate(l);
	size_t n = 0, equal = 1;

	*p = (struct fit_phases){ phase_cycles(&e, e.step), e.factor, false };
	if (phase_cycles(&e, e.base * e.factor) > MOST_CYCLES) {
		p->left_out = true;
		e.slow = false;
	}

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
		if (t->is && t->draws >= FEWEST_DRAWS)
			m[n++] = model_rack(l, t);
		if (e.slow)
			m[n++] = fit_markov(&e);
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

double *fit_copy(const double *v, size_t n)
{
	double *copy = xcalloc(n, sizeof(*copy));

	memcpy(copy, v, n * sizeof(*copy));
	return copy;
}

/* Seconds of the slowest worker in step k. */
static double fit_slowest(const struct steplog *l, size_t k)
{
	double most = 0.0;

	for (size_t w = 0; w < l->workers; w++)
		most = fmax(most, l->seconds[w * l->steps + k]);
	return most;
}

double fit_step(const struct steplog *l, size_t k)
{
	return fmax(fit_slowest(l, k), l->least ? l->least[k] : 0.0);
}

static double log_step(const struct steplog *l)
{
	double step = 0.0;

	for (size_t k = 0; k < l->steps; k++)
		step += fit_slowest(l, k) / (double)l->steps;
	return step;
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
	own.step = log_step(l);
	memcpy(sorted, l->seconds, n * sizeof(*sorted));
	sort_doubles(sorted, n);
	for (size_t i = 0; i < FIT_QUANTILES; i++)
		own.quantile[i] = sorted[(size_t)(((double)i + 0.5) / FIT_QUANTILES * (double)n)];
	free(sorted);
	return own;
}

/* ---- runs of the model ---- */

int fit_simulate(const struct fit_model *m, size_t workers, size_t steps, const double *least,
		 uint64_t seed, struct steplog *l)
{
	struct delays *d = delays_new(delay_table, m->delay, (int)workers, NULL);
	double *time;           /* at which a worker begins its step */

	*l = (struct steplog){ 0 };
	if (!d)
		return -1;
	*l = (struct steplog){ workers, steps, xcalloc(workers * steps, sizeof(double)), NULL };
	if (least)
		l->least = fit_copy(least, steps);
	time = xcalloc(workers, sizeof(*time));
	for (size_t k = 0; k < steps; k++) {
		double all;

		for (size_t w = 0; w < workers; w++) {
			double *seconds = &l->seconds[w * steps + k];

			*seconds = m->compute_s *
				   delays_factor(d, seed, (int)w, (int64_t)k, time[w]);
			time[w] += *seconds;
		}
		if (!least && !m->together)
			continue;
		all = time[0] - l->seconds[k] + fit_step(l, k);
		for (size_t w = 0; w < workers; w++)
			time[w] = all;
	}
	free(time);
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

/* Of a step's time, a part that makes no difference. */
static const double STEP_PART = 0.02;

static bool range_has_step(const struct fit_range *r, double x)
{
	return x >= (1.0 - STEP_PART) * r->low && x <= (1.0 + STEP_PART) * r->high;
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
		v[r] = run[r].step;
	c->step = range_of(v);
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
		  range_has(&c->spread, own->spread) && range_has_step(&c->step, own->step);
}

int fit_compare(const struct steplog *l, const struct fit_numbers *own, const struct fit_model *m,
		uint64_t seed, struct fit_comparison *c)
{
	struct fit_numbers run[FIT_RUNS] = { { 0 } };
	int ret = 0;

	*c = (struct fit_comparison){ 0 };
	for (size_t r = 0; r < FIT_RUNS && ret == 0; r++) {
		scoped_by(steplog_release) struct steplog made;

		ret = fit_simulate(m, l->workers, l->steps, l->least, seed + r, &made);
		if (ret == 0)
			run[r] = fit_numbers(&made);
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

/* The terms are between 0 and 2, and the last two where workers are not far apart. */
static double comparison_distance(const struct fit_numbers *own, const struct fit_comparison *c)
{
	return c->ks + fabs(own->lag1 - c->lag1.middle) + fabs(own->spread - c->spread.middle) +
	       fabs(log(c->step.middle / own->step));
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
	struct fit_together together = { .is = m->together, .size = m->together };
	struct fit_model again[FIT_MODELS];
	struct fit_phases phases;
	size_t n, k = 0;

	if (together.is)
		fit_racks(run, &together);
	n = fit_models(run, &together, again, &phases);

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
		scoped_by(steplog_release) struct steplog run;

		ret = fit_simulate(m, l->workers, l->steps, l->least, seed + r, &run);
		if (ret == 0)
			intervals_widen(m, &run);
	}
	return ret;
}

/* ---- the whole ---- */

/* Of more cycles of phases in a run of a model, a part is compared. */
static const double MOST_CYCLES_A_RUN = 2e6;

/* The log's first steps; the caller releases it. */
static struct steplog log_begin(const struct steplog *l, size_t steps)
{
	struct steplog part = { l->workers, steps, xcalloc(l->workers * steps, sizeof(double)),
				l->least ? fit_copy(l->least, steps) : NULL };

	for (size_t w = 0; w < l->workers; w++)
		memcpy(part.seconds + w * steps, l->seconds + w * l->steps,
		       steps * sizeof(double));
	return part;
}

static struct fit_together find_together(const struct steplog *l)
{
	scoped_by(steplog_release) struct steplog part =
		log_begin(l, steps_compared(l, MOST_VALUES));

	return fit_together(&part);
}

int fit_find(struct fit *f, uint64_t seed)
{
	const struct steplog *rest = &f->rest;
	struct steplog part;
	double values = MOST_VALUES;
	int ret = 0;

	f->outliers = fit_outliers(&f->log);
	f->step = log_step(&f->log);
	f->together = find_together(&f->log);
	f->rest = outliers_rest(&f->outliers, &f->log);
	f->n = fit_models(rest, &f->together, f->model, &f->phases);
	if (!f->phases.left_out && f->phases.cycles > 0.0)
		values = fmin(values, MOST_CYCLES_A_RUN / f->phases.cycles);
	f->compared = steps_compared(rest, values);
	f->cut = f->compared < rest->steps;
	part = log_begin(rest, f->compared);
	f->own = fit_numbers(&part);
	for (size_t i = 0; i < f->n && ret == 0; i++) {
		ret = fit_compare(&part, &f->own, &f->model[i], seed, &f->of[i]);
		/* ranks that are slow together are not described by a model of each on its own */
		f->of[i].fits &= !f->together.is || f->model[i].together;
	}
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
	free_all(f->own.quantile, f->path, f->outliers.v);
	steplog_release(&f->rest);
	steplog_release(&f->log);
}

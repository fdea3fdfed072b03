/* Fits of delay models: numbers by hand, known parameters found again, the right model named. */
#include "study/fit/fit.h"

#include "core/base/mem.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 3 };

/* A log of the model, whose ranks may share a delay; the caller releases it. */
static struct steplog made_together(const char *delay, double compute_s, size_t workers,
				    size_t steps, size_t together)
{
	char *copy = xstrdup(delay);
	const struct fit_model m = { .name = "", .delay = copy, .compute_s = compute_s,
				     .together = together };
	struct steplog l;

	assert_int_equal(fit_simulate(&m, workers, steps, NULL, SEED, &l), 0);
	free(copy);
	return l;
}

static struct steplog made(const char *delay, double compute_s, size_t workers, size_t steps)
{
	return made_together(delay, compute_s, workers, steps, 0);
}

/*
 * Means 2 and 4, deviations -1 0 1 and -1 -1 2: (0 + 0 + 1 - 2) / (2 + 6); 2 sqrt(2) / 2 / 3. The
 * slowest take 3, 3 and 6.
 */
static void numbers_by_hand(void **state)
{
	double v[] = { 1, 2, 3, 3, 3, 6 };
	const struct steplog l = { 2, 3, v, NULL };
	struct fit_numbers n = fit_numbers(&l);

	assert_near(n.lag1, -1.0 / 8.0, 1e-12);
	assert_near(n.spread, sqrt(2.0) / 3.0, 1e-12);
	assert_near(n.step, 4.0, 1e-12);
	assert_near(n.quantile[0], 1.0, 0.0);
	assert_near(n.quantile[FIT_QUANTILES / 2 - 1], 3.0, 0.0);
	assert_near(n.quantile[FIT_QUANTILES - 1], 6.0, 0.0);
	free(n.quantile);
}

static void distances_by_hand(void **state)
{
	const double a[] = { 1, 2, 3, 4 }, b[] = { 3, 4, 5, 6 }, c[] = { 1, 1, 4 };

	assert_near(fit_ks(a, 4, a, 4), 0.0, 0.0);
	assert_near(fit_ks(a, 4, b, 4), 0.5, 1e-12);
	assert_near(fit_ks(b, 4, a, 4), 0.5, 1e-12);
	assert_near(fit_ks(a, 2, b, 4), 1.0, 0.0);
	assert_near(fit_ks(a, 4, c, 3), 2.0 / 3.0 - 0.25, 1e-12);
}

/* Steps 10 to 14 and 30 to 39 of 50 take twice as long, of two workers of which one is slower. */
static void slow_steps_are_found(void **state)
{
	double v[100];
	const struct steplog l = { 2, 50, v, NULL };
	struct chain c;

	for (int i = 0; i < 100; i++) {
		const int k = i % 50;
		const bool slow = (k >= 10 && k < 15) || (k >= 30 && k < 40);

		v[i] = (i < 50 ? 1.0 : 1.3) * (1.0 + 0.01 * (i * 7 % 5 - 2)) * (slow ? 2.0 : 1.0);
	}
	c = chain_fit(&l);
	assert_true(isfinite(c.likelihood));
	assert_near(c.depth, log(2.0), 0.01);
	assert_near(c.level[1] - c.level[0], log(1.3), 0.01);
	for (int i = 0; i < 100; i++)
		assert_near(c.slow[i], (i % 50 >= 10 && i % 50 < 15) ||
			    (i % 50 >= 30 && i % 50 < 40) ? 1.0 : 0.0, 1e-3);
	/* from 35 fast steps with a next one two go to slow, of a worker; from 15 slow ones two */
	assert_near(c.to_slow, 4.0 / 68.0, 1e-3);
	assert_near(c.to_fast, 4.0 / 30.0, 1e-3);
	chain_release(&c);
}

/* Means of n times are known to about 1 / sqrt(n) of themselves: three of those. */
static void is_about(const char *what, double x, double want, double deviations, double n)
{
	if (!check_is_near(x, want, deviations * want / sqrt(n)))
		fail_msg("%s is %g, not %g", what, x, want);
}

/* 8 workers, 2000 steps: about 3600 s with 50 slow phases. */
static void markov_is_found_again(void **state)
{
	struct steplog l = made("gamma:cv=0.03 * static:cv=0.1 * markov:factor=1.8,fast_s=60,"
				"slow_s=12", 0.2, 8, 2000);
	const struct estimates e = estimate(&l);

	assert_true(e.slow);
	assert_near(e.noise_cv, 0.03, 0.002);
	assert_near(e.factor, 1.8, 0.01);
	is_about("base", e.base, 0.2, 3 * 0.1, 8);
	is_about("static", e.base_static_cv, 0.1, 3.0, 16);
	is_about("fast_s", e.fast_s, 60.0, 3.0, 50);
	is_about("slow_s", e.slow_s, 12.0, 3.0, 50);
	steplog_release(&l);
}

static double step_of(const struct steplog *l)
{
	struct fit_numbers n = fit_numbers(l);

	free(n.quantile);
	return n.step;
}

/*
 * Ranks that wait for the slowest one in each step: phases last as long as on the run's clock, also
 * where a rank that is left out is the slowest, and other runs of the model have such steps.
 */
static void phases_are_timed_while_ranks_wait(void **state)
{
	static const char *const delays[] = {
		"gamma:cv=0.05 * markov:factor=3,fast_s=60,slow_s=15",
		("gamma:cv=0.05 * markov:factor=3,fast_s=60,slow_s=15; "
		 "3: gamma:cv=0.05 * static:cv=0,bad=1,bad_factor=4"),
		"gamma:cv=0.05 * phases:fast_s=60,slow_s=15,slow_cv=0.5,depth=2,depth_cv=0.1",
	};

	for (size_t i = 0; i < sizeof(delays) / sizeof(delays[0]); i++) {
		char *copy = xstrdup(delays[i]);
		double *none = xcalloc(1500, sizeof(*none));
		const struct fit_model m = { .name = "", .delay = copy, .compute_s = 0.3 };
		struct steplog l, rest, again;
		struct outliers o;
		struct estimates e;
		struct fit_model markov;

		assert_int_equal(fit_simulate(&m, 8, 1500, none, SEED, &l), 0);
		o = fit_outliers(&l);
		assert_int_equal(o.n, i == 1);
		rest = outliers_rest(&o, &l);
		e = estimate(&rest);
		/* 1000 to 1800 s on 7 or 8 ranks: some 100 phases */
		is_about("fast_s", e.fast_s, 60.0, 3.0, 100);
		is_about("slow_s", e.slow_s, 15.0, 3.0, 100);
		if (i == 2)
			is_about("slow_cv", e.slow_cv, 0.5, 3.0, 100);
		markov = fit_markov(&e);
		markov.delay = fit_model_text(&markov, false);
		assert_int_equal(fit_simulate(&markov, rest.workers, 1500, rest.least, SEED + 1,
					      &again), 0);
		is_about("step", step_of(&again), step_of(&rest), 1.0, 30);
		free_all(markov.delay, o.v, none, copy);
		steplog_release(&again);
		steplog_release(&rest);
		steplog_release(&l);
	}
}

/* 16 workers, 2000 steps of 0.1 s: about 85 phases of 10 s. */
static void phases_are_found_again(void **state)
{
	struct steplog l = made("gamma:cv=0.02 * phases:fast_s=30,slow_s=10,slow_cv=0.6,depth=0.8,"
				"depth_cv=0.4", 0.1, 16, 2000);
	const struct estimates e = estimate(&l);

	assert_true(e.slow);
	assert_within((long long)e.phases, 50, 125);
	is_about("base", e.base, 0.1, 0.05, 1);
	is_about("fast_s", e.fast_s, 30.0, 3.0, 85);
	is_about("slow_s", e.slow_s, 10.0, 3.0 * 0.6, 85);
	is_about("slow_cv", e.slow_cv, 0.6, 3.0, 85);
	is_about("depth", e.depth, 0.8, 3.0 * 0.4, 85);
	is_about("depth_cv", e.depth_cv, 0.4, 3.0, 85);
	steplog_release(&l);
}

/* 64 workers, 500 steps. */
static void bursts_are_found_again(void **state)
{
	struct steplog l = made("bursts:mean_cv=0.05,cv=0.04,var_cv=1,correlation=0.6,factor=2,"
				"calm_s=60,burst_s=15", 0.3, 64, 500);
	const struct estimates e = estimate(&l);

	assert_true(e.slow);
	assert_near(e.factor, 2.0, 0.03);
	is_about("mean_cv", e.base_static_cv, 0.05, 3.0, 128);
	is_about("cv", sqrt(e.var), 0.04, 3.0, 64);
	is_about("var_cv", e.var_cv, 1.0, 3.0 * 1.5, 64);
	assert_near(e.correlation, 0.6, 3.0 * 0.64 / sqrt(64));
	steplog_release(&l);
}

static void best_is(const char *delay, const char *want, size_t workers, size_t steps)
{
	struct steplog l = made(delay, 0.25, workers, steps);
	struct fit_numbers own = fit_numbers(&l);
	struct fit_model m[FIT_MODELS];
	struct fit_comparison c[FIT_MODELS];
	struct fit_phases phases;
	const struct fit_together together = fit_together(&l);
	const size_t n = fit_models(&l, &together, m, &phases);
	size_t best;

	for (size_t i = 0; i < n; i++)
		assert_int_equal(fit_compare(&l, &own, &m[i], 1000, &c[i]), 0);
	best = fit_best(&own, c, n);
	if (strcmp(m[best].name, want) != 0)
		fail_msg("%s is best for %s, not %s", m[best].name, delay, want);
	assert_true(c[best].fits);
	for (size_t i = 0; i < n; i++)
		fit_comparison_release(&c[i]);
	fit_models_release(m, n);
	free(own.quantile);
	steplog_release(&l);
}

static void the_right_model_is_best(void **state)
{
	best_is("gamma:cv=0.05", "gamma", 4, 200);
	best_is("lognormal:cv=0.8", "lognormal", 4, 400);
	best_is("gamma:cv=0.03 * static:cv=0.2", "static", 8, 100);
	best_is("gamma:cv=0.03 * markov:factor=1.5,fast_s=20,slow_s=5", "markov", 4, 600);
	best_is("gamma:cv=0.02 * phases:fast_s=15,slow_s=8,slow_cv=0.5,depth=1,depth_cv=0.7",
		"phases", 8, 600);
}

/*
 * Ranks that share a delay are found, and which; those that have phases of their own, or hardly
 * share anything, are not. Of equal correlations that of the larger groups is chosen.
 */
static void ranks_that_are_slow_together_are_found(void **state)
{
	static const struct {
		const char *delay;
		size_t workers, size;
		double cv, every_s;
	} logs[] = {
		{ "gamma:cv=0.3", 16, 0, 0, 0 },
		{ "gamma:cv=0.03 * static:cv=0.2", 8, 0, 0, 0 },
		{ "gamma:cv=0.03 * markov:factor=2,fast_s=20,slow_s=8", 8, 0, 0, 0 },
		{ "gamma:cv=0.3 * rack:size=16,every_s=0.01,cv=0.05", 16, 0, 0, 0 },
		{ "constant", 4, 0, 0, 0 },
		{ "gamma:cv=0.3", 1, 0, 0, 0 },
		{ "gamma:cv=0.05 * rack:size=8,every_s=0.01,cv=0.3", 8, 8, 0.3, 0 },
		{ "gamma:cv=0.05 * rack:size=4,every_s=0.01,cv=0.3", 16, 4, 0.3, 0 },
		{ "gamma:cv=0.2 * static:cv=0.2 * rack:size=2,every_s=0.01,cv=0.3", 8, 2, 0.3, 0 },
		{ "gamma:cv=0.05 * rack:size=4,every_s=2,cv=0.3", 16, 4, 0.3, 2 },
	};

	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		struct steplog l = made_together(logs[i].delay, 0.25, logs[i].workers, 400,
						 logs[i].size);
		const struct fit_together t = fit_together(&l);

		if (t.is != (logs[i].size > 0) || (t.is && t.size != logs[i].size))
			fail_msg("%s: %g (%g) in groups of %zu", logs[i].delay, t.correlation,
				 t.chance, t.size);
		if (t.is)
			is_about("cv", t.cv, logs[i].cv, logs[i].every_s > 0.0 ? 12.0 : 3.0, 800);
		if (logs[i].every_s > 0.0)
			is_about("every_s", t.every_s, logs[i].every_s, 3.0, 50);
		steplog_release(&l);
	}
}

/* Of ranks that share a delay, a model of each on its own has steps that are too long. */
static void steps_tell_a_model_of_independent_ranks(void **state)
{
	struct steplog l = made_together("gamma:cv=0.05 * rack:size=4,every_s=0.01,cv=0.3", 0.25, 8,
					 150, 4);
	struct fit_numbers own = fit_numbers(&l);
	const struct fit_together together = fit_together(&l);
	struct fit_model m[FIT_MODELS];
	struct fit_phases phases;
	struct fit_comparison c;
	const size_t n = fit_models(&l, &together, m, &phases);
	bool found = false;

	for (size_t i = 0; i < n; i++) {
		const bool rack = strcmp(m[i].name, "rack") == 0;

		assert_int_equal(fit_compare(&l, &own, &m[i], 1000, &c), 0);
		if (c.fits != rack)
			fail_msg("%s, %s: %d", m[i].name, m[i].delay, c.fits);
		assert_true(rack ? check_is_near(c.step.middle, own.step, 0.02 * own.step)
				 : c.step.low > 1.02 * own.step);
		found |= rack;
		fit_comparison_release(&c);
	}
	assert_true(found);
	fit_models_release(m, n);
	free(own.quantile);
	steplog_release(&l);
}

/*
 * A run of a fitted `rack` gives its settings back, and the log's steps: small factors have more
 * steps than large ones, and where a draw holds for two steps half of them last into the next one.
 */
static void racks_are_found_again(void **state)
{
	static const struct {
		const char *delay;
		size_t steps, size;
		double every_s, cv, seconds;    /* seconds: about those of the log */
	} logs[] = {
		{ "gamma:cv=0.05 * rack:size=8,every_s=2,cv=0.5", 1500, 8, 2, 0.5, 300 },
		{ "gamma:cv=0.05 * rack:size=4,every_s=0.5,cv=0.4", 600, 4, 0.5, 0.4, 170 },
	};

	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		const double draws = logs[i].seconds / logs[i].every_s;
		struct steplog l = made_together(logs[i].delay, 0.25, 8, logs[i].steps,
						 logs[i].size);
		const struct fit_together t = fit_together(&l);
		struct fit_model all[FIT_MODELS], *m = all;
		struct fit_comparison c;
		struct fit_phases phases;
		struct fit_numbers own = fit_numbers(&l);
		const size_t n = fit_models(&l, &t, all, &phases);

		while (m < all + n && strcmp(m->name, "rack") != 0)
			m++;
		assert_true(m < all + n);
		is_about("compute_s", m->compute_s, 0.25, 3.0 * logs[i].cv, draws);
		is_about("every_s", m->p[m->n - 2].value, logs[i].every_s, 3.0, draws);
		is_about("cv", m->p[m->n - 1].value, logs[i].cv, 3.0, draws);
		assert_int_equal(fit_compare(&l, &own, m, 1000, &c), 0);
		is_about("step", c.step.middle, own.step, 0.03, 1.0);
		assert_true(c.fits);
		fit_comparison_release(&c);
		fit_models_release(all, n);
		free(own.quantile);
		steplog_release(&l);
	}
}

/* A worker that is as fast as the others between its slow phases has no factor of its own. */
static void phases_of_a_worker_are_no_factor(void **state)
{
	static const struct {
		const char *delay;
		bool phases;
		double factor;
	} logs[] = {
		{ "gamma:cv=0.02; 3: gamma:cv=0.02 * markov:factor=1.6,fast_s=4,slow_s=12", true,
		  1.6 },
		{ "gamma:cv=0.02 * markov:factor=1.6,fast_s=80,slow_s=4; "
		  "3: gamma:cv=0.02 * markov:factor=1.6,fast_s=5,slow_s=15", true, 1.6 },
		{ "gamma:cv=0.02; 3: * static:cv=0,bad=1,bad_factor=1.446", false, 1.446 },
		{ "gamma:cv=0.02; 3: * static:cv=0,bad=1,bad_factor=1.4 * "
		  "markov:factor=1.5,fast_s=20,slow_s=2", false, 1.4 * 1.045 },
		{ "gamma:cv=0.02; 3: * static:cv=0,bad=1,bad_factor=0.7", false, 0.7 },
	};

	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		struct steplog l = made(logs[i].delay, 0.3, 8, 400);
		struct outliers o = fit_outliers(&l);

		assert_int_equal(o.n, 1);
		assert_int_equal(o.v[0].worker, 3);
		assert_int_equal(o.v[0].phases, logs[i].phases);
		if (o.v[0].phases) {
			assert_near(o.v[0].of.factor, logs[i].factor, 0.02);
			is_about("slow_s", o.v[0].of.slow_s, 13.5, 3.0, 8);
			assert_near(o.v[0].of.base, 0.3, 0.01);
		} else {
			assert_near(o.v[0].factor, logs[i].factor, 0.05);
		}
		free(o.v);
		steplog_release(&l);
	}
}

/* Where steps tell nothing of the next ones, phases are not ever shorter. */
static void phases_last_as_long_as_a_log_can_tell(void **state)
{
	struct steplog l = made("gamma:cv=0.05", 0.25, 4, 200);
	struct estimates e = estimate(&l);

	assert_true(e.slow);
	assert_true(1 / e.fast_s + 1 / e.slow_s <= 10.0001 / e.base);
	steplog_release(&l);
}

/* No phases in one distribution, nor in times without any variation. */
static void nothing_is_found_where_nothing_is(void **state)
{
	struct steplog l = made("constant", 0.5, 3, 40);
	struct estimates e = estimate(&l);

	assert_false(e.slow);
	assert_near(e.cv, 0.0, 1e-9);
	steplog_release(&l);
	best_is("constant", "constant", 3, 40);
}

/* The parameters lie in their own intervals, which are not empty. */
static void intervals_hold_the_parameters(void **state)
{
	char *copy = xstrdup("gamma:cv=0.03 * markov:factor=1.5,fast_s=20,slow_s=5");
	struct fit_model m = { "markov", copy, 0.25,
			       { { NULL, "compute_s", 0, 0.25, 0, 0 },
				 { "gamma", "cv", 4, 0.03, 0, 0 },
				 { "markov", "factor", 4, 1.5, 0, 0 },
				 { "markov", "fast_s", 4, 20, 0, 0 },
				 { "markov", "slow_s", 4, 5, 0, 0 } }, 5, 0, 0 };
	const struct steplog shape = { 4, 300, NULL, NULL };
	char *text = fit_model_text(&m, false), *name = fit_parameter_name(&m.p[2]);

	assert_string_equal(text, copy);
	assert_string_equal(name, "markov.factor");
	assert_int_equal(fit_intervals(&shape, &m, SEED), 0);
	assert_within(m.refits, 30, FIT_REFITS);
	for (size_t i = 0; i < m.n; i++)
		assert_true(m.p[i].low <= m.p[i].value && m.p[i].value <= m.p[i].high &&
			    m.p[i].low < m.p[i].high);
	assert_near(m.p[2].value, 1.5, 0.0);
	free(name);
	free(text);
	free(copy);
}

RUN_ALL(numbers_by_hand, distances_by_hand, slow_steps_are_found, markov_is_found_again,
	phases_are_timed_while_ranks_wait,
	phases_are_found_again, bursts_are_found_again, the_right_model_is_best,
	ranks_that_are_slow_together_are_found, steps_tell_a_model_of_independent_ranks,
	racks_are_found_again, phases_of_a_worker_are_no_factor,
	phases_last_as_long_as_a_log_can_tell, nothing_is_found_where_nothing_is,
	intervals_hold_the_parameters)

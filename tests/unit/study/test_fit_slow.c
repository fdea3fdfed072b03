/* Kinds of slow ranks in logs whose truth is known: throughout, in bursts, both, neither. */
#include "study/fit/fit.h"

#include "core/base/mem.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS = 8, STEPS = 1000, SLOW = 5, SEEDS = 100 };

/* A log of steps around 0.3 s by a delay model, of noise 5 %; the caller releases it. */
static struct steplog made(const char *delay, size_t steps, uint64_t seed)
{
	char *copy = xstrdup(delay);
	const struct fit_model m = { .name = "", .delay = copy, .compute_s = 0.3 };
	struct steplog l;

	assert_int_equal(fit_simulate(&m, WORKERS, steps, NULL, seed, &l), 0);
	free(copy);
	return l;
}

/* Three bursts of a worker, 13 steps each: 3.9 % of 1000 steps. */
static void put_bursts(struct steplog *l, size_t worker, double factor)
{
	for (size_t from = 200; from <= 800; from += 300)
		for (size_t k = from; k < from + 13; k++)
			l->seconds[worker * l->steps + k] *= factor;
}

static void words_are(const struct outliers *o, size_t i, const char *want)
{
	size_t n;
	char *words = outliers_words(o, i, STEPS, &n);

	if (strncmp(words, want, strlen(want)) != 0)
		fail_msg("'%s' does not begin with '%s'", words, want);
	free(words);
}

static void no_alarm_without_a_slow_rank(void **state)
{
	static const char *const delays[] = { "gamma:cv=0.05", "lognormal:cv=0.3",
					      "gamma:cv=0.05 * static:cv=0.05" };

	for (size_t i = 0; i < sizeof(delays) / sizeof(delays[0]); i++) {
		size_t alarms = 0;

		for (uint64_t seed = 1; seed <= SEEDS; seed++) {
			struct steplog l = made(delays[i], STEPS, seed);
			struct outliers o = fit_outliers(&l);

			alarms += o.n;
			free(o.v);
			steplog_release(&l);
		}
		/* workers that differ by a law: one of 90 logs has one that is far */
		if (alarms > (strstr(delays[i], "static") ? 4 : 0))
			fail_msg("%s: %zu alarms in %d logs", delays[i], alarms, SEEDS);
	}
}

static void a_permanent_rank_and_bursts_are_told_apart(void **state)
{
	for (uint64_t seed = 1; seed <= 5; seed++) {
		struct steplog l = made("gamma:cv=0.05; 5: * static:cv=0,bad=1,bad_factor=1.31",
					STEPS, seed);
		struct outliers o;

		put_bursts(&l, 2, 2.1);
		o = fit_outliers(&l);
		assert_int_equal(o.n, 2);
		assert_int_equal(o.v[0].worker, 2);
		assert_true(o.v[0].phases && !o.v[0].throughout);
		assert_int_equal(o.v[0].bursts, 3);
		assert_within((long long)o.v[0].burst_steps, 38, 40);
		assert_near(o.v[0].of.factor, 2.1, 0.06);
		words_are(&o, 0, "rank 2 is slow in 3 bursts, 3.9 % of steps, 2.");
		assert_int_equal(o.v[1].worker, SLOW);
		assert_true(!o.v[1].phases && o.v[1].throughout);
		assert_true(o.v[1].low < o.v[1].level && o.v[1].level < o.v[1].high);
		assert_near(o.v[1].level, 1.31, 0.01);
		words_are(&o, 1, "rank 5 is slow throughout, 1.3");
		free(o.v);
		steplog_release(&l);
	}
}

static void a_rank_can_be_slow_in_both_ways(void **state)
{
	struct steplog l = made("gamma:cv=0.05; 5: * static:cv=0,bad=1,bad_factor=1.31", STEPS, 1);
	struct outliers o;

	put_bursts(&l, SLOW, 2.1);
	o = fit_outliers(&l);
	assert_int_equal(o.n, 1);
	assert_true(o.v[0].phases && o.v[0].throughout);
	assert_int_equal(o.v[0].bursts, 3);
	assert_near(o.v[0].level, 1.31, 0.01);
	assert_near(o.v[0].of.factor, 2.1, 0.06);
	free(o.v);
	steplog_release(&l);
}

/* Much noise makes no bursts of a factor; and bursts do not hide a small factor. */
static void a_slow_rank_is_slow_throughout(void **state)
{
	size_t found = 0;

	for (uint64_t seed = 1; seed <= 40; seed++) {
		const bool bursts = seed > 30;
		const double factor = bursts ? 1.12 : 1.25;
		struct steplog l = made("gamma:cv=0.2", 300, seed);
		struct outliers o;

		for (size_t k = 0; k < l.steps; k++)
			l.seconds[SLOW * l.steps + k] *=
				bursts && k % 60 < 15 ? 3.0 * factor : factor;
		o = fit_outliers(&l);
		found += o.n;
		for (size_t i = 0; i < o.n; i++)
			if (o.v[i].phases != bursts || !o.v[i].throughout ||
			    !check_is_near(o.v[i].level, factor, 0.07))
				fail_msg("seed %d: phases %d, throughout %d, %g", (int)seed,
					 o.v[i].phases, o.v[i].throughout, o.v[i].level);
		free(o.v);
		steplog_release(&l);
	}
	/* where means are far apart by chance, it is no outlier */
	if (found < 15)
		fail_msg("%zu found", found);
}

/* One burst, or bursts on all ranks at the same time, say nothing of one rank. */
static void bursts_of_all_are_of_none(void **state)
{
	struct steplog l = made("gamma:cv=0.05", STEPS, 1);
	struct burst_list b;
	struct outliers o;

	for (size_t w = 0; w < WORKERS; w++)
		put_bursts(&l, w, 2.1);
	b = bursts_find(&l);
	assert_int_equal(b.n, 3 * WORKERS);
	assert_true(b.v[4].worker == 1 && b.v[4].from == 500 && b.v[4].to == 513);
	free(b.v);
	o = fit_outliers(&l);
	assert_int_equal(o.n, 0);
	free(o.v);
	steplog_release(&l);
}

/* All 3 bursts on one of 8 equal workers: 8 / 8^3; 2 of 2: 8 / 8^2, which is chance. */
static void own_bursts_by_hand(void **state)
{
	struct burst v[] = { { 5, 0, 9 }, { 5, 20, 29 }, { 5, 40, 49 } };
	bool own[WORKERS];

	bursts_own(&(struct burst_list){ v, 3 }, WORKERS, own);
	assert_true(own[5] && !own[0]);
	bursts_own(&(struct burst_list){ v, 2 }, WORKERS, own);
	assert_false(own[5]);
}

/* The printed delay: a long run of it has the log's share of slow steps, and their factor. */
static void the_model_reproduces_the_bursts(void **state)
{
	struct steplog l = made("gamma:cv=0.05", STEPS, 3), run;
	struct outliers o;
	char *clauses, *delay;
	double sum = 0.0;

	put_bursts(&l, SLOW, 2.1);
	o = fit_outliers(&l);
	assert_int_equal(o.n, 1);
	clauses = outliers_clauses(&o, 0.3, false);
	delay = xasprintf("gamma:cv=0.05%s", clauses);
	run = made(delay, 40 * STEPS, 9);
	for (size_t k = 0; k < run.steps; k++)
		sum += run.seconds[SLOW * run.steps + k];
	/* 0.3 s (1 + 0.039 x 1.1), of about 120 bursts */
	assert_near(sum / (double)run.steps / 0.3 - 1.0, 0.043, 0.012);
	steplog_release(&run);
	steplog_release(&l);
	free(o.v);
	free(clauses);
	free(delay);
}

RUN_ALL(no_alarm_without_a_slow_rank, a_permanent_rank_and_bursts_are_told_apart,
	a_rank_can_be_slow_in_both_ways, a_slow_rank_is_slow_throughout,
	bursts_of_all_are_of_none, own_bursts_by_hand, the_model_reproduces_the_bursts)

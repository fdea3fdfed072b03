/* Delay models over time: racks, alternating renewal, periods, profiles. */
#include "core/base/mem.h"
#include "delays/delay.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>

enum { SEED = 11 };

static struct delays *parse(const char *text, int workers)
{
	struct delays *d = delays_new(delay_table, text, workers, NULL);

	assert_non_null(d);
	return d;
}

static struct delay_moments moments(const struct delays *d)
{
	const struct choice *model = &d->clause[0].model[0];

	return ((const struct delay *)model->plugin)->moments(model->conf);
}

static double correlation(const double *x, const double *y, int n)
{
	double mx = 0, my = 0, xy = 0, xx = 0, yy = 0;

	for (int i = 0; i < n; i++) {
		mx += x[i] / n;
		my += y[i] / n;
	}
	for (int i = 0; i < n; i++) {
		xy += (x[i] - mx) * (y[i] - my);
		xx += (x[i] - mx) * (x[i] - mx);
		yy += (y[i] - my) * (y[i] - my);
	}
	return xy / sqrt(xx * yy);
}

enum { EPOCHS = 40000 };

/* Racks of two: var(rack) / var(rack x own) = 0.09 / (1.09 1.01 - 1) within, 0 between. */
static void racks_are_slow_together(void **state)
{
	struct delays *d = parse("gamma:cv=0.1 * rack:size=2,every_s=5,cv=0.3", 4);
	double *x[3];

	for (int k = 0; k < 3; k++)
		x[k] = xcalloc(EPOCHS, sizeof(double));
	for (int i = 0; i < EPOCHS; i++)
		for (int k = 0; k < 3; k++)
			x[k][i] = delays_factor(d, SEED, k, i, 5.0 * i + k);
	assert_near(correlation(x[0], x[1], EPOCHS), 0.09 / (1.09 * 1.01 - 1.0), 0.004);
	assert_near(correlation(x[0], x[2], EPOCHS), 0.0, 4.0 / sqrt(EPOCHS));
	assert_near(correlation(x[0], x[0] + 1, EPOCHS - 1), 0.0, 4.0 / sqrt(EPOCHS));
	for (int k = 0; k < 3; k++)
		free(x[k]);
	delays_free(d);
}

/* A draw holds for an epoch, for the whole rack, whatever gradient asks. */
static void a_rack_draws_once_an_epoch(void **state)
{
	struct delays *d = parse("rack:size=2,every_s=5", 4);
	const double first = delays_factor(d, SEED, 0, 0, 5.0);

	assert_near(delays_factor(d, SEED, 1, 7, 9.99), first, 0.0);
	assert_false(check_is_near(delays_factor(d, SEED, 0, 0, 4.99), first, 1e-9));
	assert_false(check_is_near(delays_factor(d, SEED, 2, 0, 5.0), first, 1e-9));
	assert_near(delays_factor(d, SEED, 0, 3, 5.0), first, 0.0);
	delays_free(d);
}

struct sojourns {
	double n[2], sum[2], long_ones[2];      /* fast, slow; longer than the mean */
};

/* Steps through time and notes how long each state lasts. */
static struct sojourns watch(struct delays *d, const double mean[2], double end)
{
	const double dt = 0.002;
	struct sojourns s = { { 0 }, { 0 }, { 0 } };
	double since = -1.0;
	int last = -1;

	for (int64_t i = 0; (double)i * dt < end; i++) {
		const int now = delays_factor(d, SEED, 0, 0, (double)i * dt) > 1.5;

		if (now != last && last >= 0 && since >= 0.0) {
			const double length = (double)i * dt - since;

			s.n[last]++;
			s.sum[last] += length;
			s.long_ones[last] += length > mean[last];
		}
		if (now != last && last >= 0)
			since = (double)i * dt;
		last = now;
	}
	return s;
}

/* Exponential sojourns: their means, and 1/e of them longer than that. */
static void markov_alternates(void **state)
{
	struct delays *d = parse("markov:factor=2,fast_s=2,slow_s=1", 1);
	const double mean[2] = { 2.0, 1.0 }, e = exp(-1.0);
	const struct sojourns s = watch(d, mean, 9000.0);

	for (int k = 0; k < 2; k++) {
		assert_near(s.n[k], 3000.0, 200.0);
		assert_near(s.sum[k] / s.n[k], mean[k], 4.0 * mean[k] / sqrt(s.n[k]) + 0.002);
		assert_near(s.long_ones[k] / s.n[k], e, 4.0 * sqrt(e * (1 - e) / s.n[k]));
	}
	delays_free(d);
}

/* Late in a run of many sojourns the answer comes at once, with or without a memo. */
static void markov_comes_to_an_end(void **state)
{
	struct delays *d = parse("markov:factor=3,fast_s=0.001,slow_s=0.003", 2000);
	double slow = 0;

	for (int i = 0; i < 20; i++) {
		const double f = delays_factor(d, SEED, i, 0, 1e12 + i);

		assert_true(f == 1.0 || f == 3.0);
		assert_true(f == delays_factor(d, SEED, i, 0, 1e12 + i));
	}
	for (int i = 0; i < 2000; i++)
		slow += delays_factor(d, SEED, i, 0, 400.0 * 3) == 3.0;
	assert_near(slow / 2000, 0.75, 4.0 * sqrt(0.1875 / 2000));
	delays_free(d);
}

/* The share of slow workers is the same at the beginning and later. */
static void markov_is_stationary(void **state)
{
	enum { WORKERS = 40000 };
	struct delays *d = parse("markov:factor=4,fast_s=9,slow_s=1", WORKERS);
	const double times[] = { 0.0, 0.7, 30.0 };

	for (int k = 0; k < 3; k++) {
		double slow = 0;

		for (int i = 0; i < WORKERS; i++)
			slow += delays_factor(d, SEED, i, 0, times[k]) > 3.9;
		assert_near(slow / WORKERS, 0.1, 4.0 * sqrt(0.09 / WORKERS));
	}
	delays_free(d);
}

/* The i-th of some questions in no order, to models that were asked nothing before, or were. */
static double answer(const char *text, struct delays *asked, uint64_t seed, int i)
{
	struct delays *d = asked ? asked : parse(text, 3);
	const double x = delays_factor(d, seed, i % 3, i * 7 % 50, (double)(i * 37 % 101) * 0.9);

	if (!asked)
		delays_free(d);
	return x;
}

static void check_addresses(const char *text)
{
	struct delays *one = parse(text, 3), *two = parse(text, 3);

	for (int i = 0; i < 300; i++) {
		const uint64_t seed = i % 7 ? SEED : SEED + 1;

		assert_near(answer(text, one, SEED, i), answer(text, NULL, SEED, i), 0.0);
		assert_near(answer(text, two, seed, i), answer(text, NULL, seed, i), 0.0);
	}
	assert_false(check_is_near(answer(text, one, SEED, 5), answer(text, one, SEED + 1, 5),
				   1e-9));
	delays_free(one);
	delays_free(two);
}

/* Virtual time decides: what was asked before, of which worker and run, changes nothing. */
static void factors_are_functions_of_their_address(void **state)
{
	check_addresses("gamma * cvb * rack:every_s=2 * markov:fast_s=3,slow_s=2; "
			"1: * periodic:period_s=3,slow_s=1");
	check_addresses("phases:fast_s=7,slow_s=5,depth_cv=1 * static * "
			"bursts:calm_s=4,burst_s=3; 1: * phases:fast_s=2,slow_s=1");
	check_addresses("gamma:cv=2 * lognormal; 1: * exponential; 2: pareto");
}

static void periodic_by_hand(void **state)
{
	struct delays *d = parse("periodic:period_s=10,slow_s=2,start_s=1,stagger_s=3", 2);
	struct delays *even = parse("periodic:factor=9,period_s=8,slow_s=1,normalise=true", 1);

	assert_near(delays_factor(d, SEED, 0, 0, 0.0), 1.0, 0.0);
	assert_near(delays_factor(d, SEED, 0, 0, 1.0), 10.0, 0.0);
	assert_near(delays_factor(d, SEED, 0, 0, 2.99), 10.0, 0.0);
	assert_near(delays_factor(d, SEED, 0, 0, 3.0), 1.0, 0.0);
	assert_near(delays_factor(d, SEED, 0, 0, 11.5), 10.0, 0.0);
	assert_near(delays_factor(d, SEED, 1, 0, 1.0), 1.0, 0.0);
	assert_near(delays_factor(d, SEED, 1, 0, 4.0), 10.0, 0.0);
	assert_near(delays_factor(d, SEED, 1, 0, 14.1), 10.0, 0.0);
	assert_near(delays_factor(even, SEED, 0, 0, 0.5), 4.5, 1e-12);
	assert_near(delays_factor(even, SEED, 0, 0, 1.5), 0.5, 1e-12);
	delays_free(d);
	delays_free(even);
}

/* Ten times slower from 60 s on for 30 s, once and every 100 s. */
static void profile_by_hand(void **state)
{
	struct delays *once = parse("profile:at_s=60/90,factor=10/1", 1);
	struct delays *loop = parse("profile:at_s=60/90,factor=10/1,period_s=100", 1);

	assert_near(delays_factor(once, SEED, 0, 0, 59.9), 1.0, 0.0);
	assert_near(delays_factor(once, SEED, 0, 0, 60.0), 10.0, 0.0);
	assert_near(delays_factor(once, SEED, 0, 0, 89.9), 10.0, 0.0);
	assert_near(delays_factor(once, SEED, 0, 0, 90.0), 1.0, 0.0);
	assert_near(delays_factor(once, SEED, 0, 0, 165.0), 1.0, 0.0);
	assert_near(delays_factor(loop, SEED, 0, 0, 165.0), 10.0, 0.0);
	assert_near(delays_factor(loop, SEED, 0, 0, 195.0), 1.0, 0.0);
	assert_near(delays_factor(loop, SEED, 0, 0, 259.0), 1.0, 0.0);
	assert_near(moments(loop).mean, 0.7 + 3.0, 1e-12);
	assert_near(moments(loop).deviation, 9.0 * sqrt(0.3 * 0.7), 1e-12);
	delays_free(once);
	delays_free(loop);
}

/* Of two workers each knows half of the samples after an epoch, three quarters after the next. */
static void first_use_by_hand(void **state)
{
	struct delays *two = parse("first-use:extra=0.8,gradients=10,workers=2", 2);
	struct delays *one = parse("first-use:extra=0.8,gradients=10", 1);

	assert_near(delays_factor(two, SEED, 0, 0, 0.0), 1.8, 0.0);
	assert_near(delays_factor(two, SEED, 1, 9, 5.0), 1.8, 0.0);
	assert_near(delays_factor(two, SEED, 1, 10, 5.0), 1.4, 1e-12);
	assert_near(delays_factor(two, SEED, 0, 29, 5.0), 1.2, 1e-12);
	assert_near(delays_factor(one, SEED, 0, 9, 0.0), 1.8, 0.0);
	assert_near(delays_factor(one, SEED, 0, 10, 0.0), 1.0, 0.0);
	delays_free(two);
	delays_free(one);
}

RUN_ALL(racks_are_slow_together, a_rack_draws_once_an_epoch, markov_alternates,
	markov_is_stationary, markov_comes_to_an_end, factors_are_functions_of_their_address,
	periodic_by_hand, profile_by_hand, first_use_by_hand)

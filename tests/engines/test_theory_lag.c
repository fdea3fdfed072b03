/*
 * How stale a parameter server's gradients are, and how much faster it steps than a synchronous
 * run, with gamma-distributed times of mean 1: the simulation of Barkai et al. 2019, whose
 * values are computed from its definition. Exponential times have a closed form.
 */
#include "tests/support/check.h"
#include "tests/support/toy.h"

#include <math.h>
#include <stdlib.h>

enum { UPDATES = 20000, MOST = 4096 };

struct lags {
	struct hook hook;
	int64_t count[MOST];    /* steps of each staleness */
	double sum;
};

static void note_step(struct hook *h, const struct event *ev)
{
	struct lags *l = (struct lags *)h;

	assert_within(ev->staleness, 0, MOST - 1);
	l->count[ev->staleness]++;
	l->sum += (double)ev->staleness;
}

/* Seconds of virtual time in which `workers` deliver so many gradients. */
static double run_seed(const char *algo, int workers, const char *delay, uint64_t seed,
		       int64_t gradients, struct lags *l)
{
	struct toy t;
	double time;

	*l = (struct lags){ .hook = { .mask = 1u << EV_STEP, .event = note_step } };
	toy_open(&t, algo, workers, "sgd");
	toy_delay(&t, delay);
	t.threads = 0;
	t.run.epochs = 0.0;
	t.run.gradients = gradients;
	t.run.seed = seed;
	t.run.hooks = &l->hook;
	toy_run(&t);
	time = t.result.time;
	toy_close(&t);
	return time;
}

static double run(const char *algo, int workers, const char *delay, struct lags *l)
{
	return run_seed(algo, workers, delay, 1, UPDATES, l);
}

/* The smallest lag that a share p of the steps does not exceed. */
static int64_t quantile(const struct lags *l, double p)
{
	int64_t seen = 0, lag = 0, all = 0;

	for (lag = 0; lag < MOST; lag++)
		all += l->count[lag];
	for (lag = 0; lag < MOST; lag++) {
		seen += l->count[lag];
		if ((double)seen >= p * (double)all)
			break;
	}
	return lag;
}

static void assert_in_between(double x, double low, double high)
{
	assert_true(low <= x && x <= high);
}

/* Within 5 %, or the one step that such a number is rounded to. */
static void assert_lag(int64_t lag, double expected)
{
	assert_near((double)lag, expected, fmax(0.05 * expected, 1.0));
}

static void lags_and_rates_of_equal_workers(void **state)
{
	static const struct {
		int workers;
		double p1, p99, ratio;
	} row[] = { { 4, 1, 5, 1.11 }, { 8, 4, 10, 1.15 }, { 16, 10, 20, 1.19 },
		    { 32, 22, 40, 1.22 }, { 64, 46, 80, 1.25 } };
	static struct lags l;

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		const double async = run("asgd", row[i].workers, "gamma:cv=0.1", &l);

		assert_near(l.sum / UPDATES, row[i].workers - 1.0, 0.05 * (row[i].workers - 1.0));
		assert_lag(quantile(&l, 0.01), row[i].p1);
		assert_lag(quantile(&l, 0.99), row[i].p99);
		assert_near(run("allreduce", row[i].workers, "gamma:cv=0.1", &l) / async,
			    row[i].ratio, 0.05 * row[i].ratio);
	}
}

/*
 * Without memory every step is that of any group, with 1/M: the lag is geometric of mean M - 1, so
 * P(0) = 1/M, and an all-reduce of M takes 1 + 1/2 + ... + 1/M.
 */
static void exponential_times_make_geometric_lags(void **state)
{
	static const int workers[] = { 2, 5, 16 };
	static struct lags l;

	for (size_t i = 0; i < sizeof(workers) / sizeof(workers[0]); i++) {
		const int m = workers[i];
		const double async = run("asgd", m, "gamma:cv=1", &l);
		double harmonic = 0.0;

		for (int k = 1; k <= m; k++)
			harmonic += 1.0 / k;
		assert_near(async, (double)UPDATES / m, 0.05 * UPDATES / m);
		assert_near(l.sum / UPDATES, m - 1.0, 0.05 * (m - 1.0));
		assert_near((double)l.count[0] / UPDATES, 1.0 / m, 0.05 / m);
		assert_near((double)quantile(&l, 0.99), log(0.01) / log(1.0 - 1.0 / m),
			    fmax(0.05 * log(0.01) / log(1.0 - 1.0 / m), 1.0));
		assert_near(run("allreduce", m, "gamma:cv=1", &l) / async, harmonic,
			    0.05 * harmonic);
	}
}

enum { SEEDS = 100, FEWER = 4000 };

struct drawn {                  /* of one number of workers, by seed */
	double ratio[SEEDS];    /* times of synchronous and of asynchronous steps */
	double lag[SEEDS];      /* p99 */
	double rate, round;     /* means: steps a second, seconds of a synchronous step */
};

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void draw_workers(struct drawn *d, int workers)
{
	static const char delay[] = "cvb:v_mach=0.6,v_task=0.1";
	static struct lags l;

	*d = (struct drawn){ 0 };
	for (int s = 0; s < SEEDS; s++) {
		const double async = run_seed("asgd", workers, delay, (uint64_t)s + 1, FEWER, &l);
		double sync;

		d->lag[s] = (double)quantile(&l, 0.99);
		sync = run_seed("allreduce", workers, delay, (uint64_t)s + 1, FEWER, &l);
		d->ratio[s] = sync / async;
		d->rate += FEWER / async / SEEDS;
		d->round += sync * workers / FEWER / SEEDS;
	}
	qsort(d->ratio, SEEDS, sizeof(d->ratio[0]), ascending);
	qsort(d->lag, SEEDS, sizeof(d->lag[0]), ascending);
}

/* E max of so many times of Gamma(1/v^2, v^2): the integral of 1 - F^n. */
static double mean_of_slowest(int n, double v)
{
	const double shape = 1.0 / (v * v), scale = v * v, step = 1e-3;
	double f = 0.0, mean = 0.0;

	for (double x = step / 2.0; x < 20.0; x += step) {
		f += step * exp((shape - 1.0) * log(x / scale) - x / scale - lgamma(shape)) / scale;
		mean += step * (1.0 - pow(fmin(f, 1.0), n));
	}
	return mean;
}

/*
 * Workers' means are drawn once, m ~ Gamma(1/0.36, 0.36): steps come at N E[1/m] = N / (1 - 0.36)
 * on average over draws, and a synchronous step takes as long as the slowest of N. The published
 * setting's values are of one draw each, and so must be likely ones; the medians are those of an
 * event loop written apart from this one, over 60 draws or more.
 */
static void lags_and_rates_of_unequal_workers(void **state)
{
	static const struct {
		int workers;
		double p99, median_p99, median_ratio;
	} row[] = { { 4, 15, 9, 2.12 }, { 8, 33, 23, 2.78 },
		    { 16, 47, 54, 3.48 }, { 32, 97, 110, 4.15 } };
	double rate = 0.0, ratio = 0.0;

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		const int n = row[i].workers;
		struct drawn d;

		draw_workers(&d, n);
		assert_in_between(row[i].p99, d.lag[SEEDS / 20], d.lag[SEEDS - SEEDS / 20]);
		assert_near(d.lag[SEEDS / 2], row[i].median_p99, 0.15 * row[i].median_p99);
		assert_near(d.ratio[SEEDS / 2], row[i].median_ratio, 0.15 * row[i].median_ratio);
		assert_near(d.round, mean_of_slowest(n, 0.6), 0.1 * d.round);
		rate += d.rate / n / 4.0;
		for (int s = 0; s < SEEDS; s++)
			ratio += d.ratio[s] / SEEDS / 4.0;
	}
	assert_near(rate, 1.0 / (1.0 - 0.36), 0.1);
	assert_in_between(ratio, 3.0, 4.0);
}

RUN_ALL(lags_and_rates_of_equal_workers, exponential_times_make_geometric_lags,
	lags_and_rates_of_unequal_workers)

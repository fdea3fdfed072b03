/*
 * How stale a parameter server's gradients are, and how much faster it steps than a synchronous
 * run, with gamma-distributed times of mean 1: the simulation of Barkai et al. 2019, whose
 * values are computed from its definition. Exponential times have a closed form.
 */
#include "tests/support/check.h"
#include "tests/support/toy.h"

#include <math.h>

enum { UPDATES = 20000, MOST = 4096 };

struct lags {
	struct hook hook;
	int64_t count[MOST];    /* steps of each staleness */
	double sum;
};

static void note_step(struct hook *h, const struct event *ev)
{
	struct lags *l = (struct lags *)h;

	assert_in_range(ev->staleness, 0, MOST - 1);
	l->count[ev->staleness]++;
	l->sum += (double)ev->staleness;
}

/* Seconds of virtual time in which `workers` deliver UPDATES gradients. */
static double run(const char *algo, int workers, const char *delay, struct lags *l)
{
	struct toy t;
	double time;

	*l = (struct lags){ .hook = { .mask = 1u << EV_STEP, .event = note_step } };
	toy_open(&t, algo, workers, "sgd");
	toy_delay(&t, delay);
	t.threads = 0;
	t.run.epochs = 0.0;
	t.run.gradients = UPDATES;
	t.run.hooks = &l->hook;
	toy_run(&t);
	time = t.result.time;
	toy_close(&t);
	return time;
}

/* The smallest lag that a share p of the steps does not exceed. */
static int64_t quantile(const struct lags *l, double p)
{
	int64_t seen = 0, lag = 0;

	for (lag = 0; lag < MOST; lag++) {
		seen += l->count[lag];
		if ((double)seen >= p * UPDATES)
			break;
	}
	return lag;
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

	(void)state;
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
 * Without memory every step is anybody's, with 1/M: the lag is geometric of mean M - 1, so
 * P(0) = 1/M, and an all-reduce of M takes 1 + 1/2 + ... + 1/M.
 */
static void exponential_times_make_geometric_lags(void **state)
{
	static const int workers[] = { 2, 5, 16 };
	static struct lags l;

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lags_and_rates_of_equal_workers),
		cmocka_unit_test(exponential_times_make_geometric_lags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

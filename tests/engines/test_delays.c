/* Delay models in virtual time: a factor has exactly its effect, and on no other worker. */
#include "tests/support/check.h"
#include "tests/support/toy.h"

#include <math.h>
#include <string.h>

static struct toy timing(const char *algo, int workers, int64_t gradients, const char *delay)
{
	struct toy t;

	toy_open(&t, algo, workers, "sgd");
	t.threads = 0;
	t.run.epochs = 0.0;
	t.run.gradients = gradients;
	toy_delay(&t, delay);
	return t;
}

static double time_of(const char *algo, int workers, int64_t gradients, const char *delay)
{
	struct toy t = timing(algo, workers, gradients, delay);
	double time;

	toy_run(&t);
	time = t.result.time;
	toy_close(&t);
	return time;
}

/* Gradients that begin in [1, 3) take five times as long, and again 20 s later. */
static void a_profile_has_exactly_its_effect(void **state)
{
	const char *once = "profile:at_s=1/3,factor=5/1";
	const char *loop = "profile:at_s=1/3,factor=5/1,period_s=20";

	assert_near(time_of("allreduce", 1, 4, once), 1.0 + 5.0 + 1.0 + 1.0, 1e-12);
	assert_near(time_of("allreduce", 1, 20, once), 1.0 + 5.0 + 18.0, 1e-12);
	/* Begins at 0, 1, 6, 7, ..., 20, 21, 26, ...: the 17th and 18th are at 20 and 21. */
	assert_near(time_of("allreduce", 1, 18, loop), 20.0 + 1.0 + 5.0, 1e-12);
}

/* Slow in [0, 2), [10, 12), ...: 3 s each there. */
static void a_period_has_exactly_its_effect(void **state)
{
	const char *text = "periodic:factor=3,period_s=10,slow_s=2";

	assert_near(time_of("allreduce", 1, 1, text), 3.0, 1e-12);
	assert_near(time_of("allreduce", 1, 8, text), 3.0 + 7.0, 1e-12);
	assert_near(time_of("allreduce", 1, 9, text), 3.0 + 7.0 + 3.0, 1e-12);
}

/* The same with one slow worker of two, slowed by --slow. */
static double time_of_slow(const char *delay, double factor)
{
	const struct slow slow = { .rank = 1, .factor = factor };
	struct toy t = timing("allreduce", 2, 40, delay);
	double time;

	t.sim.pace.slow = &slow;
	t.sim.pace.nslow = 1;
	toy_run(&t);
	time = t.result.time;
	toy_close(&t);
	return time;
}

/* Worker 1 of two sets the pace, whatever says that it is slow. */
static void a_clause_is_a_slow_worker(void **state)
{
	assert_near(time_of("allreduce", 2, 40, "gamma:cv=0.3; 1: * profile:at_s=0,factor=3"),
		    time_of_slow("gamma:cv=0.3", 3.0), 1e-12);
	assert_near(time_of_slow("profile:at_s=0,factor=2", 3.0), 20 * 6.0, 1e-9);
	assert_near(time_of("allreduce", 2, 40, "1: profile:at_s=0,factor=3"), 20 * 3.0, 1e-9);
}

static void computes(const char *delay, double seconds[4])
{
	struct toy t = timing("allreduce", 4, 400, delay);

	toy_run(&t);
	for (int i = 0; i < 4; i++)
		seconds[i] = t.nodes[i].ledger.compute;
	toy_close(&t);
}

/* Turning one worker's knob leaves the draws of the others as they are, bit for bit. */
static void a_knob_turns_one_worker(void **state)
{
	static const char *const onto[] = {
		"markov:fast_s=9,slow_s=3", "periodic:period_s=7,slow_s=1", "lognormal:cv=1",
		"cvb", "rack:size=1,cv=0.5", "profile:at_s=5,factor=2", "exponential",
	};
	double plain[4], turned[4];
	char text[80];

	computes("gamma:cv=0.3", plain);
	for (size_t k = 0; k < sizeof(onto) / sizeof(onto[0]); k++) {
		strcpy(text, "gamma:cv=0.3; 2: * ");
		strcat(text, onto[k]);
		computes(text, turned);
		for (int i = 0; i < 4; i++)
			assert_int_equal(memcmp(&plain[i], &turned[i], sizeof(double)) == 0,
					 i != 2);
	}
}

/*
 * Updates of a server over those of all-reduce, communication being free: N over the mean largest
 * of N times, 1.11, 1.15, 1.19 and 1.22 at deviation 0.1 (Barkai et al. 2019's clusters).
 */
static void async_over_sync_with_equal_workers(void **state)
{
	const int workers[] = { 4, 8, 16, 32 };
	const double ratio[] = { 1.11, 1.15, 1.19, 1.22 };

	for (int k = 0; k < 4; k++) {
		const int64_t n = 400 * workers[k];

		assert_near(time_of("allreduce", workers[k], n, "gamma:cv=0.1") /
			    time_of("asgd", workers[k], n, "gamma:cv=0.1"), ratio[k], 0.012);
	}
}

/* A worker's mean as this seed draws it. */
static double machine(struct delays *d, uint64_t seed, int rank)
{
	double sum = 0.0;

	for (int i = 0; i < 1000; i++)
		sum += delays_factor(d, seed, rank, i, 0.0) / 1000;
	return sum;
}

/* Workers of different speeds: asynchronous ones add up, synchronous ones wait for the slowest. */
static void async_over_sync_with_unequal_workers(void **state)
{
	enum { WORKERS = 16 };
	struct toy t = timing("asgd", WORKERS, 200 * WORKERS, "cvb");
	double rate = 0.0, slowest = 0.0, async, sync;

	for (int i = 0; i < WORKERS; i++) {
		const double m = machine(t.sim.pace.delays, t.run.seed, i);

		rate += 1.0 / m;
		slowest = fmax(slowest, m);
	}
	toy_run(&t);
	async = t.result.time;
	toy_close(&t);
	sync = time_of("allreduce", WORKERS, 200 * WORKERS, "cvb");
	assert_near(async * rate / (200 * WORKERS), 1.0, 0.015);
	assert_near(sync / 200 / slowest, 1.0, 0.05);
	assert_true(sync / async > 1.6);
}

RUN_ALL(a_profile_has_exactly_its_effect, a_period_has_exactly_its_effect,
	a_clause_is_a_slow_worker, a_knob_turns_one_worker, async_over_sync_with_equal_workers,
	async_over_sync_with_unequal_workers)

/* Closed forms computed by hand, and a verdict that can fail. */
#include "study/verify.h"
#include "tests/support/check.h"

#include <math.h>

/* One worker: no wait. Two: by the states of the chain; with constant updates, K = e^D. */
static void queues_by_hand(void **state)
{
	const double e = exp(1.0);

	assert_near(exact_closed_queue(1, 5.0, 0.7, true), 0.7, 1e-12);
	assert_near(exact_closed_queue(1, 5.0, 0.7, false), 0.7, 1e-12);
	/* rates 2, 1 and back 1, 1: states 0, 1, 2 have 1 : 2 : 2, throughput 4/5 */
	assert_near(exact_closed_queue(2, 1.0, 1.0, true), 2.0 / 0.8 - 1.0, 1e-12);
	assert_near(exact_closed_queue(2, 1.0, 1.0, false), 2.0 * (0.5 + e) / e - 1.0, 1e-12);
}

/* As workers grow, the closed queue becomes the open one. */
static void limits(void **state)
{
	assert_near(exact_closed_queue(1000000, 1e6, 0.5, true), 0.5 / 0.5, 1e-5);
	assert_near(exact_closed_queue(1000000, 1e6, 0.5, false), 0.5 * 1.5, 1e-5);
}

static void harmonic_numbers(void **state)
{
	assert_near(exact_harmonic(0, 4), 25.0 / 12.0, 1e-12);
	assert_near(exact_harmonic(2, 4), 7.0 / 12.0, 1e-12);
}

/*
 * Rates 1/2 and 1, share 1/3, rate of both 3/2, L = 1 / (1 + 3/2) for exponential times (cv 1) and
 * 1 / (1 + 9/2) for those three times as long: to_slow = 1/3 3/5, to_fast = 2/3 9/11.
 */
static void slow_phases_by_hand(void **state)
{
	const double to_slow = 0.2, to_fast = 6.0 / 11.0;

	assert_near(exact_modulated(2.0, 1.0, 3.0, 1.0),
		    (to_fast + 3.0 * to_slow) / (to_fast + to_slow), 1e-12);
	assert_near(exact_modulated(2.0, 1.0, 1.0, 0.4), 1.0, 1e-12);
	assert_near(exact_modulated(7.0, 3.0, 4.0, 1e-4), exact_modulated(7.0, 3.0, 4.0, 0.0),
		    1e-6);
	/* one worker's barrier is none; long phases: the share of time, and of rounds by length */
	assert_near(exact_modulated_barrier(1, 7.0, 3.0, 4.0), exact_modulated(7.0, 3.0, 4.0, 0.0),
		    1e-9);
	assert_near(exact_modulated_barrier(2, 9e6, 1e6, 2.0), 1.0 / (0.81 + 0.19 / 2.0), 1e-5);
	assert_near(exact_phases(3e6, 1e6, 2.0), 4.0 / 3.5, 1e-6);
	/* exponential phases are such, too */
	assert_near(exact_phases(200.0, 100.0, 2.0), exact_modulated(200.0, 100.0, 2.0, 0.0), 1e-4);
}

static bool holds(const char *settings, bool random, double exact)
{
	const struct verify_case c = { .name = "test", .law = "", .settings = settings,
				       .warmup = 2, .gradients = 4000, .per = 2, .random = random,
				       .exact = exact };
	struct verified v;

	assert_int_equal(verify_run(&c, 1, &v), 0);
	return v.holds;
}

static void a_wrong_law_fails(void **state)
{
	assert_true(holds("algo=allreduce workers=2 slow=1:2", false, 2.0));
	assert_false(holds("algo=allreduce workers=2 slow=1:2", false, 2.0 + 1e-8));
	assert_true(holds("algo=allreduce workers=2 delay=gamma:cv=1", true, 1.5));
	assert_false(holds("algo=allreduce workers=2 delay=gamma:cv=1", true, 1.65));
}

RUN_ALL(queues_by_hand, limits, harmonic_numbers, slow_phases_by_hand, a_wrong_law_fails)

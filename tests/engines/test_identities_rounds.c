/* Servers that gather, hold back or leave out gradients: limit cases, the optimum, the end. */
#include "core/math/vec.h"
#include "tests/support/check.h"
#include "tests/support/toy.h"

#include <string.h>

enum { DIM = 5, SAMPLES = 256, WORKERS = 6 };

static const char plain[] = "sgd:momentum=0,weight_decay=0";

static void rough(struct toy *t, int seed)
{
	toy_rough(t);
	t->run.seed = (uint64_t)seed;
}

static void open_both(struct toy *a, const char *one, struct toy *b, const char *other,
		      const char *optim)
{
	toy_open(a, one, WORKERS, optim);
	toy_open(b, other, WORKERS, optim);
	rough(a, 3);
	rough(b, 3);
}

/* Both end bit-identical, on the same rough network; *a and *b are still to be closed. */
static void run_equal(struct toy *a, const char *one, struct toy *b, const char *other)
{
	open_both(a, one, b, other, "sgd");
	toy_run(a);
	toy_run(b);
	if (memcmp(a->model, b->model, DIM * sizeof(float)))
		fail_msg("%s is not %s", one, other);
}

static void close_both(struct toy *a, struct toy *b)
{
	toy_close(a);
	toy_close(b);
}

/* Where all workers are waited for, a step is that of the all-reduce. */
static void waiting_for_all_is_allreduce(void **state)
{
	static const char *const all[] = { "backup:b=0", "k-sync:k=6", "groups:groups=1" };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct toy a, b;

		run_equal(&a, all[i], &b, "allreduce");
		assert_int_equal(a.nodes[WORKERS].step, 3 * SAMPLES / 4 / WORKERS);
		close_both(&a, &b);
	}
}

/* The same, added in the order of arrival. */
static void k_async_of_all_is_allreduce_to_rounding(void **state)
{
	struct toy a, b;

	open_both(&a, "k-async:k=6", &b, "allreduce", "sgd");
	toy_run(&a);
	toy_run(&b);
	assert_true(vec_dist(DIM, a.model, b.model) < 1e-5);
	close_both(&a, &b);
}

/* Where a step takes one gradient and no worker waits, all is asynchronous SGD: bits and clock. */
static void steps_of_one_are_asgd(void **state)
{
	static const char *const one[] = { "k-async:k=1", "k-batch-async:k=1", "softsync:n=6",
					   "ssp:bound=inf", "groups:groups=6",
					   "ringmaster:threshold=inf",
					   "ringmaster:threshold=inf,stop=true" };

	for (size_t i = 0; i < sizeof one / sizeof *one; i++) {
		struct toy a, b;

		run_equal(&a, one[i], &b, "asgd");
		assert_true(a.result.time == b.result.time);
		close_both(&a, &b);
	}
}

static void rules_that_meet(void **state)
{
	static const char *const same[][2] = {
		{ "rennala:batch=1", "ringmaster:threshold=1" },
		{ "softsync:n=1", "k-batch-async:k=6" },
		{ "softsync:n=2", "k-batch-async:k=3" },
	};

	for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
		struct toy a, b;

		run_equal(&a, same[i][0], &b, same[i][1]);
		close_both(&a, &b);
	}
}

/* One worker that gathers 4 gradients of 4 samples is one with a batch of 16. */
static void gathering_alone_is_a_larger_batch(void **state)
{
	static const char *const four[] = { "rennala:batch=4", "k-batch-sync:k=4" };

	for (size_t i = 0; i < sizeof four / sizeof *four; i++) {
		struct toy a, b;

		toy_open(&a, four[i], 1, "sgd");
		toy_open(&b, "asgd", 1, "sgd");
		b.run.batch = 16;
		toy_run(&a);
		toy_run(&b);
		assert_int_equal(a.nodes[1].step, b.nodes[1].step);
		assert_true(vec_dist(DIM, a.model, b.model) < 1e-5);
		close_both(&a, &b);
	}
}

/* In rounds: n steps of one gradient each, all taken at one model, are one of n times the size. */
static void ssp_of_bound_0_is_synchronous(void **state)
{
	struct toy a, b;

	open_both(&a, "ssp:bound=0", &b, "allreduce", plain);
	b.run.lr.base = 0.1 * WORKERS;
	toy_run(&a);
	toy_run(&b);
	assert_true(vec_dist(DIM, a.model, b.model) < 1e-5);
	close_both(&a, &b);
}

/* All begin again at every step. On an ideal link, since the two send in another order. */
static void stopping_at_every_step_is_1_sync(void **state)
{
	struct toy a, b;

	open_both(&a, "ringmaster:threshold=1,stop=true", &b, "k-sync:k=1", "sgd");
	toy_link(&a, "ideal");
	toy_link(&b, "ideal");
	toy_run(&a);
	toy_run(&b);
	assert_memory_equal(a.model, b.model, DIM * sizeof(float));
	assert_true(a.result.time == b.result.time);
	close_both(&a, &b);
}

static double distance_to_optimum(const float *x)
{
	float best[DIM];

	toy_optimum(DIM, SAMPLES, best);
	return vec_dist(DIM, x, best);
}

static const char *const every[] = {
	"backup", "k-sync", "k-batch-sync", "k-async", "k-batch-async", "softsync",
	"softsync:n=1,modulate=true", "ssp", "ssp:bound=0", "rennala", "ringmaster",
	"ringmaster:threshold=1,stop=true", "groups",
};

enum { EVERY = sizeof every / sizeof *every };

static void converge(const char *algo, int workers)
{
	struct choice schedule = { 0 };
	struct toy t;

	toy_open(&t, algo, workers, plain);
	rough(&t, 5);
	assert_int_equal(choice_parse(&schedule, schedule_table, "schedule", "poly"), 0);
	t.run.lr.schedule = schedule;
	t.run.lr.epochs = t.run.epochs = 100;
	toy_run(&t);
	if (distance_to_optimum(t.model) >= 0.05)
		fail_msg("%s, %d workers: %g", algo, workers, distance_to_optimum(t.model));
	choice_release(&schedule);
	toy_close(&t);
}

static void all_reach_the_optimum(void **state)
{
	for (int i = 0; i < EVERY; i++) {
		converge(every[i], WORKERS);
		converge(every[i], 1);
	}
}

/* From any budget the run ends of itself, receiving messages during computing or not. */
static void all_end_from_any_budget(void **state)
{
	static const int64_t budgets[] = { 1, 2, 3, 5, 6, 7, 11, 50 };

	for (int i = 0; i < EVERY; i++)
		for (size_t b = 0; b < 2 * sizeof budgets / sizeof *budgets; b++) {
			struct toy t;

			toy_open(&t, every[i], WORKERS, "sgd");
			rough(&t, 3);
			t.run.epochs = 0;
			t.run.gradients = budgets[b / 2];
			t.sim.overlap = b % 2;
			toy_run(&t);
			assert_int_equal(t.result.end, END_GRADIENTS);
			assert_int_equal(t.result.gradients, budgets[b / 2]);
			toy_close(&t);
		}
}

RUN_ALL(waiting_for_all_is_allreduce, k_async_of_all_is_allreduce_to_rounding,
	steps_of_one_are_asgd, rules_that_meet, gathering_alone_is_a_larger_batch,
	ssp_of_bound_0_is_synchronous, stopping_at_every_step_is_1_sync, all_reach_the_optimum,
	all_end_from_any_budget)

/* Limit cases of the algorithms that correct staleness: what they equal, and where they go. */
#include "core/math/vec.h"
#include "tests/support/check.h"
#include "tests/support/toy.h"

#include <math.h>

enum { DIM = 5, SAMPLES = 256 };

static const char *const family[] = {
	"staleness-aware", "dynsgd", "dynsgd:clock=worker", "delay-adaptive",
	"delay-adaptive:rule=drop", "delay-adaptive:delay=3", "gap-aware",
	"gap-aware:penalty=layer", "gap-aware:penalty=global", "dc-asgd", "dc-asgd:form=constant",
	"nag-asgd", "multi-asgd", "dana", "dana:form=slim", "dana:compensate=gap",
	"dana:compensate=gap,penalty=global", "dana:compensate=delay", NULL
};

static const char plain[] = "sgd:momentum=0,weight_decay=0";

/* A run of unequal times and queues, unless the delay says another. */
static void run(struct toy *t, const char *algo, int workers, const char *optim,
		const char *delay)
{
	toy_open(t, algo, workers, optim);
	toy_delay(t, delay ? delay : "gamma:cv=0.5");
	toy_link(t, "nic:latency_s=0.05,bandwidth_GBps=1e-6");
	t->sim.update_s = 0.01;
	t->run.lr.base = 0.02;
	t->run.epochs = 2;
	toy_run(t);
}

/* Bit-identical in the server and in all workers. */
static void assert_same(const char *a, const char *b, int workers, const char *optim,
			const char *delay)
{
	struct toy x, y;

	run(&x, a, workers, optim, delay);
	run(&y, b, workers, optim, delay);
	assert_memory_equal(x.model, y.model, DIM * sizeof(float));
	for (int k = 0; k < x.nnodes; k++)
		assert_memory_equal(x.xs[k], y.xs[k], DIM * sizeof(float));
	toy_close(&x);
	toy_close(&y);
}

/* Equal to rounding where workers compute; the server's model may be another's. */
static void assert_workers_near(const char *a, const char *b, int workers, const char *optim)
{
	struct toy x, y;

	run(&x, a, workers, optim, NULL);
	run(&y, b, workers, optim, NULL);
	for (int k = 0; k < workers; k++)
		assert_true(vec_dist(DIM, x.xs[k], y.xs[k]) < 1e-5);
	toy_close(&x);
	toy_close(&y);
}

static void without_lambda_dc_asgd_is_asgd(void **state)
{
	assert_same("dc-asgd:lambda=0", "asgd", 6, "sgd", NULL);
	assert_same("dc-asgd:form=constant,lambda=0", "asgd", 6, "sgd", NULL);
}

/* One worker's model is the server's: no staleness, no delay, no gap. */
static void alone_they_are_asgd(void **state)
{
	static const char *const names[] = { "staleness-aware", "dynsgd", "dynsgd:clock=worker",
					     "delay-adaptive", "delay-adaptive:rule=drop",
					     "gap-aware", "gap-aware:penalty=layer",
					     "gap-aware:penalty=global", "dc-asgd",
					     "dc-asgd:form=constant", "nag-asgd", "multi-asgd",
					     "dana:form=slim", "ringleader", "malenia" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_same(names[i], "asgd", 1, "sgd", NULL);
}

/* Two equal workers: the staleness is 1. Any equal workers: the delay is usual. */
static void among_equals_nothing_is_unusual(void **state)
{
	assert_same("staleness-aware", "asgd", 2, "sgd", "constant");
	assert_same("delay-adaptive", "asgd", 6, "sgd", "constant");
	assert_same("delay-adaptive:rule=drop", "asgd", 6, "sgd", "constant");
}

/* Under Adam too, of either decay. What predicts nothing is what measures its steps. */
static void with_adam_they_are_what_they_are(void **state)
{
	static const char *const names[] = { "staleness-aware", "dynsgd", "delay-adaptive",
					     "gap-aware:steps=true", "dc-asgd", "multi-asgd" };
	static const char coupled[] = "adam:weight_decay=0.01",
			  decoupled[] = "adam:weight_decay=0.01,decoupled=true",
			  forgetful[] = "adam:beta1=0";

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_same(names[i], "asgd", 1, coupled, NULL);
		assert_same(names[i], "asgd", 1, decoupled, NULL);
	}
	assert_same("staleness-aware", "asgd", 2, decoupled, "constant");
	assert_same("dana:form=predict", "asgd", 6, forgetful, NULL);
	assert_same("dana:form=predict,compensate=gap", "gap-aware:steps=true", 6, forgetful,
		    NULL);
	assert_same("dana:form=predict,compensate=delay", "dc-asgd:form=constant", 6, forgetful,
		    NULL);
}

static void a_long_usual_delay_is_asgd(void **state)
{
	assert_same("delay-adaptive:delay=1000", "asgd", 6, "sgd", NULL);
}

static void nag_asgd_is_asgd_that_looks_ahead(void **state)
{
	assert_same("nag-asgd", "asgd", 6, "sgd", NULL);
}

static void without_momentum_all_momenta_are_asgd(void **state)
{
	assert_same("nag-asgd", "asgd", 6, plain, NULL);
	assert_same("multi-asgd", "asgd", 6, plain, NULL);
	assert_same("dana", "asgd", 6, plain, NULL);
	assert_same("dana:form=slim", "asgd", 6, plain, NULL);
	assert_same("dana:form=predict", "asgd", 6, plain, NULL);
	assert_same("dana:compensate=delay", "dc-asgd:form=constant", 6, plain, NULL);
	assert_same("dana:compensate=gap", "gap-aware", 6, plain, NULL);
	assert_same("dana:compensate=delay,lambda=0", "dana", 6, "sgd", NULL);
}

/* With weight decay too, which is why both take it at the worker's model. */
static void danas_forms_are_one(void **state)
{
	assert_workers_near("dana", "dana:form=slim", 6, "sgd:weight_decay=0.01");
	assert_workers_near("dana", "dana:form=slim", 1, "sgd:weight_decay=0.01");
}

/* In the point ahead, which the worker has. */
static void dana_alone_is_serial_nesterov(void **state)
{
	assert_workers_near("dana", "asgd", 1, "sgd:weight_decay=0.01");
}

static void danas_momentum_is_always_its_own(void **state)
{
	struct toy a, b;

	run(&a, "dana", 6, "sgd:nesterov=true", NULL);
	run(&b, "dana", 6, "sgd:nesterov=false", NULL);
	assert_memory_equal(a.model, b.model, DIM * sizeof(float));
	toy_close(&a);
	toy_close(&b);
}

/* Whatever the budget, the run ends by it and nothing hangs. */
static void they_end_anywhere(void **state)
{
	static const int64_t budgets[] = { 1, 2, 3, 7 };

	for (int i = 0; family[i]; i++)
		for (size_t k = 0; k < sizeof(budgets) / sizeof(budgets[0]); k++) {
			struct toy t;

			toy_open(&t, family[i], 3, "sgd");
			toy_delay(&t, "gamma:cv=0.5");
			t.run.epochs = 0.0;
			t.run.gradients = budgets[k];
			toy_run(&t);
			assert_int_equal(t.result.end, END_GRADIENTS);
			assert_int_equal(t.result.gradients, budgets[k]);
			toy_close(&t);
		}
}

/* The clock and the bytes of a timing-only run are those of the training run. */
static void timing_only_is_the_same_clock(void **state)
{
	for (int i = 0; family[i]; i++) {
		struct toy a, b;

		run(&a, family[i], 6, "sgd", NULL);
		toy_open(&b, family[i], 6, "sgd");
		toy_delay(&b, "gamma:cv=0.5");
		toy_link(&b, "nic:latency_s=0.05,bandwidth_GBps=1e-6");
		b.sim.update_s = 0.01;
		b.run.lr.base = 0.02;
		b.run.epochs = 2;
		b.threads = 0;
		toy_run(&b);
		assert_true(a.result.time == b.result.time);
		for (int k = 0; k < a.nnodes; k++)
			assert_int_equal(a.nodes[k].ledger.bytes_sent,
					 b.nodes[k].ledger.bytes_sent);
		toy_close(&a);
		toy_close(&b);
	}
}

/* To the optimum of a strongly convex function, with momentum and late gradients, and alone. */
static void assert_converges(const char *algo, int workers)
{
	struct choice schedule = { 0 };
	float best[DIM];
	struct toy t;

	toy_optimum(DIM, SAMPLES, best);
	toy_open(&t, algo, workers, "sgd:momentum=0.8,weight_decay=0");
	toy_delay(&t, "gamma:cv=0.3");
	assert_int_equal(choice_parse(&schedule, schedule_table, "schedule", "poly"), 0);
	t.run.lr = (struct stepsize){ .base = 0.01, .schedule = schedule, .epochs = 40 };
	t.run.epochs = 40;
	toy_run(&t);
	assert_true(vec_dist(DIM, t.model, best) < 0.04);
	choice_release(&schedule);
	toy_close(&t);
}

static void they_converge(void **state)
{
	for (int i = 0; family[i]; i++) {
		assert_converges(family[i], 6);
		assert_converges(family[i], 1);
	}
}

RUN_ALL(without_lambda_dc_asgd_is_asgd, alone_they_are_asgd, among_equals_nothing_is_unusual,
	a_long_usual_delay_is_asgd, nag_asgd_is_asgd_that_looks_ahead,
	without_momentum_all_momenta_are_asgd, with_adam_they_are_what_they_are,
	danas_forms_are_one, dana_alone_is_serial_nesterov, danas_momentum_is_always_its_own,
	they_end_anywhere, timing_only_is_the_same_clock, they_converge)

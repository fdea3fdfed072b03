/* Workers that take unequal parts of a round: steps are those of equal ones, times are not. */
#include "algos/algos.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/toy.h"

#include <stdlib.h>
#include <string.h>

static const char plain[] = "sgd:momentum=0,weight_decay=0";
static const char moving[] = "sgd:momentum=0.9,weight_decay=0.01";

/* Rounds of 16: 1, 2, 4 and 9. */
static const int64_t unequal[] = { 0, 1, 3, 7, 16 };

static void near(const float *a, const float *b, double tolerance)
{
	for (int i = 0; i < 5; i++)
		assert_near((double)a[i], (double)b[i], tolerance);
}

/* The model of four workers after three epochs. */
static void run(struct toy *t, const char *algo, const char *optim, const int64_t *slice)
{
	toy_open(t, algo, 4, optim);
	t->run.slice = slice;
	t->run.epochs = 3;
	toy_run(t);
	assert_int_equal(t->result.gradients, 192);
	assert_near(t->result.epochs, 3.0, 1e-12);
}

static void an_allreduce_of_unequal_gradients_is_that_of_equal_ones(void **state)
{
	static const char *const optims[] = { plain, moving, "adam", "lars" };

	for (size_t i = 0; i < sizeof(optims) / sizeof(*optims); i++) {
		struct toy a, b, alone;

		run(&a, "allreduce", optims[i], NULL);
		run(&b, "allreduce", optims[i], unequal);
		near(a.model, b.model, 1e-5);

		toy_open(&alone, "allreduce", 1, optims[i]);
		alone.run.batch = 16;
		alone.run.epochs = 3;
		toy_run(&alone);
		near(alone.model, b.model, 1e-5);
		toy_close(&a);
		toy_close(&b);
		toy_close(&alone);
	}
}

/* A gradient counts by its samples: so their mean does, where models are averaged at every step. */
static void so_is_a_mean_of_models(void **state)
{
	struct toy all, mean;

	run(&all, "allreduce", plain, unequal);
	run(&mean, "local-sgd:period=1", plain, unequal);
	near(all.model, mean.model, 1e-5);
	toy_close(&all);
	toy_close(&mean);
}

/* An epoch of 16 rounds with worker 0 so many times slower. */
static void run_slowed(struct toy *t, const int64_t *slice, double factor)
{
	const struct slow slow = { .rank = 0, .factor = factor };

	toy_open(t, "allreduce", 4, plain);
	t->run.slice = slice;
	t->sim.pace.slow = &slow;
	t->sim.pace.nslow = 1;
	toy_run(t);
	t->sim.pace.nslow = 0;
}

/*
 * Batches of 1, 2, 4 and 9 where one of 4 takes a second: 2.25 s a step; worker 0 at a twentieth
 * of the speed takes 0.25 x 20 = 5 s. Shares in proportion to speed let no worker wait.
 */
static void time_of_a_gradient_goes_with_its_samples(void **state)
{
	static const int64_t fair[] = { 0, 1, 6, 11, 16 };
	struct toy t;

	run_slowed(&t, unequal, 1);
	assert_near(t.result.time, 16 * 2.25, 1e-9);
	assert_near(t.nodes[0].ledger.compute, 16 * 0.25, 1e-9);
	assert_near(t.nodes[0].ledger.wait, 16 * 2.0, 1e-9);
	assert_near(t.nodes[3].ledger.compute, 16 * 2.25, 1e-9);
	toy_close(&t);

	run_slowed(&t, unequal, 20);
	assert_near(t.result.time, 16 * 5.0, 1e-9);
	toy_close(&t);

	run_slowed(&t, fair, 5);
	assert_near(t.result.time, 16 * 1.25, 1e-9);
	for (int w = 0; w < 4; w++)
		assert_near(t.nodes[w].ledger.wait, 0.0, 1e-9);
	toy_close(&t);
}

static void timing_only_runs_have_the_same_clock(void **state)
{
	static const char *const algos[] = { "allreduce", "d-psgd", "sgp", "osgp", "local-sgd",
					     "diloco:period=3", "demo:side=2,top=3",
					     "streaming-diloco:period=6",
					     "sparseloco:period=3,chunk=2,top=1" };

	for (size_t i = 0; i < sizeof(algos) / sizeof(*algos); i++)
		for (size_t bucket = 0; bucket < 3; bucket += 2) {
			struct toy learns, times;

			toy_open(&learns, algos[i], 4, plain);
			toy_link(&learns, "nic:latency_s=0.05,bandwidth_GBps=1e-7");
			toy_delay(&learns, "gamma:cv=0.5");
			learns.run.slice = unequal;
			learns.sim.bucket = bucket;
			times = learns;
			times.threads = 0;
			toy_run(&learns);
			toy_run(&times);
			assert_near(learns.result.time, times.result.time, 0.0);
			assert_int_equal(learns.result.events, times.result.events);
			for (int w = 0; w < times.nnodes; w++)
				free(times.xs[w]);
			free(times.xs);
			free(times.nodes);
			toy_close(&learns);
		}
}

struct audit {
	struct hook hook;
	int64_t of[4], lead;
};

static void count(struct hook *h, const struct event *ev)
{
	struct audit *a = (struct audit *)h;
	int64_t least = INT64_MAX, most = 0;

	a->of[ev->node->rank]++;
	for (int w = 0; w < 4; w++) {
		least = a->of[w] < least ? a->of[w] : least;
		most = a->of[w] > most ? a->of[w] : most;
	}
	a->lead = most - least > a->lead ? most - least : a->lead;
}

/* However slow one is: what an algorithm says when it allows unequal shares. */
static void no_worker_gets_away_in_lockstep(void **state)
{
	const struct slow slow = { .rank = 2, .factor = 100 };

	for (const struct plugin *const *p = algo_table; *p; p++) {
		struct audit a = { .hook = { .mask = 1u << EV_GRAD, .event = count } };
		struct toy t;

		if (!((const struct algo *)*p)->lockstep)
			continue;
		/*
		 * DeMo's squares of 64 take as long as all others together, and peers that NoLoCo
		 * draws may meet each other again before they meet the slow one.
		 */
		toy_open(&t, strcmp((*p)->name, "demo") == 0     ? "demo:side=3,top=9"
			     : strcmp((*p)->name, "noloco") == 0 ? "noloco:period=16"
								 : (*p)->name, 4, "adam");
		t.sim.pace.slow = &slow;
		t.sim.pace.nslow = 1;
		t.run.epochs = 20;
		t.run.hooks = &a.hook;
		toy_run(&t);
		assert_int_equal(t.result.gradients, 1280);
		assert_true(a.lead <= 64);      /* the rounds of a default or two */
		toy_close(&t);
	}
}

static void others_refuse(void **state)
{
	struct toy t;

	toy_open(&t, "asgd", 4, plain);
	t.run.slice = unequal;
	capture_start();
	assert_int_equal(sim_run(&t.sim, &t.run, NULL), -1);
	capture_stop();
	assert_said("asgd lets fast workers deliver more gradients");
	t.run.slice = NULL;
	toy_run(&t);
	toy_close(&t);
}

RUN_ALL(an_allreduce_of_unequal_gradients_is_that_of_equal_ones, so_is_a_mean_of_models,
	time_of_a_gradient_goes_with_its_samples, timing_only_runs_have_the_same_clock,
	no_worker_gets_away_in_lockstep, others_refuse)

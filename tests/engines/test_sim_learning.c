/* What must hold of every algorithm in training runs: bits, limit cases, invariants. */
#include "algos/algos.h"
#include "core/math/vec.h"
#include "tests/support/brief.h"
#include "tests/support/check.h"
#include "tests/support/toy.h"

#include <string.h>

enum { DIM = 5, SAMPLES = 256 };

static const char *name_of(int i)
{
	return algo_table[i]->name;
}

/* The same rough run twice: on one thread, and on `threads` (0: timing-only). */
static void run_two(const char *algo, struct toy *a, struct toy *b, int threads)
{
	toy_open(a, brief_algo(algo), 6, brief_optim(algo, "sgd"));
	toy_open(b, brief_algo(algo), 6, brief_optim(algo, "sgd"));
	toy_rough(a);
	toy_rough(b);
	a->run.lr.base = b->run.lr.base = 0.02; /* late gradients and momentum need it small */
	b->threads = threads;
	toy_run(a);
	toy_run(b);
}

/* Bit-identical whatever the number of threads. */
static void threads_do_not_matter(void **state)
{
	for (int i = 0; algo_table[i]; i++) {
		struct toy a, b;

		run_two(name_of(i), &a, &b, 3);
		assert_true(a.result.time == b.result.time);
		assert_int_equal(a.result.gradients, b.result.gradients);
		for (int k = 0; k < a.nnodes; k++)
			assert_memory_equal(a.xs[k], b.xs[k], DIM * sizeof(float));
		toy_close(&a);
		toy_close(&b);
	}
}

/* A timing-only run takes exactly as long as the training run. */
static void timing_only_is_the_same_clock(void **state)
{
	for (int i = 0; algo_table[i]; i++) {
		struct toy a, b;

		run_two(name_of(i), &a, &b, 0);
		assert_true(a.result.time == b.result.time);
		for (int k = 0; k < a.nnodes; k++)
			assert_true(a.nodes[k].ledger.bytes_sent == b.nodes[k].ledger.bytes_sent);
		toy_close(&a);
		toy_close(&b);
	}
}

/* With one worker nearly every algorithm is serial SGD, bit for bit. */
static void alone_all_are_serial_sgd(void **state)
{
	float x[DIM], v[DIM] = { 0 }, g[DIM];
	struct problem *p = toy_new(DIM, SAMPLES);
	struct sampler s = { .seed = 3, .samples = SAMPLES, .workers = 1, .size = 4 };

	p->ops->init(p, 3, x);
	for (int64_t k = 0; k < SAMPLES / 4; k++) {
		struct job j = { .kind = JOB_GRAD, .x = x, .index = k, .out = g };

		job_run(p, &s, NULL, &j);
		for (int i = 0; i < DIM; i++) {
			float d = g[i] + 1e-4f * x[i];

			v[i] = 0.9f * v[i] + d;
			x[i] -= 0.1f * (d + 0.9f * v[i]);
		}
	}
	for (int i = 0; algo_table[i]; i++) {
		struct toy t;

		if (brief_is_no_sgd(name_of(i)))
			continue;
		toy_open(&t, name_of(i), 1, "sgd");
		toy_run(&t);
		assert_memory_equal(t.model, x, sizeof(x));
		toy_close(&t);
	}
	p->ops->close(p);
}

/* Synchronous: n workers of batch b are one worker of batch n b, up to rounding. */
static void sync_is_one_worker_with_a_big_batch(void **state)
{
	struct toy many, one;

	toy_open(&many, "allreduce", 8, "sgd");
	toy_open(&one, "allreduce", 1, "sgd");
	one.run.batch = 32;
	toy_run(&many);
	toy_run(&one);
	for (int i = 0; i < DIM; i++)
		assert_near((double)many.model[i], (double)one.model[i], 1e-5);
	for (int k = 1; k < 8; k++)
		assert_memory_equal(many.xs[0], many.xs[k], DIM * sizeof(float));
	toy_close(&many);
	toy_close(&one);
}

/*
 * Gossip that moves one model of two weighs gradients at random; those that weigh late ones
 * less, or leave some out, keep some noise too, which otherwise cancels within an epoch.
 */
static double near_enough(const char *algo)
{
	return strncmp(algo, "gossip", 6) == 0 ? 0.1 : 0.04;
}

/* Without momentum, where the algorithm can do without. */
static const char *calm(const char *algo)
{
	return strcmp(algo, "eamsgd") ? "sgd:momentum=0,weight_decay=0"
				      : "sgd:momentum=0.5,weight_decay=0";
}

/* Every algorithm goes to the known optimum of a convex problem. */
static void all_converge(void **state)
{
	float best[DIM];

	toy_optimum(DIM, SAMPLES, best);
	for (int i = 0; algo_table[i]; i++) {
		struct choice schedule = { 0 };
		struct toy t;

		toy_open(&t, brief_algo(name_of(i)), 6,
			 brief_optim(name_of(i), calm(name_of(i))));
		toy_rough(&t);
		assert_int_equal(choice_parse(&schedule, schedule_table, "schedule", "poly"), 0);
		t.run.lr.schedule = schedule;
		t.run.lr.epochs = t.run.epochs = 40;
		toy_run(&t);
		if (vec_dist(DIM, t.model, best) > near_enough(name_of(i)))
			fail_msg("%s: %g from the optimum", name_of(i),
				 vec_dist(DIM, t.model, best));
		choice_release(&schedule);
		toy_close(&t);
	}
}

/* With a learning rate of 0, gossip only moves what is there: the mean stays, the spread falls. */
static void gossip_conserves_the_mean(void **state)
{
	static const char *const gossip[] = { "d-psgd", "d-psgd:overlap=true", "ad-psgd" };

	for (size_t i = 0; i < sizeof gossip / sizeof *gossip; i++) {
		struct toy t;
		float x0[DIM];

		toy_open(&t, gossip[i], 8, "sgd:momentum=0,weight_decay=0");
		toy_rough(&t);
		t.run.lr.base = 0.0;
		t.problem->ops->init(t.problem, t.run.seed, x0);
		toy_run(&t);
		for (int k = 0; k < DIM; k++)
			assert_near((double)t.model[k], (double)x0[k], 1e-5);
		toy_close(&t);
	}
}

struct audit {
	struct hook hook;
	int64_t grads, max_staleness, after_stop;
	int64_t uses[2];                /* of gradients, by workers and by the server */
	bool stopped;
};

static void audit_event(struct hook *h, const struct event *ev)
{
	struct audit *a = (struct audit *)h;

	if (ev->kind == EV_GRAD) {
		a->grads++;
		a->after_stop += a->stopped;
	} else if (ev->kind == EV_STOP) {
		a->stopped = true;
	} else if (ev->staleness >= 0) {
		a->uses[ev->node->rank == SERVER]++;
		if (ev->staleness > a->max_staleness)
			a->max_staleness = ev->staleness;
	}
}

/* These cancel gradients of workers: test_identities_rounds.c. */
static bool cancels(const char *name)
{
	static const char *const names[] = { "k-sync", "k-batch-sync", "ringmaster", "malenia" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/*
 * Every gradient delivered is applied or left out exactly once, or waits in an unfinished round
 * at the end; where workers step, a server only adds up what they did.
 */
static void gradients_are_applied_once(void **state)
{
	for (int i = 0; algo_table[i]; i++) {
		struct audit a = { .hook = { .mask = 1u << EV_GRAD | 1u << EV_STEP |
						     1u << EV_GATHER | 1u << EV_STOP,
					     .event = audit_event } };
		struct toy t;
		int64_t uses;

		toy_open(&t, brief_algo(name_of(i)), 6, brief_optim(name_of(i), "sgd"));
		toy_rough(&t);
		t.run.lr.base = 0.02;
		t.run.hooks = &a.hook;
		toy_run(&t);
		uses = a.uses[a.uses[0] == 0];
		if (t.nodes[t.nnodes - 1].rank == SERVER)
			uses += t.nodes[t.nnodes - 1].ledger.dropped;
		assert_int_equal(a.grads, 3 * SAMPLES / 4);
		assert_int_equal(a.grads, t.result.gradients);
		assert_int_equal(a.after_stop, 0);
		assert_true(uses <= a.grads && uses >= a.grads - 6);
		for (int k = 0; k < 6; k++)
			assert_true(t.nodes[k].ledger.dropped <= 1 || cancels(name_of(i)));
		if (!strcmp(name_of(i), "asgd"))
			assert_true(a.max_staleness > 1);
		toy_close(&t);
	}
}

/* Each node's seconds add up to the run's. */
static void every_second_is_accounted_for(void **state)
{
	for (int i = 0; algo_table[i]; i++) {
		struct toy t;

		toy_open(&t, brief_algo(name_of(i)), 6, brief_optim(name_of(i), "sgd"));
		toy_rough(&t);
		t.sim.host_copy_s = 0.03;
		toy_run(&t);
		for (int k = 0; k < 6; k++) {
			const struct ledger *l = &t.nodes[k].ledger;

			assert_near(l->compute + l->comm + l->wait, t.result.time, 1e-9);
		}
		toy_close(&t);
	}
}

/* asgd among equals: every gradient is n - 1 updates old once the round is running. */
static void asgd_staleness_is_n_minus_1(void **state)
{
	struct audit a = { .hook = { .mask = 1u << EV_STEP, .event = audit_event } };
	struct toy t;

	toy_open(&t, "asgd", 7, "sgd:momentum=0");
	t.run.hooks = &a.hook;
	toy_run(&t);
	assert_int_equal(a.max_staleness, 6);
	toy_close(&t);
}

static void a_nan_ends_the_run(void **state)
{
	struct toy t;

	toy_open(&t, "allreduce", 2, "sgd");
	t.run.lr.base = 1e30;
	t.run.epochs = 100;
	toy_run(&t);
	assert_int_equal(t.result.end, END_DIVERGED);
	toy_close(&t);
}

RUN_ALL(threads_do_not_matter, timing_only_is_the_same_clock, alone_all_are_serial_sgd,
	sync_is_one_worker_with_a_big_batch, all_converge, gossip_conserves_the_mean,
	gradients_are_applied_once, every_second_is_accounted_for, asgd_staleness_is_n_minus_1,
	a_nan_ends_the_run)

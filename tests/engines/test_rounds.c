/* Servers that gather, hold back or leave out gradients: bounds of staleness and lead, counts. */
#include "tests/support/check.h"
#include "tests/support/toy.h"

enum { WORKERS = 6, MOST_WORKERS = 32 };

static const char plain[] = "sgd:momentum=0,weight_decay=0";

static void rough(struct toy *t, int seed)
{
	toy_rough(t);
	t->run.seed = (uint64_t)seed;
}

struct audit {
	struct hook hook;
	int workers;
	int64_t grads, steps, uses, staleness, max_staleness, max_lead;
	int64_t of[MOST_WORKERS];       /* gradients of each worker */
};

static int64_t lead(const struct audit *a)
{
	int64_t least = a->of[0], most = a->of[0];

	for (int i = 1; i < a->workers; i++) {
		least = a->of[i] < least ? a->of[i] : least;
		most = a->of[i] > most ? a->of[i] : most;
	}
	return most - least;
}

static void audit_event(struct hook *h, const struct event *ev)
{
	struct audit *a = (struct audit *)h;

	if (ev->kind == EV_GRAD) {
		a->grads++;
		a->of[ev->node->rank]++;
		a->max_lead = lead(a) > a->max_lead ? lead(a) : a->max_lead;
	} else if (ev->staleness < 0) {
		a->steps++;
	} else {
		a->steps += ev->kind == EV_STEP;
		a->uses++;
		a->staleness += ev->staleness;
		a->max_staleness = ev->staleness > a->max_staleness ? ev->staleness
								    : a->max_staleness;
	}
}

static struct audit watch(struct toy *t)
{
	struct audit a = { .hook = { .mask = 1u << EV_GRAD | 1u << EV_STEP | 1u << EV_GATHER,
				     .event = audit_event }, .workers = t->run.workers };

	t->run.hooks = &a.hook;
	toy_run(t);
	t->run.hooks = NULL;
	return a;
}

/*
 * While a worker computes it is at most s ahead, so when it is done, s + 1; one ten times slower
 * makes the others reach that.
 */
static void no_worker_runs_further_ahead_than_the_bound(void **state)
{
	static const char *const ssp[] = { "ssp:bound=0", "ssp:bound=1", "ssp:bound=2",
					   "ssp:bound=3", "ssp:bound=4" };

	for (int seed = 1; seed <= 5; seed++)
		for (int s = 0; s < 5; s++) {
			struct slow slow = { .rank = 2, .factor = 10.0 };
			struct toy t;
			struct audit a;

			toy_open(&t, ssp[s], WORKERS, "sgd");
			rough(&t, seed);
			t.sim.pace.slow = &slow;
			t.sim.pace.nslow = 1;
			a = watch(&t);
			assert_int_equal(a.max_lead, s + 1);
			assert_true(a.max_staleness <= (2 * s + 1) * (WORKERS - 1));
			assert_int_equal(a.grads, a.steps);
			toy_close(&t);
		}
}

static void staleness_is_bounded(void **state)
{
	static const struct { const char *algo; int64_t most; } bounds[] = {
		{ "backup:b=2", 0 }, { "k-sync:k=2", 0 }, { "k-batch-sync:k=4", 0 },
		{ "rennala:batch=4", 0 }, { "ringmaster:threshold=3", 2 },
		{ "ringmaster:threshold=3,stop=true", 2 },
	};

	for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
		struct toy t;

		toy_open(&t, bounds[i].algo, WORKERS, "sgd");
		rough(&t, 3);
		assert_int_equal(watch(&t).max_staleness, bounds[i].most);
		toy_close(&t);
	}
}

/* 30 workers, n-softsync: staleness 0, 1 or 2 for n = 1; about n, and never 2 n for others. */
static void softsync_staleness_is_about_n(void **state)
{
	static const struct { const char *algo; int n; } of[] = {
		{ "softsync:n=1", 1 }, { "softsync:n=5", 5 }, { "softsync:n=15", 15 },
		{ "softsync:n=30", 30 },
	};

	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		struct toy t;
		struct audit a;

		toy_open(&t, of[i].algo, 30, plain);
		toy_delay(&t, "gamma:cv=0.1");
		t.run.epochs = 40;
		a = watch(&t);
		assert_true(a.max_staleness <= 2 * of[i].n);
		assert_near((double)a.staleness / (double)a.uses, of[i].n, 1.25);
		toy_close(&t);
	}
}

/* Every gradient that came is in a step, was left out, or waits in a pile that is not full. */
static void every_gradient_is_accounted_for(void **state)
{
	static const struct { const char *algo; int64_t step, rest; } of[] = {
		{ "backup:b=2", 4, 3 }, { "k-sync:k=2", 2, 1 }, { "k-batch-sync:k=4", 4, 3 },
		{ "k-async:k=4", 4, 3 }, { "k-batch-async:k=5", 5, 4 }, { "softsync:n=2", 3, 2 },
		{ "ssp:bound=1", 1, 0 }, { "rennala:batch=4", 4, 3 },
		{ "ringmaster:threshold=2", 1, 0 }, { "groups:groups=2", 3, 4 },
	};

	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		struct toy t;
		const struct ledger *server;
		struct audit a;
		int64_t rest;

		toy_open(&t, of[i].algo, WORKERS, "sgd");
		rough(&t, 3);
		a = watch(&t);
		server = &t.nodes[WORKERS].ledger;
		rest = a.grads - of[i].step * server->steps - server->dropped;
		assert_true(rest >= 0 && rest <= of[i].rest);
		assert_int_equal(server->steps, a.steps);
		toy_close(&t);
	}
}

/* A late worker's gradients are given up half done, or finished in vain and left out. */
static void late_gradients_are_counted(void **state)
{
	static const char *const algos[] = { "k-sync:k=5", "backup:b=1" };

	for (int late = 0; late < 2; late++) {
		struct slow slow = { .rank = 4, .factor = 10.0 };
		struct toy t;

		toy_open(&t, algos[late], WORKERS, "sgd");
		t.sim.pace.slow = &slow;
		t.sim.pace.nslow = 1;
		t.run.epochs = 0;
		t.run.seconds = 100.5;
		toy_run(&t);
		assert_int_equal(t.nodes[WORKERS].step, 100);
		assert_int_equal(t.nodes[4].ledger.gradients, late ? 10 : 0);
		assert_int_equal(t.nodes[4].ledger.dropped, late ? 1 : 101);
		assert_int_equal(t.nodes[WORKERS].ledger.dropped, late ? 10 : 0);
		toy_close(&t);
	}
}

RUN_ALL(no_worker_runs_further_ahead_than_the_bound, staleness_is_bounded,
	softsync_staleness_is_about_n, every_gradient_is_accounted_for, late_gradients_are_counted)

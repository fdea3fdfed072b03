/* The order of a run's events: equal ones are of runs that learn the same, whatever their times. */
#include "algos/algos.h"
#include "core/base/hash.h"
#include "core/base/mem.h"
#include "core/codec.h"
#include "core/learnt.h"
#include "core/watch.h"
#include "tests/support/brief.h"
#include "tests/support/check.h"
#include "tests/support/toy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS = 6 };

struct machine_of { /* what changes times alone */
	const char *link, *delay;
	double slow; /* factor of worker 0 */
	bool deaf;   /* messages wait while it computes */
	int shards;
	size_t bucket;
};

static const struct machine_of machines[] = {
	{ .link = "nic:latency_s=0.05,bandwidth_GBps=1e-6", .delay = "constant" },
	{ .link = "nic:latency_s=0.001,bandwidth_GBps=1e-5", .delay = "constant" },
	{ .link = "nic:latency_s=0.05,bandwidth_GBps=1e-6,stepwise", .delay = "constant",
	  .bucket = 2 },
	{ .link = "fair:latency_s=0.05,bandwidth_GBps=1e-6", .delay = "constant", .shards = 3 },
	{ .link = "ideal", .delay = "constant", .slow = 3.0 },
	{ .link = "nic:latency_s=0.05,bandwidth_GBps=1e-6", .delay = "gamma:cv=0.5" },
	{ .link = "nic:latency_s=0.05,bandwidth_GBps=1e-6", .delay = "constant", .deaf = true },
};
enum { MACHINES = sizeof(machines) / sizeof(machines[0]) };

struct seen_by {			/* hook: all that others see of what was learnt */
	struct hook hook;
	struct learnt *learnt;	/* collects it; NULL: is shown it */
	const struct learnt *shown;
	uint64_t events;
	int64_t gradients[WORKERS + 1];
};

static uint64_t mix_double(uint64_t h, double x)
{
	return isnan(x) ? fnv_step(h, 7) : fnv(h, &x, sizeof(x));
}

static void seen_mark(struct seen_by *s, const struct event *ev)
{
	double mark[LEARNT_MARKS] = { (double)NAN, (double)NAN, ev->measured->spread };

	if (s->learnt) { /* in place of a test loss: a digest of the model */
		memcpy(mark, &ev->model[0], sizeof(float));
		learnt_evaluation(s->learnt, mark);
		s->events = fnv(s->events, mark, sizeof(double));
	} else {
		mark[0] = learnt_evaluated(s->shown, LEARNT_TEST_LOSS);
		s->events = fnv(s->events, mark, sizeof(double));
	}
}

static void seen_event(struct hook *h, const struct event *ev)
{
	struct seen_by *s = (struct seen_by *)h;

	if (s->learnt)
		learnt_event(s->learnt, ev);
	if (ev->kind == EV_END) {
		for (int i = 0; i < ev->nnodes; i++)
			s->gradients[i] = ev->nodes[i].ledger.gradients;
		return;
	}
	s->events = fnv_step(s->events, ev->kind);
	s->events = mix_double(s->events, ev->time);
	s->events = mix_double(s->events, ev->epoch);
	s->events = fnv_step(s->events, (uint64_t)ev->gradients);
	if (ev->kind == EV_GRAD)
		s->events = mix_double(s->events, ev->loss);
	if (ev->kind == EV_MARK)
		seen_mark(s, ev);
	if (ev->measured) {
		s->events = mix_double(s->events, ev->measured->gap);
		s->events = mix_double(s->events, ev->measured->norm);
		s->events = mix_double(s->events, ev->measured->momentum);
		s->events = mix_double(s->events, ev->measured->published);
		s->events = mix_double(s->events, ev->measured->spread);
	}
}

struct made {
	struct toy toy;
	struct choice codec;
	struct seen_by seen;
};

/* shown: what a run in the same order has learnt, and is shown of this timing-only one. */
static void make(struct made *t, const char *algo, const char *schedule,
		 const char *codec, const struct machine_of *m, int threads, struct learnt *shown)
{
	struct slow slow = { .factor = m->slow };
	struct pool like;
	struct run run;

	*t = (struct made){ .seen.hook = { .mask = 1u << EV_STEP | 1u << EV_GATHER |
						   1u << EV_MARK | 1u << EV_GRAD | 1u << EV_DROP |
						   1u << EV_END, .event = seen_event },
			    .seen.learnt = threads ? learnt_new(WORKERS + 1) : NULL,
			    .seen.shown = shown };
	toy_open(&t->toy, brief_algo(algo), WORKERS, brief_optim(algo, "sgd"));
	if (codec) {
		assert_int_equal(choice_parse(&t->codec, codec_table, "codec", codec), 0);
		t->toy.run.codec = (const struct codec *)t->codec.plugin;
		t->toy.run.codec_conf = t->codec.conf;
	}
	if (!t->toy.run.algo->server && t->seen.learnt)
		t->seen.learnt->nodes = WORKERS;
	toy_link(&t->toy, m->link);
	toy_delay(&t->toy, m->delay);
	t->toy.sim.shards = m->shards;
	t->toy.sim.bucket = m->bucket;
	t->toy.sim.overlap = !m->deaf;
	t->toy.sim.orders = t->toy.sim.spreads = true;
	if (m->slow > 0.0) {
		t->toy.sim.pace.slow = &slow;
		t->toy.sim.pace.nslow = 1;
	}
	t->toy.run.mark_every = 0.5;
	t->toy.run.epochs = 3;
	t->toy.run.lr.base = 0.02;
	t->toy.run.learnt = shown;
	if (schedule)
		assert_int_equal(choice_parse(&t->toy.run.lr.schedule, schedule_table, "schedule",
					      schedule), 0);
	t->toy.run.lr.epochs = 3;
	t->toy.threads = threads;
	run = t->toy.run;
	like = (struct pool){ .problem = t->toy.problem };
	run.pool = threads ? &like : NULL;
	t->toy.run.watch = watch_new(WATCH_ALL, &run);
	t->toy.run.hooks = &t->seen.hook;
	toy_run(&t->toy);
	watch_free(t->toy.run.watch);
	t->toy.sim.pace.nslow = 0;
}

static void unmake(struct made *t)
{
	choice_release(&t->codec);
	choice_release(&t->toy.run.lr.schedule);
	learnt_free(t->seen.learnt);
	toy_close(&t->toy);
}

static void learnt_rewind(struct learnt *l)
{
	for (int i = 0; i < l->nodes; i++)
		for (int k = 0; k < LEARNT_KINDS; k++)
			l->node[i][k].next = 0;
	for (int k = 0; k < LEARNT_MARKS; k++)
		l->mark[k].next = 0;
}

static void learnt_the_same(const struct made *a, const struct made *b)
{
	assert_true(a->toy.result.model == b->toy.result.model);
	assert_int_equal(a->toy.nnodes, b->toy.nnodes);
	for (int i = 0; i < a->toy.nnodes; i++)
		assert_memory_equal(a->toy.xs[i], b->toy.xs[i], 5 * sizeof(float));
}

/* How many of the machines lead to the order of the first. */
static int equal_orders(const char *algo, const char *schedule, const char *codec,
			const struct machine_of *first)
{
	struct made trained;
	int equal = 0;

	make(&trained, algo, schedule, codec, first, 1, NULL);
	for (int k = 0; k < MACHINES; k++) {
		struct made walked, then;

		learnt_rewind(trained.seen.learnt);
		make(&walked, algo, schedule, codec, &machines[k], 0, trained.seen.learnt);
		make(&then, algo, schedule, codec, &machines[k], k % 2 + 1, NULL);
		assert_true(walked.toy.result.order == then.toy.result.order);
		assert_true(walked.toy.result.events == then.toy.result.events);
		assert_memory_equal(&walked.toy.result.floats, &then.toy.result.floats,
				    sizeof(struct run_floats));
		if (then.toy.result.order && then.toy.result.order == trained.toy.result.order) {
			const bool suffices =
				learnt_suffices(trained.seen.learnt, walked.seen.gradients);

			learnt_the_same(&trained, &then);
			if (suffices)
				assert_true(walked.seen.events == then.seen.events);
			equal += suffices;
		}
		unmake(&walked);
		unmake(&then);
	}
	unmake(&trained);
	return equal;
}

static void equal_orders_learn_the_same(void **state)
{
	for (int i = 0; algo_table[i]; i++) {
		const struct algo *algo = (const struct algo *)algo_table[i];
		const char *name = algo->plugin.name;
		const int plain = equal_orders(name, NULL, NULL, &machines[0]);
		const int falls = equal_orders(name, "steps:at=1/2", NULL, &machines[0]);

		/* machines[2] differs from the first in all-reduces alone. */
		if (strcmp(name, "allreduce") == 0)
			assert_int_equal(plain, MACHINES);
		else if (algo->order_fixed)
			assert_true(plain >= 4);
		else
			assert_true(plain >= (algo->shared ? 0 : 2) && plain <= 4);
		/* A schedule goes by all gradients; workers of palsgd have unequal numbers. */
		assert_true(falls <= plain && (!algo->order_fixed || falls == plain ||
					       strcmp(name, "palsgd") == 0));
	}
}

/* Codecs, graphs and rules in other forms. */
static void other_forms_do(void **state)
{
	static const struct {
		const char *algo, *codec;
		int least;
	} some[] = {
		{ "allreduce", "topk", MACHINES }, { "allreduce", "powersgd:rank=1", MACHINES },
		{ "asgd", "qsgd", 2 }, { "d-psgd:overlap=true", NULL, 4 },
		{ "sgp:peers=all", NULL, 4 }, { "osgp:tau=2", NULL, 4 },
		{ "local-sgd:period=3,post=1", NULL, 4 }, { "ad-psgd:exchange=duplex", NULL, 2 },
		{ "streaming-diloco:period=4,fragments=2,outer_momentum=0.2,delay=1", "bf16", 4 },
	};

	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++)
		assert_true(equal_orders(some[i].algo, NULL, some[i].codec, &machines[0]) >=
			    some[i].least);
}

static uint64_t order_of(const char *algo, const struct machine_of *m, uint64_t *model)
{
	struct made t;
	uint64_t order;

	make(&t, algo, NULL, NULL, m, 1, NULL);
	order = t.toy.result.order;
	*model = t.toy.result.model;
	unmake(&t);
	return order;
}

/* Worker 0 is later than worker 1 from its first gradient on, by less than any other time. */
static void one_swap_is_another_order(void **state)
{
	static const struct machine_of later = { .link = "ideal", .delay = "constant",
						 .slow = 1.0000001 },
				       equal = { .link = "ideal", .delay = "constant" };
	uint64_t model[2];

	assert_true(order_of("asgd", &later, &model[0]) != order_of("asgd", &equal, &model[1]));
	assert_true(model[0] != model[1]);
	assert_true(order_of("allreduce", &later, &model[0]) ==
		    order_of("allreduce", &equal, &model[1]));
	assert_true(model[0] == model[1]);
}

/* A network that is twice as quick, and a server twice as far: the same worker is next. */
static void scaled_times_keep_the_order(void **state)
{
	static const struct machine_of slow = { .link = "nic:latency_s=0.02,bandwidth_GBps=1e-6",
						.delay = "constant" },
				       quick = { .link = "nic:latency_s=0.01,bandwidth_GBps=2e-6",
						 .delay = "constant" };
	uint64_t model[2];

	assert_true(order_of("asgd", &slow, &model[0]) == order_of("asgd", &quick, &model[1]));
	assert_true(model[0] == model[1]);
}

/* Where times decide too there is none. */
static void some_runs_have_no_order(void **state)
{
	struct toy t;
	uint64_t model;

	assert_true(order_of("hogwild", &machines[0], &model) == 0);
	toy_open(&t, "asgd", WORKERS, "sgd");
	t.run.seconds = 5.0;
	toy_run(&t);
	assert_true(t.result.order == 0);
	toy_close(&t);
	toy_open_faulty(&t, "asgd", WORKERS, "1:leave@3-5", 60);
	toy_run(&t);
	assert_true(t.result.order == 0);
	toy_close(&t);
	toy_timing(&t, "asgd", WORKERS, 60, "ideal");
	toy_run(&t);
	assert_true(t.result.order == 0);
	toy_close(&t);
}

/* The clock that a rule reads is in its order. */
static void times_that_are_read_count(void **state)
{
	const struct machine_of later = { .link = machines[0].link, .delay = "gamma:cv=1e-6" };
	uint64_t model[2];

	assert_true(order_of("async-local-sgd", &machines[0], &model[0]) !=
		    order_of("async-local-sgd", &later, &model[1]));
}

RUN_ALL(equal_orders_learn_the_same, other_forms_do, one_swap_is_another_order,
	scaled_times_keep_the_order, some_runs_have_no_order, times_that_are_read_count)

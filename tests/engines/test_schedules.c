/*
 * The learning rate of every update against the schedule's own formula: at the epoch before the
 * first gradient that the update applies, as torch's LambdaLR counts steps.
 */
#include "algos/algos.h"
#include "tests/support/check.h"
#include "tests/support/toy.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 256, BATCH = 4, MOST = 4, WAITING = 64 };

static const double base = 0.05, epochs = 2.0, warmup = 0.5, warmup_from = 0.25;

/* ---- schedules, written down once more ---- */

static double constant(double e)
{
	(void)e;
	return 1.0;
}

static double steps(double e)
{
	return e < 0.75 ? 1.0 : e < 1.25 ? 0.5 : 0.25;
}

static double poly(double e)
{
	return (1.0 - e / epochs) * (1.0 - e / epochs);
}

static double cosine(double e)
{
	return 0.1 + 0.9 * 0.5 * (1.0 + cos(acos(-1.0) * e / epochs));
}

static const struct {
	const char *text;
	double (*factor)(double e);
} schedules[] = {
	{ "constant", constant }, { "steps:at=0.75/1.25,factor=0.5", steps },
	{ "poly", poly }, { "cosine:min=0.1", cosine }
};

/* ---- what the hook keeps ---- */

struct queue {                  /* ordinals of gradients, first in, first out */
	int64_t at[WAITING];
	int n;
};

struct check {
	struct hook hook;
	double (*factor)(double e);
	bool warm, lockstep;
	struct queue sent[MOST];        /* by a worker, which the server has not received */
	int64_t own[MOST];              /* gradients of a worker */
	int64_t last[MOST];             /* ordinal of its last one */
	int64_t first;                  /* of those that the server gathers; -1: none */
	int64_t updates;
};

static void queue_push(struct queue *q, int64_t v)
{
	assert_true(q->n < WAITING);
	q->at[q->n++] = v;
}

static int64_t queue_pop(struct queue *q)
{
	const int64_t v = q->at[0];

	assert_true(q->n > 0);
	memmove(q->at, q->at + 1, (size_t)--q->n * sizeof(*q->at));
	return v;
}

static void rate_is(struct check *c, const struct event *ev, int64_t before)
{
	const double e = (double)before * BATCH / SAMPLES;
	double want = base * c->factor(e);

	if (c->warm && e < warmup)
		want *= warmup_from + (1.0 - warmup_from) * e / warmup;
	assert_near(ev->lr, want, 1e-12);
	c->updates++;
}

/* Of a server that applies each gradient, or gathers some: `peer` sent the next of its own. */
static void see_server(struct check *c, const struct event *ev)
{
	if (ev->peer >= 0) {
		const int64_t before = queue_pop(&c->sent[ev->peer]);

		if (ev->kind == EV_STEP)
			rate_is(c, ev, before);
		else if (c->first < 0 || before < c->first)
			c->first = before;
		return;
	}
	rate_is(c, ev, c->first);
	c->first = -1;
}

static void see(struct hook *h, const struct event *ev)
{
	struct check *c = (struct check *)h;
	const int rank = ev->node->rank;

	if (ev->kind == EV_GRAD) {
		c->last[rank] = ev->gradients - 1;
		c->own[rank]++;
		queue_push(&c->sent[rank], c->last[rank]);
		if (ev->node->run->algo->server == NULL)
			c->sent[rank].n = 0;
	} else if (rank == SERVER) {
		see_server(c, ev);
	} else {
		rate_is(c, ev, c->lockstep ? (c->own[rank] - 1) * ev->node->workers
					   : c->last[rank]);
	}
}

static void run_checked(const char *algo, int workers, size_t schedule, bool warm,
			const char *delay, const char *link)
{
	struct check c = { .hook = { .mask = 1u << EV_GRAD | 1u << EV_STEP | 1u << EV_GATHER,
				     .event = see },
			   .factor = schedules[schedule].factor, .warm = warm, .first = -1 };
	struct toy t;

	toy_open(&t, algo, workers, strncmp(algo, "local-adam", 10) ? "sgd" : "adam");
	toy_delay(&t, delay);
	toy_link(&t, link);
	c.lockstep = t.run.algo->lockstep;
	t.run.lr = (struct stepsize){ .base = base, .warmup = warm ? warmup : 0.0,
				      .warmup_from = warmup_from, .epochs = epochs };
	assert_int_equal(choice_parse(&t.run.lr.schedule, schedule_table, "schedule",
				      schedules[schedule].text), 0);
	t.run.epochs = epochs;
	t.run.hooks = &c.hook;
	toy_run(&t);
	assert_true(c.updates >= 6);
	choice_release(&t.run.lr.schedule);
	toy_close(&t);
}

static void check_all(const char *const *algos, int workers, const char *delay, const char *link)
{
	for (; *algos; algos++)
		for (size_t s = 0; s < sizeof(schedules) / sizeof(schedules[0]); s++)
			for (int warm = 0; warm < 2; warm++)
				run_checked(*algos, workers, s, warm, delay, link);
}

/* ---- the tests ---- */

static const char slow_link[] = "nic:latency_s=0.7,bandwidth_GBps=1e-6";

/* A server's update by one gradient: that one's, however long it was on its way. */
static void servers_of_one_gradient(void **state)
{
	static const char *const all[] = {
		"asgd", "staleness-aware", "dynsgd", "gap-aware", "dc-asgd", "nag-asgd",
		"multi-asgd", "dana", "dana:form=slim", "dana:form=predict", "ssp",
		"delay-adaptive", NULL
	};

	check_all(all, 4, "constant", "ideal");
	check_all(all, 4, "gamma:cv=0.5", slow_link);
}

/* An update by several: the earliest one's. */
static void servers_that_gather(void **state)
{
	static const char *const all[] = {
		"softsync:n=2", "k-async:k=2", "k-batch-async:k=3", "groups:groups=2", NULL
	};

	check_all(all, 4, "constant", "ideal");
	check_all(all, 4, "gamma:cv=0.5", slow_link);
}

/* In lockstep the epoch is that of the rounds, on each worker alike. */
static void lockstep(void **state)
{
	static const char *const all[] = {
		"allreduce", "d-psgd", "sgp", "osgp", "demo:side=3,top=4", "local-sgd:period=4",
		"post-local-sgd:start=1,period=4", "local-adam:period=4", "slowmo:period=4",
		"diloco:period=4", "eager-diloco:period=4", "streaming-diloco:period=4,fragments=1",
		"sparseloco:period=4,chunk=4,top=2", "des-loc:period=4",
		NULL
	};

	check_all(all, 4, "constant", "ideal");
	check_all(all, 4, "gamma:cv=0.5", slow_link);
}

/* A worker that steps by its own gradient: the epoch of all workers before it. */
static void workers_of_their_own(void **state)
{
	static const char *const all[] = {
		"ad-psgd", "gossip-pull", "gossip-push", "noloco:period=4", "hogwild", NULL
	};

	check_all(all, 4, "constant", "ideal");
	check_all(all, 4, "gamma:cv=0.5", "nic:latency_s=0.05,bandwidth_GBps=1");
}

RUN_ALL(servers_of_one_gradient, servers_that_gather, lockstep, workers_of_their_own)

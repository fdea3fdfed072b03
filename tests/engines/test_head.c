/* The head served apart: when each stage of a gradient ends, by hand, and what it costs to send. */
#include "tests/support/check.h"
#include "tests/support/toy.h"

#include <math.h>

enum { MOST = 64, HEADER = 24 };

/* Of a gradient of 1 s: forward 0.25 s, head 0.25 s, backward 0.5 s. */
static const struct cut cut = { .at = 2, .width = 3, .share = 0.25 };

struct seen {
	struct hook hook;
	struct event ev[MOST];
	int rank[MOST];
	int n;
};

static void see(struct hook *h, const struct event *ev)
{
	struct seen *s = (struct seen *)h;

	assert_true(s->n < MOST);
	s->rank[s->n] = ev->node->rank;
	s->ev[s->n++] = *ev;
}

static void run_seen(struct seen *s, unsigned mask, struct toy *t)
{
	*s = (struct seen){ .hook = { .mask = mask, .event = see } };
	t->run.cut = cut;
	t->run.hooks = &s->hook;
	toy_run(t);
}

struct want {
	int rank;
	double begun, end;
};

/*
 * Two groups of one. The server computes worker 0's head, then worker 1's, next to whatever it
 * receives. At 1.5 s the activations of worker 1 come while it computes for worker 0.
 */
static void stages_follow_each_other(void **state)
{
	static const struct want want[] = {
		{ 0, 0.0, 0.25 }, { 1, 0.0, 0.25 },             /* both forward */
		{ SERVER, 0.25, 0.5 }, { SERVER, 0.5, 0.75 },   /* the head of 0, of 1 */
		{ 0, 0.5, 1.0 }, { 0, 1.0, 1.25 },              /* 0 backward, and forward again */
		{ 1, 0.75, 1.25 }, { 1, 1.25, 1.5 },            /* 1 so */
		{ SERVER, 1.25, 1.5 }, { SERVER, 1.5, 1.75 },
		{ 0, 1.5, 2.0 }, { 0, 2.0, 2.25 }, { 1, 1.75, 2.25 },
	};
	struct toy t;
	struct seen s;

	toy_timing(&t, "groups:groups=2,head=apart", 2, 4, "ideal");
	run_seen(&s, 1u << EV_GRAD | 1u << EV_STAGE, &t);
	assert_int_equal(s.n, sizeof(want) / sizeof(want[0]));
	for (int i = 0; i < s.n; i++) {
		assert_int_equal(s.rank[i], want[i].rank);
		assert_near(s.ev[i].begun, want[i].begun, 1e-12);
		assert_near(s.ev[i].time, want[i].end, 1e-12);
		assert_near(s.ev[i].seconds, want[i].end - want[i].begun, 1e-12);
	}
	assert_near(t.result.time, 2.25, 1e-12);
	/* 0.75 s twice, and 0.25 s; what is left it has waited for the server */
	assert_near(t.nodes[0].ledger.compute, 1.75, 1e-12);
	assert_near(t.nodes[0].ledger.wait + t.nodes[0].ledger.comm, 0.5, 1e-12);
	assert_near(t.nodes[2].ledger.compute, 4 * 0.25, 1e-12);
	toy_close(&t);
}

/* Steps of the head are never late, those of the rest by the other group's step. */
static void the_head_is_never_stale(void **state)
{
	struct toy t;
	struct seen s;
	int heads = 0, late = 0;

	toy_timing(&t, "groups:groups=3,head=apart", 6, 40, "nic:latency_s=0.01,bandwidth_GBps=1");
	toy_delay(&t, "gamma:cv=0.5");
	run_seen(&s, 1u << EV_GATHER | 1u << EV_HEAD, &t);
	for (int i = 0; i < s.n; i++)
		if (s.ev[i].kind == EV_HEAD) {
			assert_int_equal(s.ev[i].staleness, 0);
			heads++;
		} else {
			late += s.ev[i].staleness > 0;
		}
	assert_true(heads > 15);
	assert_true(late > 20);
	toy_close(&t);
}

/* A group computes a batch together: the head of both members, then one answer to each. */
static void a_group_has_one_step_of_the_head(void **state)
{
	struct toy t;
	struct seen s;
	int sent[4] = { 0 };

	toy_timing(&t, "groups:groups=1,head=apart", 2, 4, "ideal");
	run_seen(&s, 1u << EV_SEND | 1u << EV_HEAD | 1u << EV_STEP, &t);
	/* forward until 0.25, both heads until 0.75, backward until 1.25; so again until 2.5 */
	assert_near(t.result.time, 2.5, 1e-12);
	for (int i = 0; i < s.n; i++) {
		if (s.ev[i].kind == EV_HEAD)
			assert_near(fmod(s.ev[i].time, 1.25), 0.75, 1e-9);
		if (s.ev[i].kind == EV_STEP)
			assert_near(s.ev[i].time, (double)s.ev[i].gradients * 0.625, 1e-9);
		if (s.ev[i].kind != EV_SEND)
			continue;
		/* Activations of 4 samples x 3; the same and the loss; 2 of 5 floats. */
		sent[0] += s.ev[i].bytes == 12 * 4 + HEADER;
		sent[1] += s.ev[i].bytes == 13 * 4 + HEADER;
		sent[2] += s.ev[i].bytes == 2 * 4 + HEADER;
		sent[3]++;
	}
	assert_int_equal(sent[0], 4);
	assert_int_equal(sent[1], 4);
	assert_int_equal(sent[0] + sent[1] + sent[2], sent[3]);
	toy_close(&t);
}

/* HE(g) = max(t_s, (t_c + t_s) / g) of g groups of one, of equal pace: exact where no wire is. */
static void updates_take_what_the_paper_says(void **state)
{
	for (int g = 1; g <= 6; g++) {
		const double he = fmax(0.25, (0.75 + 0.25) / g);
		char algo[64];
		struct toy t;
		double early;

		snprintf(algo, sizeof(algo), "groups:groups=%d,head=apart", g);
		toy_timing(&t, algo, g, 10 * g, "ideal");
		t.run.cut = cut;
		toy_run(&t);
		early = t.result.time;
		toy_close(&t);
		toy_timing(&t, algo, g, 20 * g, "ideal");
		t.run.cut = cut;
		toy_run(&t);
		assert_near((t.result.time - early) / (10 * g), he, 1e-9);
		toy_close(&t);
	}
}

RUN_ALL(stages_follow_each_other, the_head_is_never_stale, a_group_has_one_step_of_the_head,
	updates_take_what_the_paper_says)

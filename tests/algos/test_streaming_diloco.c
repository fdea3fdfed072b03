/* A worker of Streaming DiLoCo: the traces of torchft, an exchange that is late, bad settings. */
#include "tests/support/check.h"
#include "tests/support/script.h"

#include <stdio.h>

enum { TURNS = 5 };

struct trace {
	int delay;
	double alpha;
	double x[TURNS];        /* of the fragment whose turn it was, after every turn */
};

/* Two floats from 1, a fragment each; every inner step is -2; outer SGD of rate 2. */
static const struct trace traces[] = {
	{ 0, 0.0, { -11, -23, -35, -47, -59 } },
	{ 0, 0.5, { -8, -17, -24.5, -32, -40.25 } },
	{ 1, 0.0, { -7, -19, -27, -39, -47 } },
	{ 1, 0.5, { -6, -15, -21.5, -29, -35.75 } },
	{ 0, 1.0, { -5, -11, -17, -23, -29 } },
	{ 1, 1.0, { -5, -11, -17, -23, -29 } },
};

static void open_trace(struct script *s, const struct trace *t)
{
	char text[128];

	snprintf(text, sizeof(text), "streaming-diloco:period=6,fragments=2,delay=%d,alpha=%g,"
		 "outer_lr=2,outer_momentum=0", t->delay, t->alpha);
	script_open(s, text, 1, 0, 1.0, 1.0f, 1.0f);
}

/* The all-reduce of one worker, which is its own part, comes at once or at the last moment. */
static void assert_trace(const struct trace *t, bool late)
{
	struct script s;

	open_trace(&s, t);
	for (int turn = 0; turn < TURNS; turn++) {
		for (int step = 1; step <= 3; step++) {
			assert_int_equal(script_next(&s)->what, ASK_GRAD);
			script_grad(&s, 2.0f, 2.0f);
			if (step == 3 - t->delay) {
				const struct asked *a = script_next(&s);

				assert_int_equal(a->what, ASK_ALLREDUCE);
				assert_int_equal(a->n, 1);
			}
			if (step == (late ? 3 : 3 - t->delay))
				script_allreduce_of(&s, 1, s.allreduced);
		}
		assert_near((double)s.nd.x[turn % 2], t->x[turn], 1e-6);
	}
	script_close(&s);
}

static void values_are_those_of_torchft(void **state)
{
	for (size_t i = 0; i < sizeof(traces) / sizeof(*traces); i++)
		for (int late = 0; late <= 1; late++)
			assert_trace(&traces[i], late);
}

static void a_late_exchange_is_waited_for(void **state)
{
	struct script s;

	open_trace(&s, &traces[2]);
	for (int step = 0; step < 3; step++) {
		while (script_next(&s)->what == ASK_ALLREDUCE)
			;
		script_grad(&s, 2.0f, 2.0f);
	}
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	script_allreduce_of(&s, 1, s.allreduced);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);
	script_close(&s);
}

static void assert_refused(const char *algo, const char *why)
{
	struct script s;

	script_open(&s, algo, 2, 0, 1.0, 0.0f, 0.0f);
	script_refuses(&s, why);
	script_close(&s);
}

static void bad_settings_are_refused(void **state)
{
	assert_refused("streaming-diloco:period=5,fragments=2,delay=0",
		       "fragments = 2 does not divide period = 5");
	assert_refused("streaming-diloco:period=6,fragments=2,delay=3",
		       "delay = 3, and a fragment's turn has 3 steps");
	assert_refused("streaming-diloco:period=6,fragments=2,stripes=2,delay=0",
		       "the model has 2 floats");
}

/*
 * A fragment of one float each, sent a step before its turn of two ends; its merge, in the second
 * turn, is made by a worker that failed in the first, between its own exchange and merge.
 */
static void who_is_back_is_in_the_members_turn(void **state)
{
	static const char algo[] = "streaming-diloco:period=4,fragments=2,delay=1,alpha=0,"
				   "outer_lr=1,outer_momentum=0";
	struct script member, back;
	const struct asked *a;

	script_open(&member, algo, 2, 0, 1.0, 1.0f, 2.0f);
	script_grads(&member, 1.0, 2.0);
	script_grad(&member, 1.0f, 1.0f);
	script_allreduces(&member, 1, (double[]){ 1.0 });
	script_grads(&member, 0.0, 1.0);
	script_allreduce_of(&member, 1, (float[]){ 3.0f });
	script_grad(&member, 1.0f, 1.0f);
	script_grads(&member, -0.5, 0.0);       /* 1 - 3 / 2 */
	script_grad(&member, 1.0f, 1.0f);
	script_allreduces(&member, 1, (double[]){ 3.0 });
	script_grads(&member, -1.5, -1.0);
	script_allreduce_of(&member, 1, (float[]){ 5.0f });
	member.nd.role->fetch(&member.nd, 1);
	a = script_next(&member);
	assert_int_equal(a->what, ASK_SEND);

	script_open(&back, algo, 2, 1, 1.0, 9.0f, 9.0f);
	script_grads(&back, 9.0, 9.0);
	script_grad(&back, 1.0f, 1.0f);
	script_allreduces(&back, 1, (double[]){ 1.0 });
	script_grads(&back, 8.0, 8.0);
	back.nd.role->back(&back.nd, &a->msg);
	script_grads(&back, -1.5, -1.0);
	script_grad(&back, 1.0f, 1.0f);
	script_grads(&back, -2.5, -0.5);        /* 2 - 5 / 2 */
	script_close(&member);
	script_close(&back);
}

RUN_ALL(values_are_those_of_torchft, a_late_exchange_is_waited_for, bad_settings_are_refused,
	who_is_back_is_in_the_members_turn)

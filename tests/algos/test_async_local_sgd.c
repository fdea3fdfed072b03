/* The server of asynchronous local SGD by hand: delayed Nesterov, dynamic local steps. */
#include "tests/support/check.h"
#include "tests/support/script.h"

#include <string.h>

static void open_server(struct script *s, const char *algo)
{
	script_open(s, algo, 2, SERVER, 1.0, 0.0f, 0.0f);
}

/* One Nesterov step along the mean (3, 1): m = (3, 1), X = -(3, 1) - 0.5 m; then m = (2.5, 0.5). */
static void momentum_waits_for_the_mean_of_n(void **state)
{
	struct script s;

	open_server(&s, "async-local-sgd:outer_lr=1,outer_momentum=0.5");
	script_msg(&s, 0, 0, 0, 2.0f, 0.0f);
	script_sends(&s, 0, 1, -1.0, 0.0);
	script_msg(&s, 1, 0, 0, 4.0f, 2.0f);
	script_sends(&s, 1, 2, -4.5, -1.5);
	script_msg(&s, 0, 0, 1, 2.0f, 0.0f);
	script_sends(&s, 0, 3, -5.5, -1.5);
	script_msg(&s, 0, 0, 3, 0.0f, 0.0f);
	script_sends(&s, 0, 4, -6.75, -1.75);
	script_close(&s);
}

static void a_share_of_it_goes_with_every_update(void **state)
{
	struct script s;

	open_server(&s, "async-local-sgd:outer_lr=1,outer_momentum=0.5,share=0.5");
	script_msg(&s, 0, 0, 0, 2.0f, 0.0f);
	script_sends(&s, 0, 1, -1.0, 0.0);
	script_msg(&s, 1, 0, 0, 4.0f, 2.0f);
	script_sends(&s, 1, 2, -3.75, -1.25);
	script_msg(&s, 0, 0, 1, 2.0f, 0.0f);
	script_sends(&s, 0, 3, -5.5, -1.5);
	script_close(&s);
}

/* Steps that the server asks of a worker whose last round took so many seconds a step. */
static int64_t steps_asked(struct script *s, int worker, float pace)
{
	int tag;

	memcpy(&tag, &pace, sizeof(tag));
	script_msg(s, worker, tag, 0, 0.0f, 0.0f);
	return s->asked[s->n - 1].msg.tag;
}

static void slow_workers_make_fewer_steps(void **state)
{
	struct script s;

	open_server(&s, "async-local-sgd:period=20");
	assert_int_equal(steps_asked(&s, 0, 0.5f), 20);
	assert_int_equal(steps_asked(&s, 0, 0.5f), 20);
	assert_int_equal(steps_asked(&s, 1, 2.0f), 5);
	assert_int_equal(steps_asked(&s, 1, 1.0f), 10);
	script_close(&s);
	open_server(&s, "async-local-sgd:period=20,dynamic=false");
	assert_int_equal(steps_asked(&s, 0, 0.5f), 20);
	assert_int_equal(steps_asked(&s, 1, 2.0f), 20);
	script_close(&s);
	open_server(&s, "async-local-sgd:period=2");
	assert_int_equal(steps_asked(&s, 0, 0.5f), 2);
	assert_int_equal(steps_asked(&s, 1, 50.0f), 1);
	script_close(&s);
}

/* 9.91 of 10 steps are 10, 9.89 are 9; no worker is asked for more than it has time for. */
static void a_tenth_of_a_step_is_no_difference(void **state)
{
	struct script s;

	open_server(&s, "async-local-sgd:period=10");
	assert_int_equal(steps_asked(&s, 0, 0.58f), 10);
	assert_int_equal(steps_asked(&s, 1, 0.58f / 0.991f), 10);
	assert_int_equal(steps_asked(&s, 1, 0.58f / 0.989f), 9);
	assert_int_equal(steps_asked(&s, 1, 0.58f * 2.0f), 5);
	assert_int_equal(steps_asked(&s, 1, 0.5799f), 10);
	assert_int_equal(steps_asked(&s, 0, 0.58f), 10);
	script_close(&s);
}

/* The worker measures its rounds from the model that came to the last gradient. */
static void a_round_is_measured_without_its_messages(void **state)
{
	struct script s;

	script_open(&s, "async-local-sgd:period=2", 2, 0, 1.0, 0.0f, 0.0f);
	for (int round = 0; round < 2; round++) {
		float pace;

		s.now += 1.5;
		script_grad(&s, 1.0f, 0.0f);
		s.now += 0.5;
		script_grad(&s, 1.0f, 0.0f);
		memcpy(&pace, &s.asked[s.n - 1].msg.tag, sizeof(pace));
		assert_near((double)pace, 1.0, 1e-6);
		s.now += 30.0;
		script_msg(&s, SERVER, 2, 1, 0.0f, 0.0f);
	}
	script_close(&s);
}

static void shares_do_not_exceed_the_whole(void **state)
{
	struct script s;

	open_server(&s, "async-local-sgd:share=0.6");
	script_refuses(&s, "share = 0.6 is more than 1/N of N = 2");
	script_close(&s);
}

RUN_ALL(momentum_waits_for_the_mean_of_n, a_share_of_it_goes_with_every_update,
	slow_workers_make_fewer_steps, a_tenth_of_a_step_is_no_difference,
	a_round_is_measured_without_its_messages, shares_do_not_exceed_the_whole)

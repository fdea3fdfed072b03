/* The server of asynchronous local SGD by hand: delayed Nesterov, dynamic local steps. */
#include "tests/support/check.h"
#include "tests/support/script.h"

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

static int64_t steps_asked(struct script *s, int worker, double now)
{
	s->now = now;
	script_msg(s, worker, 0, 0, 0.0f, 0.0f);
	return s->asked[s->n - 1].msg.tag;
}

/* Speeds are 2 and 0.5 steps a second, later 2 and 1. */
static void slow_workers_make_fewer_steps(void **state)
{
	struct script s;

	open_server(&s, "async-local-sgd:period=20");
	assert_int_equal(steps_asked(&s, 0, 10.0), 20);
	assert_int_equal(steps_asked(&s, 0, 20.0), 20);
	assert_int_equal(steps_asked(&s, 1, 40.0), 5);
	assert_int_equal(steps_asked(&s, 1, 45.0), 10);
	script_close(&s);
	open_server(&s, "async-local-sgd:period=20,dynamic=false");
	assert_int_equal(steps_asked(&s, 0, 10.0), 20);
	assert_int_equal(steps_asked(&s, 1, 40.0), 20);
	script_close(&s);
	open_server(&s, "async-local-sgd:period=2");
	assert_int_equal(steps_asked(&s, 0, 1.0), 2);
	assert_int_equal(steps_asked(&s, 1, 100.0), 1);
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
	slow_workers_make_fewer_steps, shares_do_not_exceed_the_whole)

/* A parameter server and a worker of asynchronous SGD, event by event. */
#include "tests/support/check.h"
#include "tests/support/script.h"

static void server_applies_and_answers_the_sender(void **state)
{
	struct script s;
	const struct asked *a;

	script_open(&s, "asgd", 3, SERVER, 0.5, 1.0f, 1.0f);
	assert_int_equal(script_next(&s)->what, ASK_NONE);

	script_msg(&s, 2, 0, 0, 2.0f, 0.0f);
	a = script_next(&s);
	assert_int_equal(a->what, ASK_SEND);
	assert_int_equal(a->to, 2);
	assert_int_equal(a->msg.stamp, 1);
	assert_true(a->vec[0] == 0.0f && a->vec[1] == 1.0f);

	script_msg(&s, 0, 0, 0, 0.0f, 4.0f);
	a = script_next(&s);
	assert_int_equal(a->to, 0);
	assert_int_equal(a->msg.stamp, 2);
	assert_true(a->vec[0] == 0.0f && a->vec[1] == -1.0f);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	script_close(&s);
}

static void worker_stamps_its_gradient_with_the_models_clock(void **state)
{
	struct script s;
	const struct asked *a;

	script_open(&s, "asgd", 3, 1, 0.5, 1.0f, 1.0f);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);

	script_grad(&s, 7.0f, 8.0f);
	a = script_next(&s);
	assert_int_equal(a->what, ASK_SEND);
	assert_int_equal(a->to, SERVER);
	assert_int_equal(a->msg.stamp, 0);
	assert_true(a->vec[0] == 7.0f && a->vec[1] == 8.0f);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	assert_true(s.nd.x[0] == 1.0f);

	script_msg(&s, SERVER, 1, 5, 3.0f, 4.0f);
	a = script_next(&s);
	assert_int_equal(a->what, ASK_GRAD);
	assert_true(a->vec[0] == 3.0f && a->vec[1] == 4.0f);
	script_grad(&s, 1.0f, 1.0f);
	assert_int_equal(script_next(&s)->msg.stamp, 5);
	script_close(&s);
}

RUN_ALL(server_applies_and_answers_the_sender, worker_stamps_its_gradient_with_the_models_clock)

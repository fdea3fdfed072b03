/* A worker of synchronous SGD, event by event. */
#include "tests/support/check.h"
#include "tests/support/script.h"

static void one_round(void **state)
{
	struct script s;

	script_open(&s, "allreduce", 4, 2, 0.5, 1.0f, 2.0f);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);
	assert_int_equal(script_next(&s)->what, ASK_NONE);

	script_grad(&s, 3.0f, -1.0f);
	const struct asked *asked = script_next(&s);
	assert_int_equal(asked->what, ASK_ALLREDUCE);
	assert_true(asked->vec[0] == 3.0f && asked->vec[1] == -1.0f);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	assert_int_equal(s.nd.step, 0);

	/* x <- x - 0.5 * (8, 4) / 4 */
	script_allreduce(&s, 8.0f, 4.0f);
	assert_true(s.nd.x[0] == 0.0f && s.nd.x[1] == 1.5f);
	assert_int_equal(s.nd.step, 1);
	const struct asked *next = script_next(&s);
	assert_int_equal(next->what, ASK_GRAD);
	assert_true(next->vec[0] == 0.0f && next->vec[1] == 1.5f);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	script_close(&s);
}

RUN_ALL(one_round)

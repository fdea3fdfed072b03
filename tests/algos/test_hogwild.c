/* A worker of hogwild, event by event. */
#include "tests/support/check.h"
#include "tests/support/script.h"

static void steps_and_goes_on_at_what_it_made(void **state)
{
	struct script s;
	const struct asked *a;

	script_open(&s, "hogwild", 3, 1, 0.5, 1.0f, 2.0f);
	a = script_next(&s);
	assert_int_equal(a->what, ASK_GRAD);
	assert_true(a->vec[0] == 1.0f && a->vec[1] == 2.0f);

	script_grad(&s, 2.0f, -4.0f);
	assert_int_equal(s.nd.ledger.steps, 1);
	a = script_next(&s);
	assert_int_equal(a->what, ASK_GRAD);
	assert_true(a->vec[0] == 0.0f && a->vec[1] == 4.0f);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	script_close(&s);
}

RUN_ALL(steps_and_goes_on_at_what_it_made)

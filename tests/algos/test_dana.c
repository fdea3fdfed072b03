/* A server that sends models from ahead, and its workers, computed by hand. */
#include "tests/support/check.h"
#include "tests/support/script.h"

#include <math.h>

static const char half[] = "sgd:momentum=0.5,weight_decay=0";

static void zero_sends_the_point_ahead(void **state)
{
	struct script s;

	(void)state;
	script_open_with(&s, "dana", half, 2, SERVER, 1.0, 0.0f, 0.0f);
	script_msg(&s, 0, 0, 0, 1.0f, 0.0f);    /* v = 1, 0 */
	script_sends(&s, 0, 1, -1.0 - 0.5 * 1.0, 0.0);
	script_msg(&s, 1, 0, 0, 2.0f, 0.0f);    /* v = 1, 2 */
	script_sends(&s, 1, 2, -3.0 - 0.5 * 3.0, 0.0);
	script_msg(&s, 0, 0, 1, 0.0f, 0.0f);    /* v = 0.5, 2 */
	script_sends(&s, 0, 3, -3.5 - 0.5 * 2.5, 0.0);
	assert_true(s.nd.x[0] == -3.5f);
	script_close(&s);
}

static void slim_steps_by_what_comes(void **state)
{
	struct script s;

	(void)state;
	script_open_with(&s, "dana:form=slim", half, 2, SERVER, 1.0, 0.0f, 0.0f);
	script_msg(&s, 0, 0, 0, 1.5f, 0.0f);
	script_sends(&s, 0, 1, -1.5, 0.0);
	script_close(&s);
}

/* v = 1, 2.5; u = v / 2 + g = 1.5, 3.25 */
static void slims_worker_keeps_the_momentum(void **state)
{
	struct script s;

	(void)state;
	script_open_with(&s, "dana:form=slim", half, 2, 1, 1.0, 0.0f, 0.0f);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);
	script_grad(&s, 1.0f, 0.0f);
	script_sends(&s, SERVER, 0, 1.5, 0.0);
	script_msg(&s, SERVER, 1, 7, 0.0f, 0.0f);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);
	script_grad(&s, 2.0f, 0.0f);
	script_sends(&s, SERVER, 7, 3.25, 0.0);
	script_close(&s);
}

static void decay_is_the_workers(void **state)
{
	struct script s;

	(void)state;
	script_open_with(&s, "dana", "sgd:weight_decay=0.5", 2, 1, 1.0, 2.0f, 4.0f);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);
	script_grad(&s, 1.0f, 1.0f);
	script_sends(&s, SERVER, 0, 2.0, 3.0);
	script_close(&s);
}

/* Worker 1's gradient 2 + 1 * 4 * (-1 - 0) = -2, at x = -1 for a model of 0. */
static void compensates_delay(void **state)
{
	struct script s;

	(void)state;
	script_open_with(&s, "dana:compensate=delay,lambda=1", half, 2, SERVER, 1.0, 0.0f, 0.0f);
	script_msg(&s, 0, 0, 0, 1.0f, 0.0f);
	script_sends(&s, 0, 1, -1.5, 0.0);
	script_msg(&s, 1, 0, 0, 2.0f, 0.0f);
	script_sends(&s, 1, 2, 1.0 - 0.5 * -1.0, 0.0);
	/* x = 1; worker 0 has -1.5: 1 + 1 * 1 * 2.5 = 3.5; v = 4, -2 */
	script_msg(&s, 0, 0, 1, 1.0f, 0.0f);
	script_sends(&s, 0, 3, -3.0 - 0.5 * 2.0, 0.0);
	script_close(&s);
}

/* The last step was along v_0 = 1: C = sqrt(2/3), as in the test of gap-aware. */
static void compensates_the_gap(void **state)
{
	const double v1 = 2.0 / (1.0 + 1.0 / sqrt(2.0 / 3.0));
	struct script s;

	(void)state;
	script_open_with(&s, "dana:compensate=gap,big_gamma=0.5", half, 2, SERVER, 1.0, 0.0f,
			 0.0f);
	script_msg(&s, 0, 0, 0, 1.0f, 0.0f);
	script_sends(&s, 0, 1, -1.5, 0.0);
	script_msg(&s, 1, 0, 0, 2.0f, 0.0f);
	script_sends(&s, 1, 2, -1.0 - v1 - 0.5 * (1.0 + v1), 0.0);
	script_close(&s);
}

static void slim_cannot_compensate(void **state)
{
	struct script s;

	(void)state;
	script_open(&s, "dana:form=slim,compensate=gap", 2, SERVER, 1.0, 0.0f, 0.0f);
	script_refuses(&s, "compensate=gap needs form=zero");
	script_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zero_sends_the_point_ahead),
		cmocka_unit_test(slim_steps_by_what_comes),
		cmocka_unit_test(slims_worker_keeps_the_momentum),
		cmocka_unit_test(decay_is_the_workers),
		cmocka_unit_test(compensates_delay),
		cmocka_unit_test(compensates_the_gap),
		cmocka_unit_test(slim_cannot_compensate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

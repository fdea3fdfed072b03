/* A worker of pushing gossip, event by event. */
#include "tests/support/check.h"
#include "tests/support/script.h"

static void steps_then_sends_what_it_has(void **state)
{
	struct script s;
	const struct asked *a;

	script_open(&s, "gossip-push", 2, 0, 0.5, 4.0f, 0.0f);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);
	script_grad(&s, 2.0f, 0.0f);
	a = script_next(&s);
	assert_int_equal(a->what, ASK_SEND);
	assert_int_equal(a->to, 1);
	assert_true(a->vec[0] == 3.0f);
	assert_true(s.nd.x[0] == 3.0f);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);

	/* two models that arrive, one after the other: ((3 + 1)/2 + 8)/2 */
	script_msg(&s, 1, 0, 0, 1.0f, 0.0f);
	script_msg(&s, 1, 0, 1, 8.0f, 0.0f);
	assert_true(s.nd.x[0] == 5.0f);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	script_close(&s);
}

static void sends_every_tau_steps(void **state)
{
	struct script s;

	script_open(&s, "gossip-push:tau=2", 4, 0, 1.0, 0.0f, 0.0f);
	for (int k = 1; k <= 6; k++) {
		assert_int_equal(script_next(&s)->what, ASK_GRAD);
		script_grad(&s, 0.0f, 0.0f);
		if (k % 2 == 0)
			assert_int_equal(script_next(&s)->what, ASK_SEND);
	}
	script_close(&s);
}

/*
 * order=first, by hand, lr 1: 1 and 8 come while the gradient at x = 4 is computed, and are kept.
 * g = 1: x = 3, which is sent; then x = (3 + 1 + 8)/3 = 4, and the next gradient is taken there.
 */
static void averages_first_and_computes_at_the_average(void **state)
{
	struct script s;
	const struct asked *a;

	script_open(&s, "gossip-push:order=first", 3, 0, 1.0, 4.0f, 0.0f);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);
	script_msg(&s, 1, 0, 1, 1.0f, 3.0f);
	script_msg(&s, 2, 0, 1, 8.0f, 3.0f);
	assert_true(s.nd.x[0] == 4.0f && s.nd.x[1] == 0.0f);
	script_grad(&s, 1.0f, 0.0f);
	a = script_next(&s);
	assert_int_equal(a->what, ASK_SEND);
	assert_true(a->vec[0] == 3.0f);
	a = script_next(&s);
	assert_int_equal(a->what, ASK_GRAD);
	assert_near((double)a->vec[0], 4.0, 1e-6);
	assert_near((double)a->vec[1], 2.0, 1e-6);

	/* Nothing came meanwhile: nothing is averaged. */
	script_grad(&s, 1.0f, 0.0f);
	assert_near((double)s.nd.x[0], 3.0, 1e-6);
	assert_int_equal(script_next(&s)->what, ASK_SEND);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);
	script_close(&s);
}

/* What came before an absence, 1, is not averaged with the model of after it. */
static void an_absence_loses_what_came_before(void **state)
{
	struct script s;

	script_open(&s, "gossip-push:order=first", 3, 0, 1.0, 4.0f, 0.0f);
	script_grads(&s, 4.0, 0.0);
	script_msg(&s, 1, 0, 1, 1.0f, 3.0f);
	s.nd.role->back(&s.nd, &(struct msg){ .from = 1, .vec = (float[]){ 6.0f, 0.0f }, .n = 2 });
	script_grads(&s, 6.0, 0.0);
	script_grad(&s, 1.0f, 0.0f);
	assert_int_equal(script_next(&s)->what, ASK_SEND);
	script_grads(&s, 5.0, 0.0);
	script_close(&s);
}

static void alone_it_sends_nothing(void **state)
{
	struct script s;

	script_open(&s, "gossip-push", 1, 0, 1.0, 4.0f, 0.0f);
	script_grad(&s, 1.0f, 0.0f);
	assert_true(s.nd.x[0] == 3.0f);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	script_close(&s);
}

RUN_ALL(steps_then_sends_what_it_has, sends_every_tau_steps,
	averages_first_and_computes_at_the_average, an_absence_loses_what_came_before,
	alone_it_sends_nothing)

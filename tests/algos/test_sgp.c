/* Workers of stochastic gradient push, waiting for their messages or not, event by event. */
#include "algos/common/peers/partners.h"
#include "tests/support/check.h"
#include "tests/support/script.h"

/* A message of p x and, after it, p w. */
static void receive(struct script *s, int from, int64_t step, float x0, float x1, float w)
{
	const float v[] = { x0, x1, w };

	script_vec(s, from, step, 3, v);
}

static void expect_send(struct script *s, int to, int64_t step, float x0, float w)
{
	const struct asked *a = script_next(s);

	assert_int_equal(a->what, ASK_SEND);
	assert_int_equal(a->to, to);
	assert_int_equal(a->msg.stamp, step);
	assert_int_equal(a->msg.n, 3);
	assert_true(a->vec[0] == x0);
	assert_true(a->vec[2] == w);
}

/* Of 5 workers, rank 0 sends to 1, 2, 4 in turn and receives 4, 3, 1 in turn. */
static void sends_half_to_one_peer_in_turn(void **state)
{
	static const int to[] = { 1, 2, 4, 1 }, from[] = { 4, 3, 1, 4 };
	struct script s;

	script_open(&s, "sgp", 5, 0, 1.0, 4.0f, 0.0f);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);
	for (int k = 0; k < 4; k++) {
		script_grad(&s, 0.0f, 0.0f);
		expect_send(&s, to[k], k, 2.0f, 0.5f);
		assert_int_equal(script_next(&s)->what, ASK_NONE);
		receive(&s, from[k], k, 2.0f, 0.0f, 0.5f);
		assert_true(s.nd.x[0] == 4.0f);
		assert_int_equal(script_next(&s)->what, ASK_GRAD);
	}
	script_close(&s);
}

/* Step, then mix: x <- (4 - 2)/2 + 3; a sender two steps ahead waits its turn. */
static void keeps_later_steps_apart(void **state)
{
	struct script s;

	script_open(&s, "sgp", 5, 0, 1.0, 4.0f, 0.0f);
	script_next(&s);
	receive(&s, 1, 2, 100.0f, 0.0f, 0.5f);
	receive(&s, 4, 0, 3.0f, 1.0f, 0.5f);
	assert_true(s.nd.x[0] == 4.0f);
	script_grad(&s, 2.0f, 0.0f);
	assert_true(s.nd.x[0] == 4.0f && s.nd.x[1] == 1.0f);
	receive(&s, 3, 1, 0.0f, 0.0f, 0.5f);
	script_grad(&s, 0.0f, 0.0f);
	assert_true(s.nd.x[0] == 2.0f && s.nd.x[1] == 0.5f);
	script_grad(&s, 0.0f, 0.0f);
	assert_true(s.nd.x[0] == 101.0f);
	script_close(&s);
}

/*
 * The middle of a star of three, to all: p = 1/3 for itself and each leaf, whose own p is 1/2.
 * After a step x = 6/3 + 1 + 3, w = 1/3 + 1/2 + 1/2 = 4/3, and the model is x / w = 6 * 3/4.
 */
static void weighs_by_what_it_received(void **state)
{
	struct script s;

	script_open_on(&s, "star", "sgp:peers=all", 3, 0, 1.0, 6.0f, 0.0f);
	script_next(&s);
	script_grad(&s, 0.0f, 0.0f);
	expect_send(&s, 1, 0, 6.0f * (1.0f / 3.0f), 1.0f / 3.0f);
	expect_send(&s, 2, 0, 6.0f * (1.0f / 3.0f), 1.0f / 3.0f);
	receive(&s, 1, 0, 1.0f, 0.0f, 0.5f);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	receive(&s, 2, 0, 3.0f, 0.0f, 0.5f);
	assert_near((double)s.nd.x[0], 4.5, 1e-6);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);

	/* the step is of x, not of x / w: (4.5 * 4/3 - 3) / 3 and w / 3 are shared out */
	script_grad(&s, 3.0f, 0.0f);
	assert_near((double)s.asked[s.n - 1].vec[0], 1.0, 1e-6);
	assert_near((double)s.asked[s.n - 1].vec[2], 4.0 / 9, 1e-6);
	script_close(&s);
}

/* In float32 1e8 + 1 - 1e8 is 0, and 1e8 - 1e8 + 1 is 1. */
static void adds_in_the_order_of_ranks(void **state)
{
	static const int orders[][4] = { { 1, 2, 3, 4 }, { 3, 1, 4, 2 }, { 4, 3, 2, 1 } };
	static const float values[] = { 0.0f, 1e8f, -1e8f, 1.0f, 0.5f };

	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		struct script s;

		script_open_on(&s, "complete", "sgp:peers=all", 5, 0, 1.0, 0.0f, 0.0f);
		script_grad(&s, 0.0f, 0.0f);
		for (int k = 0; k < 4; k++)
			receive(&s, orders[i][k], 0, values[orders[i][k]], 0.0f, 0.2f);
		assert_near((double)s.nd.x[0], 1.5, 1e-6);
		script_close(&s);
	}
}

/* tau = 1: the first step waits for no message, the second for what was sent at the first. */
static void overlapped_waits_a_step_later(void **state)
{
	struct script s;

	script_open(&s, "osgp:tau=1", 2, 0, 1.0, 4.0f, 0.0f);
	script_next(&s);
	script_grad(&s, 0.0f, 0.0f);
	expect_send(&s, 1, 0, 2.0f, 0.5f);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);
	assert_true(s.nd.x[0] == 4.0f);
	script_grad(&s, 0.0f, 0.0f);
	expect_send(&s, 1, 1, 1.0f, 0.25f);
	assert_int_equal(script_next(&s)->what, ASK_NONE);

	/* x = 1 + 5, w = 1/4 + 1/2 */
	receive(&s, 1, 0, 5.0f, 0.0f, 0.5f);
	assert_near((double)s.nd.x[0], 8.0, 1e-6);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);
	script_close(&s);
}

/*
 * The turn of 1, which has left: it keeps all of x = 4 and w = 1. With (2, 1/2) of 4 the model is
 * 6 / (3/2). What it had sent to 1 before comes back, while it computes a gradient at that model.
 */
static void keeps_its_weight_from_one_that_left(void **state)
{
	const float sent[] = { 3.0f, 0.0f, 0.5f };
	struct script s;

	script_open(&s, "sgp", 5, 0, 1.0, 4.0f, 0.0f);
	script_next(&s);
	s.nd.role->lost(&s.nd, 1);
	script_grad(&s, 0.0f, 0.0f);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	receive(&s, 4, 0, 2.0f, 0.0f, 0.5f);
	script_grads(&s, 4.0, 0.0);
	s.nd.role->returned(&s.nd, &(struct msg){ .from = 0, .vec = sent, .n = 3 });
	assert_near((double)s.nd.x[0], (6.0 + 3) / 2, 1e-6);
	script_grad(&s, 0.0f, 0.0f);
	expect_send(&s, 2, 1, 4.5f, 1.0f);
	script_close(&s);
}

/* Sent, and returned before the step is complete: x and w are what they were. */
static void takes_back_what_was_not_received(void **state)
{
	const float sent[] = { 2.0f, 0.0f, 0.5f };
	struct script s;

	script_open(&s, "sgp", 5, 0, 1.0, 4.0f, 0.0f);
	script_next(&s);
	script_grad(&s, 0.0f, 0.0f);
	expect_send(&s, 1, 0, 2.0f, 0.5f);
	s.nd.role->lost(&s.nd, 1);
	s.nd.role->returned(&s.nd, &(struct msg){ .from = 0, .vec = sent, .n = 3 });
	receive(&s, 4, 0, 8.0f, 0.0f, 1.0f);
	script_grads(&s, (4.0 + 8) / 2, 0.0);
	script_close(&s);
}

/*
 * It left with w = 1/2 and (1, 1/4) received, so it is back with w = 3/4: at its own model of
 * (2 + 1) / (3/4), or at that which it was given.
 */
static void is_back_with_the_weight_that_it_had(bool fresh, double model)
{
	static const int near[] = { 1, 2, 3, 4 };
	const float x[] = { 7.0f, 0.0f };
	struct script s;

	script_open(&s, "sgp", 5, 0, 1.0, 4.0f, 0.0f);
	script_next(&s);
	receive(&s, 3, 1, 1.0f, 0.0f, 0.25f);
	script_grad(&s, 0.0f, 0.0f);
	script_next(&s);
	s.nd.role->back(&s.nd, fresh ? &(struct msg){ .from = 4, .vec = x, .n = 2 } : NULL);
	for (int i = 0; i < 4; i++) {
		const struct asked *a = script_next(&s);

		assert_int_equal(a->to, near[i]);
		assert_int_equal(a->msg.tag, PARTNER_JOIN);
	}
	s.nd.role->lost(&s.nd, 2);
	s.nd.role->lost(&s.nd, 3);
	script_msg(&s, 1, PARTNER_ROUND, 4, 0.0f, 0.0f);
	script_msg(&s, 4, PARTNER_ROUND, 5, 0.0f, 0.0f);
	assert_int_equal(script_next(&s)->msg.stamp, 6);
	assert_int_equal(script_next(&s)->msg.tag, PARTNER_START);
	script_grads(&s, model, 0.0);

	/* Of step 6, to 1 and from 4. */
	script_grad(&s, 0.0f, 0.0f);
	expect_send(&s, 1, 6, (float)model * 0.375f, 0.375f);
	receive(&s, 4, 6, 0.0f, 0.0f, 0.375f);
	script_grads(&s, model / 2, 0.0);
	script_close(&s);
}

static void comes_back_with_its_weight(void **state)
{
	is_back_with_the_weight_that_it_had(false, 4.0);
	is_back_with_the_weight_that_it_had(true, 7.0);
}

RUN_ALL(sends_half_to_one_peer_in_turn, keeps_later_steps_apart, weighs_by_what_it_received,
	adds_in_the_order_of_ranks,
	overlapped_waits_a_step_later, keeps_its_weight_from_one_that_left,
	takes_back_what_was_not_received, comes_back_with_its_weight)

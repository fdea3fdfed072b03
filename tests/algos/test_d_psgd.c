/* A worker of D-PSGD on a ring, event by event. */
#include "tests/support/check.h"
#include "tests/support/script.h"

static void expect_send(struct script *s, int to, int64_t stamp, float x0)
{
	const struct asked *a = script_next(s);

	assert_int_equal(a->what, ASK_SEND);
	assert_int_equal(a->to, to);
	assert_int_equal(a->msg.stamp, stamp);
	assert_true(a->vec[0] == x0);
}

static void waits_for_both_neighbours(void **state)
{
	struct script s;

	script_open(&s, "d-psgd", 5, 0, 1.0, 3.0f, 0.0f);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);
	script_grad(&s, 1.0f, 0.0f);
	expect_send(&s, 4, 0, 3.0f);
	expect_send(&s, 1, 0, 3.0f);
	script_msg(&s, 1, 0, 0, 6.0f, 0.0f);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	assert_true(s.nd.x[0] == 3.0f);

	/* x <- (3 + 9 + 6) / 3 - 1 * 1 */
	script_msg(&s, 4, 0, 0, 9.0f, 0.0f);
	assert_near((double)s.nd.x[0], 5.0, 1e-6);
	assert_int_equal(s.nd.step, 1);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);
	script_close(&s);
}

/* A neighbour that is one round ahead must not be mixed into this round. */
static void keeps_the_next_round_apart(void **state)
{
	struct script s;

	script_open(&s, "d-psgd", 5, 2, 1.0, 0.0f, 0.0f);
	script_msg(&s, 1, 0, 0, 3.0f, 0.0f);
	script_msg(&s, 1, 0, 1, 300.0f, 0.0f);
	script_grad(&s, 0.0f, 0.0f);
	assert_int_equal(s.nd.step, 0);
	script_msg(&s, 3, 0, 0, 6.0f, 0.0f);
	assert_near((double)s.nd.x[0], 3.0, 1e-6);
	assert_int_equal(s.nd.step, 1);

	/* the second round ends with the other neighbour's second model */
	script_grad(&s, 0.0f, 0.0f);
	assert_int_equal(s.nd.step, 1);
	script_msg(&s, 3, 0, 1, 0.0f, 0.0f);
	assert_near((double)s.nd.x[0], 101.0, 1e-4);
	assert_int_equal(s.nd.step, 2);
	script_close(&s);
}

static void two_workers_are_one_neighbour(void **state)
{
	struct script s;

	script_open(&s, "d-psgd", 2, 1, 1.0, 1.0f, 0.0f);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);
	script_grad(&s, 0.0f, 0.0f);
	expect_send(&s, 0, 0, 1.0f);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	script_msg(&s, 0, 0, 0, 5.0f, 0.0f);
	assert_true(s.nd.x[0] == 3.0f);
	script_close(&s);
}

static void overlap_sends_before_computing(void **state)
{
	struct script s;

	script_open(&s, "d-psgd:overlap=true", 3, 1, 1.0, 1.0f, 0.0f);
	expect_send(&s, 0, 0, 1.0f);
	expect_send(&s, 2, 0, 1.0f);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);
	script_msg(&s, 0, 0, 0, 4.0f, 0.0f);
	script_msg(&s, 2, 0, 0, 4.0f, 0.0f);
	assert_int_equal(s.nd.step, 0);
	script_grad(&s, 1.0f, 0.0f);
	assert_near((double)s.nd.x[0], 2.0, 1e-6);
	script_close(&s);
}

/* Leaves of a star: W_0j = 1/4 with 4 workers, so a leaf keeps 3/4; the middle 1/4. */
static void weighs_by_the_graph(void **state)
{
	struct script s;

	script_open_on(&s, "star", "d-psgd", 4, 2, 1.0, 8.0f, 0.0f);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);
	script_grad(&s, 1.0f, 0.0f);
	expect_send(&s, 0, 0, 8.0f);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	script_msg(&s, 0, 0, 0, 4.0f, 0.0f);
	assert_near((double)s.nd.x[0], 6.0, 1e-6);
	script_close(&s);

	script_open_on(&s, "star", "d-psgd", 4, 0, 1.0, 8.0f, 0.0f);
	script_grad(&s, 1.0f, 0.0f);
	script_msg(&s, 3, 0, 0, 4.0f, 0.0f);
	script_msg(&s, 1, 0, 0, 12.0f, 0.0f);
	assert_int_equal(s.nd.step, 0);
	script_msg(&s, 2, 0, 0, 0.0f, 0.0f);
	assert_near((double)s.nd.x[0], 5.0, 1e-6);
	script_close(&s);
}

RUN_ALL(waits_for_both_neighbours, keeps_the_next_round_apart, two_workers_are_one_neighbour,
	overlap_sends_before_computing, weighs_by_the_graph)

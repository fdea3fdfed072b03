/* A worker of D-PSGD on a ring, event by event. */
#include "algos/common/peers/partners.h"
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

static void expect_word(struct script *s, int to, int tag, int64_t round)
{
	const struct asked *a = script_next(s);

	assert_int_equal(a->what, ASK_SEND);
	assert_int_equal(a->to, to);
	assert_int_equal(a->msg.tag, tag);
	assert_int_equal(a->msg.stamp, round);
	assert_int_equal(a->msg.n, 0);
}

/*
 * Ring of five, without 4: x <- 2/3 x + 1/3 x_1, the weights of a path's end, until 4 is back.
 * Between its question and its START no round ends; from its first round on it is a third again.
 */
static void goes_on_without_a_neighbour_and_has_it_back(void **state)
{
	struct script s;

	script_open(&s, "d-psgd", 5, 0, 1.0, 3.0f, 0.0f);
	script_next(&s);
	script_grad(&s, 1.0f, 0.0f);
	expect_send(&s, 4, 0, 3.0f);
	expect_send(&s, 1, 0, 3.0f);
	script_msg(&s, 1, 0, 0, 6.0f, 0.0f);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	s.nd.role->lost(&s.nd, 4);
	assert_near((double)s.nd.x[0], 2.0 / 3 * 3 + 6.0 / 3 - 1, 1e-6);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);

	script_grad(&s, 0.0f, 0.0f);
	expect_send(&s, 1, 1, 3.0f);
	script_msg(&s, 4, PARTNER_JOIN, 0, 0.0f, 0.0f);
	expect_word(&s, 4, PARTNER_ROUND, 1);
	script_msg(&s, 1, 0, 1, 0.0f, 0.0f);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	script_msg(&s, 4, PARTNER_START, 2, 0.0f, 0.0f);
	assert_near((double)s.nd.x[0], 2.0, 1e-6);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);

	script_grad(&s, 0.0f, 0.0f);
	assert_int_equal(script_next(&s)->to, 4);
	assert_int_equal(script_next(&s)->to, 1);
	script_msg(&s, 1, 0, 2, 4.0f, 0.0f);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	script_msg(&s, 4, 0, 2, 9.0f, 0.0f);
	assert_near((double)s.nd.x[0], (2.0 + 4 + 9) / 3, 1e-6);
	script_close(&s);
}

/* What a neighbour had sent for this round and the next counts in both, though it has left. */
static void uses_what_a_lost_neighbour_had_sent(void **state)
{
	struct script s;

	script_open(&s, "d-psgd", 3, 0, 1.0, 0.0f, 0.0f);
	script_msg(&s, 1, 0, 0, 3.0f, 0.0f);
	script_msg(&s, 1, 0, 1, 6.0f, 0.0f);
	s.nd.role->lost(&s.nd, 1);
	script_grad(&s, 0.0f, 0.0f);
	script_msg(&s, 2, 0, 0, 0.0f, 0.0f);
	assert_near((double)s.nd.x[0], 1.0, 1e-6);
	script_grad(&s, 0.0f, 0.0f);
	script_msg(&s, 2, 0, 1, 2.0f, 0.0f);
	assert_near((double)s.nd.x[0], (1.0 + 6 + 2) / 3, 1e-6);
	script_grad(&s, 0.0f, 0.0f);
	script_msg(&s, 2, 0, 2, 0.0f, 0.0f);
	assert_near((double)s.nd.x[0], 2.0, 1e-6);
	script_close(&s);
}

/* Its neighbours are in rounds 4 and 7, so it begins with 8, at the model that it was given. */
static void begins_at_a_round_that_none_has_begun(void **state)
{
	const float x[] = { 9.0f, 0.0f };
	struct script s;

	script_open(&s, "d-psgd", 5, 0, 1.0, 3.0f, 0.0f);
	script_next(&s);
	s.nd.role->back(&s.nd, &(struct msg){ .from = 1, .vec = x, .n = 2 });
	expect_word(&s, 1, PARTNER_JOIN, 0);
	expect_word(&s, 4, PARTNER_JOIN, 0);
	script_msg(&s, 1, PARTNER_ROUND, 4, 0.0f, 0.0f);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	script_msg(&s, 4, PARTNER_ROUND, 7, 0.0f, 0.0f);
	expect_word(&s, 1, PARTNER_START, 8);
	expect_word(&s, 4, PARTNER_START, 8);
	script_grads(&s, 9.0, 0.0);
	script_grad(&s, 0.0f, 0.0f);
	expect_send(&s, 4, 8, 9.0f);
	expect_send(&s, 1, 8, 9.0f);
	script_close(&s);
}

/* 4 is back at the same time, and begins with 11: both have each other from 12 on. */
static void two_that_are_back_at_once(void **state)
{
	struct script s;

	script_open(&s, "d-psgd", 5, 0, 1.0, 3.0f, 0.0f);
	script_next(&s);
	s.nd.role->back(&s.nd, NULL);
	script_next(&s);
	script_next(&s);
	s.nd.role->lost(&s.nd, 4);
	script_msg(&s, 4, PARTNER_JOIN, 9, 0.0f, 0.0f);
	expect_word(&s, 4, PARTNER_ALSO, 0);
	script_msg(&s, 1, PARTNER_ROUND, 9, 0.0f, 0.0f);
	expect_word(&s, 1, PARTNER_START, 10);
	expect_word(&s, 4, PARTNER_START, 10);
	script_next(&s);
	script_msg(&s, 1, 0, 10, 3.0f, 0.0f);
	script_grad(&s, 0.0f, 0.0f);
	expect_send(&s, 1, 10, 3.0f);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	script_msg(&s, 4, PARTNER_START, 11, 0.0f, 0.0f);
	for (int64_t round = 11; round < 13; round++) {
		assert_int_equal(script_next(&s)->what, ASK_GRAD);
		script_msg(&s, 1, 0, round, 3.0f, 0.0f);
		script_grad(&s, 0.0f, 0.0f);
		if (round == 12)
			expect_send(&s, 4, 12, 3.0f);
		expect_send(&s, 1, round, 3.0f);
	}
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	script_close(&s);
}

RUN_ALL(waits_for_both_neighbours, keeps_the_next_round_apart, two_workers_are_one_neighbour,
	overlap_sends_before_computing, weighs_by_the_graph,
	goes_on_without_a_neighbour_and_has_it_back, uses_what_a_lost_neighbour_had_sent,
	begins_at_a_round_that_none_has_begun, two_that_are_back_at_once)

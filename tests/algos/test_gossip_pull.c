/* A worker of pulling gossip, event by event. */
#include "tests/support/check.h"
#include "tests/support/script.h"

enum { ASK_TAG, ANSWER_TAG, BACK_TAG };

static void asks_one_peer_while_it_computes(void **state)
{
	struct script s;
	const struct asked *a;

	script_open(&s, "gossip-pull", 3, 1, 1.0, 4.0f, 0.0f);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);
	script_grad(&s, 1.0f, 0.0f);
	assert_true(s.nd.x[0] == 3.0f);
	a = script_next(&s);
	assert_int_equal(a->what, ASK_SEND);
	assert_int_equal(a->msg.tag, ASK_TAG);
	assert_int_equal(a->msg.n, 0);
	assert_true(a->to == 0 || a->to == 2);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);

	/* not answered yet: steps on, and asks no second time */
	script_grad(&s, 1.0f, 0.0f);
	assert_true(s.nd.x[0] == 2.0f);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);
	script_msg(&s, 2, ANSWER_TAG, 0, 8.0f, 2.0f);
	assert_true(s.nd.x[0] == 5.0f && s.nd.x[1] == 1.0f);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	script_grad(&s, 1.0f, 0.0f);
	assert_int_equal(script_next(&s)->what, ASK_SEND);
	script_close(&s);
}

static void answers_its_model_and_keeps_it(void **state)
{
	struct script s;
	const struct asked *a;

	script_open(&s, "gossip-pull", 2, 0, 1.0, 4.0f, 6.0f);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);
	script_vec(&s, 1, 0, 0, NULL);
	a = script_next(&s);
	assert_int_equal(a->what, ASK_SEND);
	assert_int_equal(a->to, 1);
	assert_int_equal(a->msg.tag, ANSWER_TAG);
	assert_true(a->vec[0] == 4.0f && a->vec[1] == 6.0f);
	assert_true(s.nd.x[0] == 4.0f && s.nd.x[1] == 6.0f);
	script_close(&s);
}

static void asks_every_tau_steps(void **state)
{
	struct script s;

	script_open(&s, "gossip-pull:tau=3", 4, 0, 1.0, 0.0f, 0.0f);
	for (int k = 1; k <= 6; k++) {
		assert_int_equal(script_next(&s)->what, ASK_GRAD);
		script_grad(&s, 0.0f, 0.0f);
		if (k % 3 == 0) {
			assert_int_equal(script_next(&s)->what, ASK_SEND);
			script_msg(&s, 1, ANSWER_TAG, 0, 0.0f, 0.0f);
		}
	}
	script_close(&s);
}

static void asks_neighbours_only(void **state)
{
	struct script s;
	bool seen[6] = { false };

	script_open_on(&s, "ring", "gossip-pull", 6, 3, 1.0, 0.0f, 0.0f);
	for (int k = 0; k < 40; k++) {
		s.n = s.read = 0;
		script_grad(&s, 0.0f, 0.0f);
		seen[script_next(&s)->to] = true;
		script_msg(&s, 2, ANSWER_TAG, 0, 0.0f, 0.0f);
	}
	for (int k = 0; k < 6; k++)
		assert_int_equal(seen[k], k == 2 || k == 4);
	script_close(&s);
}

/*
 * order=first, by hand, lr 1: x = 4, g = 1: x = 3, asks, and computes nothing; 8 comes: x = 5.5,
 * and the gradient is taken there; g = 0.5: x = 5.
 */
static void averages_first_and_computes_at_the_average(void **state)
{
	struct script s;
	const struct asked *a;

	script_open(&s, "gossip-pull:order=first", 2, 1, 1.0, 4.0f, 0.0f);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);
	script_grad(&s, 1.0f, 0.0f);
	assert_int_equal(script_next(&s)->what, ASK_SEND);
	assert_int_equal(script_next(&s)->what, ASK_NONE);

	/* It answers questions meanwhile, so no two workers wait for each other. */
	script_vec(&s, 0, ASK_TAG, 0, NULL);
	a = script_next(&s);
	assert_int_equal(a->msg.tag, ANSWER_TAG);
	assert_true(a->vec[0] == 3.0f);
	assert_int_equal(script_next(&s)->what, ASK_NONE);

	script_msg(&s, 0, ANSWER_TAG, 0, 8.0f, 2.0f);
	assert_true(s.nd.x[0] == 5.5f && s.nd.x[1] == 1.0f);
	a = script_next(&s);
	assert_int_equal(a->what, ASK_GRAD);
	assert_true(a->vec[0] == 5.5f);
	script_grad(&s, 0.5f, 0.0f);
	assert_true(s.nd.x[0] == 5.0f);
	assert_int_equal(script_next(&s)->what, ASK_SEND);
	script_close(&s);
}

static void between_exchanges_it_waits_for_none(void **state)
{
	struct script s;

	script_open(&s, "gossip-pull:tau=2,order=first", 2, 0, 1.0, 0.0f, 0.0f);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);
	script_grad(&s, 0.0f, 0.0f);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);
	script_grad(&s, 0.0f, 0.0f);
	assert_int_equal(script_next(&s)->what, ASK_SEND);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	script_close(&s);
}

/* It waits for the answer of one that left: it goes on, and asks the other. */
static void goes_on_without_an_answer(void **state)
{
	struct script s;
	int first;

	script_open(&s, "gossip-pull:order=first", 3, 1, 1.0, 4.0f, 0.0f);
	script_next(&s);
	script_grad(&s, 1.0f, 0.0f);
	first = script_next(&s)->to;
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	s.nd.role->lost(&s.nd, first);
	script_grads(&s, 3.0, 0.0);
	for (int i = 0; i < 4; i++) {
		script_grad(&s, 0.0f, 0.0f);
		assert_int_equal(script_next(&s)->to, 2 - first);
		script_msg(&s, 2 - first, ANSWER_TAG, 0, 3.0f, 0.0f);
		script_grads(&s, 3.0, 0.0);
	}
	s.nd.role->lost(&s.nd, 2 - first);
	script_msg(&s, first, BACK_TAG, 0, 0.0f, 0.0f);
	script_grad(&s, 0.0f, 0.0f);
	assert_int_equal(script_next(&s)->to, first);
	script_close(&s);
}

RUN_ALL(asks_one_peer_while_it_computes, answers_its_model_and_keeps_it, asks_every_tau_steps,
	asks_neighbours_only, averages_first_and_computes_at_the_average,
	between_exchanges_it_waits_for_none, goes_on_without_an_answer)

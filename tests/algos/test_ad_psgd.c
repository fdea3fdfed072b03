/* Active and passive workers of AD-PSGD, event by event. */
#include "tests/support/check.h"
#include "tests/support/script.h"

enum { ASK_TAG, ANSWER_TAG, MODEL_TAG, BACK_TAG };

#define DUPLEX "ad-psgd:exchange=duplex"

static void active_asks_computes_and_averages(void **state)
{
	struct script s;
	const struct asked *a;

	script_open_on(&s, "ring", "ad-psgd", 4, 1, 1.0, 4.0f, 0.0f);
	a = script_next(&s);
	assert_int_equal(a->what, ASK_SEND);
	assert_int_equal(a->msg.tag, ASK_TAG);
	assert_true(a->to == 0 || a->to == 2);
	assert_true(a->vec[0] == 4.0f);
	a = script_next(&s);
	assert_int_equal(a->what, ASK_GRAD);
	assert_true(a->vec[0] == 4.0f);

	/* received while computing: averaged at once, no gradient asked for */
	script_msg(&s, 2, ANSWER_TAG, 0, 2.0f, 0.0f);
	assert_true(s.nd.x[0] == 3.0f);
	assert_int_equal(script_next(&s)->what, ASK_NONE);

	script_grad(&s, 0.5f, 0.0f);
	assert_true(s.nd.x[0] == 2.5f);
	assert_int_equal(script_next(&s)->what, ASK_SEND);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);
	script_close(&s);
}

/* A gradient that is ready before the answer must wait, or the averaging were not atomic. */
static void active_holds_its_gradient_until_the_answer(void **state)
{
	struct script s;

	script_open(&s, "ad-psgd", 4, 3, 1.0, 4.0f, 0.0f);
	script_next(&s);
	script_next(&s);
	script_grad(&s, 1.0f, 0.0f);
	assert_true(s.nd.x[0] == 4.0f);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	script_msg(&s, 2, ANSWER_TAG, 9, 0.0f, 0.0f);
	assert_true(s.nd.x[0] == 1.0f);
	assert_int_equal(script_next(&s)->what, ASK_SEND);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);
	script_close(&s);
}

static void passive_answers_its_old_model(void **state)
{
	struct script s;
	const struct asked *a;

	script_open(&s, "ad-psgd", 4, 2, 1.0, 8.0f, 0.0f);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);
	script_msg(&s, 1, ASK_TAG, 0, 2.0f, 0.0f);
	a = script_next(&s);
	assert_int_equal(a->what, ASK_SEND);
	assert_int_equal(a->to, 1);
	assert_int_equal(a->msg.tag, ANSWER_TAG);
	assert_true(a->vec[0] == 8.0f);
	assert_true(s.nd.x[0] == 5.0f);
	script_grad(&s, 1.0f, 0.0f);
	assert_true(s.nd.x[0] == 4.0f);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);
	script_close(&s);
}

/* Every active worker asks passive ones only, at hops 1, 3, 5, 9, ... either way. */
static void partners_are_passive_and_at_the_papers_hops(void **state)
{
	enum { N = 16, ROUNDS = 300 };
	bool seen[N] = { false };
	struct script s;

	script_open(&s, "ad-psgd", N, 5, 0.0, 0.0f, 0.0f);
	for (int k = 0; k < ROUNDS; k++) {
		const struct asked *a = script_next(&s);

		assert_int_equal(a->what, ASK_SEND);
		assert_int_equal(a->to % 2, 0);
		seen[a->to] = true;
		s.n = s.read = 0;
		script_msg(&s, a->to, ANSWER_TAG, 0, 0.0f, 0.0f);
		script_grad(&s, 0.0f, 0.0f);
	}
	for (int k = 0; k < N; k += 2) {
		int hop = (k - 5 + N) % N, back = N - hop;
		bool partner = hop == 1 || hop == 3 || hop == 5 || hop == 9 || back == 1 ||
			       back == 3 || back == 5 || back == 9;

		assert_int_equal(seen[k], partner);
	}
	script_close(&s);
}

static void expect_send(struct script *s, int to, int tag, size_t n, float x0)
{
	const struct asked *a = script_next(s);

	assert_int_equal(a->what, ASK_SEND);
	assert_int_equal(a->msg.tag, tag);
	assert_int_equal(a->to, to);
	assert_int_equal(a->msg.n, n);
	if (n)
		assert_true(a->vec[0] == x0);
}

static void expect_grad(struct script *s, float x0)
{
	const struct asked *a = script_next(s);

	assert_int_equal(a->what, ASK_GRAD);
	assert_true(a->vec[0] == x0);
}

static void expect_nothing(struct script *s)
{
	assert_int_equal(script_next(s)->what, ASK_NONE);
}

/* The question goes ahead of the model, which does not wait for an answer. */
static void duplex_active_sends_at_once(void **state)
{
	struct script s;
	int to;

	script_open(&s, DUPLEX, 4, 1, 1.0, 4.0f, 0.0f);
	to = s.asked[0].to;
	expect_send(&s, to, ASK_TAG, 0, 0.0f);
	expect_send(&s, to, MODEL_TAG, SCRIPT_DIM, 4.0f);
	expect_grad(&s, 4.0f);
	script_grad(&s, 1.0f, 0.0f);
	assert_true(s.nd.x[0] == 4.0f);
	expect_nothing(&s);
	script_msg(&s, to, ANSWER_TAG, 0, 2.0f, 0.0f);
	assert_true(s.nd.x[0] == 2.0f);
	assert_int_equal(script_next(&s)->msg.tag, ASK_TAG);
	script_close(&s);
}

static void duplex_passive_answers_the_question(void **state)
{
	struct script s;

	script_open(&s, DUPLEX, 4, 2, 1.0, 8.0f, 0.0f);
	expect_grad(&s, 8.0f);
	script_msg(&s, 1, ASK_TAG, 0, 0.0f, 0.0f);
	expect_send(&s, 1, ANSWER_TAG, SCRIPT_DIM, 8.0f);
	assert_true(s.nd.x[0] == 8.0f);
	script_msg(&s, 1, MODEL_TAG, 0, 2.0f, 0.0f);
	assert_true(s.nd.x[0] == 5.0f);
	expect_nothing(&s);
	script_close(&s);
}

/* Its steps and the exchange add up: the mean of 8 and 1, less 2.5. */
static void duplex_passive_steps_during_an_exchange(void **state)
{
	struct script s;

	script_open(&s, DUPLEX, 4, 2, 1.0, 8.0f, 0.0f);
	expect_grad(&s, 8.0f);
	script_msg(&s, 3, ASK_TAG, 0, 0.0f, 0.0f);
	expect_send(&s, 3, ANSWER_TAG, SCRIPT_DIM, 8.0f);
	script_grad(&s, 2.0f, 0.0f);
	expect_grad(&s, 6.0f);
	script_grad(&s, 0.5f, 0.0f);
	expect_grad(&s, 5.5f);
	script_msg(&s, 3, MODEL_TAG, 0, 1.0f, 0.0f);
	assert_true(s.nd.x[0] == (8.0f + 1.0f) / 2.0f - 2.5f);
	expect_nothing(&s);
	script_close(&s);
}

/* One exchange at a time, in the order of asking, though the later one's model is there first. */
static void duplex_passive_keeps_a_model_for_its_turn(void **state)
{
	struct script s;

	script_open(&s, DUPLEX, 4, 0, 1.0, 8.0f, 0.0f);
	expect_grad(&s, 8.0f);
	script_msg(&s, 3, ASK_TAG, 0, 0.0f, 0.0f);
	expect_send(&s, 3, ANSWER_TAG, SCRIPT_DIM, 8.0f);
	script_msg(&s, 1, ASK_TAG, 0, 0.0f, 0.0f);
	script_msg(&s, 1, MODEL_TAG, 0, 1.0f, 0.0f);
	expect_nothing(&s);
	assert_true(s.nd.x[0] == 8.0f);
	script_grad(&s, 1.0f, 0.0f);
	expect_grad(&s, 7.0f);
	script_msg(&s, 3, MODEL_TAG, 0, 4.0f, 0.0f);
	expect_send(&s, 1, ANSWER_TAG, SCRIPT_DIM, 5.0f);
	assert_true(s.nd.x[0] == 3.0f);
	script_msg(&s, 3, ASK_TAG, 0, 0.0f, 0.0f);
	expect_send(&s, 3, ANSWER_TAG, SCRIPT_DIM, 3.0f);
	script_close(&s);
}

static void a_worker_alone_is_plain_sgd(void **state)
{
	struct script s;

	script_open(&s, "ad-psgd", 1, 0, 1.0, 8.0f, 0.0f);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);
	script_grad(&s, 1.0f, 0.0f);
	assert_true(s.nd.x[0] == 7.0f);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	script_close(&s);
}

/* Its neighbours are 0 and 2: it asks only those that are there, none without any. */
static void active_asks_those_that_are_there(void **state)
{
	struct script s;
	int first, other;

	script_open_on(&s, "ring", "ad-psgd", 4, 1, 1.0, 4.0f, 0.0f);
	first = script_next(&s)->to;
	other = 2 - first;
	script_next(&s);
	script_grad(&s, 1.0f, 0.0f);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	s.nd.role->lost(&s.nd, first);
	assert_true(s.nd.x[0] == 3.0f);
	assert_int_equal(script_next(&s)->to, other);
	script_grads(&s, 3.0, 0.0);
	s.nd.role->lost(&s.nd, other);
	script_grad(&s, 1.0f, 0.0f);
	script_grads(&s, 2.0, 0.0);
	script_msg(&s, first, BACK_TAG, 0, 0.0f, 0.0f);
	assert_true(s.nd.x[0] == 2.0f);
	script_grad(&s, 1.0f, 0.0f);
	assert_int_equal(script_next(&s)->to, first);
	script_close(&s);
}

/* It forgets the exchange that it was in, and tells those that may ask it. */
static void passive_is_back(void **state)
{
	const float x[] = { 6.0f, 0.0f };
	struct script s;

	script_open_on(&s, "ring", DUPLEX, 4, 2, 1.0, 8.0f, 0.0f);
	script_next(&s);
	script_msg(&s, 1, ASK_TAG, 0, 0.0f, 0.0f);
	script_next(&s);
	s.nd.role->back(&s.nd, &(struct msg){ .from = 1, .vec = x, .n = 2 });
	for (int i = 0; i < 2; i++) {
		const struct asked *a = script_next(&s);

		assert_int_equal(a->to, 1 + 2 * i);
		assert_int_equal(a->msg.tag, BACK_TAG);
	}
	script_grads(&s, 6.0, 0.0);
	script_msg(&s, 3, ASK_TAG, 0, 0.0f, 0.0f);
	assert_int_equal(script_next(&s)->msg.tag, ANSWER_TAG);
	script_msg(&s, 3, MODEL_TAG, 0, 2.0f, 0.0f);
	assert_true(s.nd.x[0] == 4.0f);
	script_close(&s);
}

RUN_ALL(active_asks_computes_and_averages, active_holds_its_gradient_until_the_answer,
	passive_answers_its_old_model, partners_are_passive_and_at_the_papers_hops,
	duplex_active_sends_at_once, duplex_passive_answers_the_question,
	duplex_passive_steps_during_an_exchange, duplex_passive_keeps_a_model_for_its_turn,
	a_worker_alone_is_plain_sgd, active_asks_those_that_are_there, passive_is_back)

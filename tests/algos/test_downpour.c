/* The server and a worker of Downpour SGD, event by event. */
#include "tests/support/check.h"
#include "tests/support/script.h"

enum { PUSH, FETCH, PUSH_FETCH };

static const struct asked *sent(struct script *s, int tag, int64_t stamp)
{
	const struct asked *a = script_next(s);

	assert_int_equal(a->what, ASK_SEND);
	assert_int_equal(a->to, SERVER);
	assert_int_equal(a->msg.tag, tag);
	assert_int_equal(a->msg.stamp, stamp);
	return a;
}

static void gradient_then_more(struct script *s, float g0, float g1)
{
	script_grad(s, g0, g1);
	assert_int_equal(script_next(s)->what, ASK_GRAD);
	assert_int_equal(script_next(s)->what, ASK_NONE);
}

/* push=2, fetch=3: what was gathered before a fetch is pushed after it. */
static void worker_gathers_pushes_and_fetches(void **state)
{
	struct script s;
	const struct asked *a;

	script_open(&s, "downpour:fetch=3,push=2", 3, 1, 0.5, 1.0f, 1.0f);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);
	gradient_then_more(&s, 2.0f, 0.0f);
	assert_true(s.nd.x[0] == 0.0f && s.nd.x[1] == 1.0f);

	script_grad(&s, 0.0f, 2.0f);
	a = sent(&s, PUSH, 0);
	assert_true(a->vec[0] == -1.0f && a->vec[1] == -1.0f);
	assert_int_equal(a->msg.n, SCRIPT_DIM);
	assert_true(a->msg.codes);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);

	script_grad(&s, 2.0f, 2.0f);
	a = sent(&s, FETCH, 0);
	assert_int_equal(a->msg.n, 0);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	assert_true(s.nd.x[0] == -1.0f && s.nd.x[1] == -1.0f);

	script_msg(&s, SERVER, 1, 5, 8.0f, 8.0f);
	a = script_next(&s);
	assert_int_equal(a->what, ASK_GRAD);
	assert_true(a->vec[0] == 8.0f && a->vec[1] == 8.0f);

	script_grad(&s, 2.0f, 0.0f);
	a = sent(&s, PUSH, 5);
	assert_true(a->vec[0] == -2.0f && a->vec[1] == -1.0f);
	assert_true(s.nd.x[0] == 7.0f && s.nd.x[1] == 8.0f);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);
	script_close(&s);
}

/* The third step is lost with the model of before; so is the answer to what was asked before. */
static void an_absence_loses_what_was_not_pushed(void **state)
{
	struct script s;
	const struct asked *a;

	script_open(&s, "downpour:fetch=3,push=2", 3, 1, 0.5, 1.0f, 1.0f);
	script_grads(&s, 1.0, 1.0);
	gradient_then_more(&s, 2.0f, 0.0f);
	script_grad(&s, 0.0f, 2.0f);
	sent(&s, PUSH, 0);
	script_grads(&s, 0.0, 0.0);
	script_grad(&s, 2.0f, 2.0f);
	sent(&s, FETCH, 0);
	script_msg(&s, SERVER, 1, 5, 8.0f, 8.0f);
	script_grads(&s, 8.0, 8.0);
	s.nd.role->back(&s.nd, &(struct msg){ .tag = 1, .from = SERVER, .stamp = 7,
					      .vec = (float[]){ 4.0f, 6.0f }, .n = 2 });
	script_grads(&s, 4.0, 6.0);
	script_grad(&s, 2.0f, 0.0f);
	a = sent(&s, PUSH, 7);
	assert_true(a->vec[0] == -1.0f && a->vec[1] == 0.0f);
	script_grads(&s, 3.0, 6.0);

	gradient_then_more(&s, 0.0f, 0.0f);
	script_grad(&s, 2.0f, 2.0f);
	sent(&s, PUSH_FETCH, 7);
	s.nd.role->back(&s.nd, NULL);
	script_grads(&s, 2.0, 5.0);
	script_msg(&s, SERVER, 1, 9, 8.0f, 8.0f);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	script_close(&s);
}

static void push_and_fetch_together_are_one_message(void **state)
{
	struct script s;
	const struct asked *a;

	script_open(&s, "downpour", 3, 1, 0.5, 1.0f, 1.0f);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);
	script_grad(&s, 2.0f, 4.0f);
	a = sent(&s, PUSH_FETCH, 0);
	assert_true(a->vec[0] == -1.0f && a->vec[1] == -2.0f);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	script_msg(&s, SERVER, 1, 1, 0.0f, 0.0f);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);
	script_grad(&s, 2.0f, 0.0f);
	a = sent(&s, PUSH_FETCH, 1);
	assert_true(a->vec[0] == -1.0f && a->vec[1] == 0.0f);
	script_close(&s);
}

static void answered(struct script *s, int to, int64_t stamp, float v0, float v1)
{
	const struct asked *a = script_next(s);

	assert_int_equal(a->what, ASK_SEND);
	assert_int_equal(a->to, to);
	assert_int_equal(a->msg.stamp, stamp);
	assert_true(a->vec[0] == v0 && a->vec[1] == v1);
	assert_int_equal(script_next(s)->what, ASK_NONE);
}

static void server_adds_and_answers_fetches(void **state)
{
	struct script s;

	script_open(&s, "downpour", 3, SERVER, 0.5, 1.0f, 1.0f);
	script_msg(&s, 1, PUSH, 0, 2.0f, 0.0f);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	script_msg(&s, 0, FETCH, 0, 0.0f, 0.0f);
	answered(&s, 0, 1, 3.0f, 1.0f);
	script_msg(&s, 2, PUSH_FETCH, 0, 0.0f, -1.0f);
	answered(&s, 2, 2, 3.0f, 0.0f);
	script_close(&s);
}

RUN_ALL(worker_gathers_pushes_and_fetches, an_absence_loses_what_was_not_pushed,
	push_and_fetch_together_are_one_message,
	server_adds_and_answers_fetches)

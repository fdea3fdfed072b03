/* A server that sends models from ahead, and its workers, computed by hand. */
#include "tests/support/check.h"
#include "tests/support/script.h"

#include <math.h>

static const char half[] = "sgd:momentum=0.5,weight_decay=0";

static void zero_sends_the_point_ahead(void **state)
{
	struct script s;

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

	script_open_with(&s, "dana:form=slim", half, 2, SERVER, 1.0, 0.0f, 0.0f);
	script_msg(&s, 0, 0, 0, 1.5f, 0.0f);
	script_sends(&s, 0, 1, -1.5, 0.0);
	script_close(&s);
}

/* v = 1, 2.5; u = v / 2 + g = 1.5, 3.25 */
static void slims_worker_keeps_the_momentum(void **state)
{
	struct script s;

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

	script_open_with(&s, "dana:compensate=gap,big_gamma=0.5", half, 2, SERVER, 1.0, 0.0f,
			 0.0f);
	script_msg(&s, 0, 0, 0, 1.0f, 0.0f);
	script_sends(&s, 0, 1, -1.5, 0.0);
	script_msg(&s, 1, 0, 0, 2.0f, 0.0f);
	script_sends(&s, 1, 2, -1.0 - v1 - 0.5 * (1.0 + v1), 0.0);
	script_close(&s);
}

/* Two steps by gradients of 0: v = 1/2, 1/4. Alone, and one step ahead, it is Nesterov's. */
static void predicts_momentum(void **state)
{
	struct script s;

	script_open_with(&s, "dana:form=predict", "sgd:momentum=0.5,weight_decay=0,nesterov=false",
			 2, SERVER, 1.0, 0.0f, 0.0f);
	script_msg(&s, 0, 0, 0, 1.0f, 0.0f);
	script_sends(&s, 0, 1, -1.0 - 0.5 - 0.25, 0.0);
	assert_true(s.nd.x[0] == -1.0f);
	script_msg(&s, 1, 0, 0, 1.0f, 0.0f);    /* v = 1.5 */
	script_sends(&s, 1, 2, -2.5 - 0.75 - 0.375, 0.0);
	script_close(&s);
	script_open_with(&s, "dana:form=predict,ahead=1",
			 "sgd:momentum=0.5,weight_decay=0,nesterov=false", 2, SERVER, 1.0, 0.0f,
			 0.0f);
	script_msg(&s, 0, 0, 0, 1.0f, 0.0f);
	script_sends(&s, 0, 1, -1.5, 0.0);
	script_close(&s);
	/* Nesterov's steps: x = -(1 + 1/2), and ahead v = 1/2 moves by v / 2 more. */
	script_open_with(&s, "dana:form=predict,ahead=1", half, 2, SERVER, 1.0, 0.0f, 0.0f);
	script_msg(&s, 0, 0, 0, 1.0f, 0.0f);
	script_sends(&s, 0, 1, -1.5 - 0.25, 0.0);
	script_close(&s);
}

/* m = 1/2; then 1/4 / (1 - 1/4) and 1/8 / (1 - 1/8), over a root of 1. */
static void predicts_adam(void **state)
{
	struct script s;

	script_open_with(&s, "dana:form=predict", "adam:beta1=0.5,beta2=0", 2, SERVER, 1.0, 0.0f,
			 0.0f);
	script_msg(&s, 0, 0, 0, 1.0f, 0.0f);
	script_sends(&s, 0, 1, -1.0 - 1.0 / 3.0 - 1.0 / 7.0, 0.0);
	assert_true(fabsf(s.nd.x[0] + 1.0f) < 1e-6f);
	script_close(&s);
	script_open_with(&s, "dana:form=predict,ahead=1", "adam:beta1=0,beta2=0,weight_decay=0.5,"
			 "decoupled=true", 2, SERVER, 0.5, 2.0f, 0.0f);
	script_msg(&s, 0, 0, 0, 1.0f, 0.0f);    /* x = 2 - 0.5 (1 + 1); ahead x loses a quarter */
	script_sends(&s, 0, 1, 0.75, 0.0);
	script_close(&s);
	script_open_with(&s, "dana:form=predict,ahead=1",
			 "adam:beta1=0.5,beta2=0,weight_decay=0.5", 2, SERVER, 1.0, 2.0f, 0.0f);
	script_msg(&s, 0, 0, 0, 1.0f, 0.0f);    /* d = 2, m = 1, x = 1 */
	script_sends(&s, 0, 1, 1.0 - (0.5 + 0.5 * 0.5) / 0.75 / 2.0, 0.0);
	script_close(&s);
}

/* Gradients of 0 at (2, 2): half of the rate 0.5 goes off x[0] in the step, and in the next. */
static void predicts_what_decays(void **state)
{
	static const char *const rules[] = { "sgd:momentum=0,weight_decay=0.5",
					     "adam:beta1=0,weight_decay=0.5,decoupled=true" };
	const struct blob blobs[] = { { .offset = 0, .count = 1, .decay = true },
				      { .offset = 1, .count = 1 } };
	struct problem problem = { .nblobs = 2, .blobs = blobs };
	struct pool pool = { .problem = &problem };
	struct script s;

	for (size_t i = 0; i < 2; i++) {
		script_open_with(&s, "dana:form=predict,ahead=1", rules[i], 2, SERVER, 0.5, 2.0f,
				 2.0f);
		s.run.pool = &pool;
		script_msg(&s, 0, 0, 0, 0.0f, 0.0f);
		script_sends(&s, 0, 1, 2.0 * 0.75 * 0.75, 2.0);
		script_close(&s);
	}
}

/* The last step was 1, and worker 1 has the model of the start: the gap-aware test's penalty. */
static void predicts_and_compensates_the_gap(void **state)
{
	const double g = 4.0 / (1.0 + 1.0 / sqrt(2.0 / 3.0)), m = 0.25 + 0.5 * g;
	struct script s;

	script_open_with(&s, "dana:form=predict,ahead=1,compensate=gap,big_gamma=0.5",
			 "adam:beta1=0.5,beta2=0", 2, SERVER, 1.0, 0.0f, 0.0f);
	script_msg(&s, 0, 0, 0, 1.0f, 0.0f);
	script_sends(&s, 0, 1, -1.0 - 1.0 / 3.0, 0.0);
	script_msg(&s, 1, 0, 0, 4.0f, 0.0f);
	script_sends(&s, 1, 2, -1.0 - m / 0.75 / g - 0.5 * m / 0.875 / g, 0.0);
	script_close(&s);
}

/* The same with decoupled decay, which is a part of a step; a model that is sent is halved. */
static void the_gaps_steps_include_decay(void **state)
{
	const double w = 1.0 / (1.0 + 1.0 / sqrt(2.0 / 3.0)), x = -1.0 - 0.5 * (1.0 - w);
	const double second = x - (1.0 + 0.5 * x), v = -1.0 - second;
	const double w3 = 1.0 / (1.0 + fabs(second + 0.5) / sqrt((0.25 + 0.5 * v * v) / 0.875));
	const double y = second + 0.5 * (1.0 - w3) * second;
	struct script s;

	script_open_with(&s, "dana:form=predict,ahead=1,compensate=gap,big_gamma=0.5",
			 "adam:beta1=0,beta2=0,weight_decay=0.5,decoupled=true", 2, SERVER, 1.0,
			 0.0f, 0.0f);
	script_msg(&s, 0, 0, 0, 1.0f, 0.0f);
	script_sends(&s, 0, 1, -0.5, 0.0);
	script_msg(&s, 1, 0, 0, 4.0f, 0.0f);
	script_sends(&s, 1, 2, 0.5 * second, 0.0);
	script_msg(&s, 0, 0, 1, 4.0f, 0.0f);
	script_sends(&s, 0, 3, 0.5 * (y - (1.0 + 0.5 * y)), 0.0);
	script_close(&s);
}

static void refuses_what_has_no_momentum(void **state)
{
	struct script s;

	script_open_with(&s, "dana", "adam", 2, SERVER, 1.0, 0.0f, 0.0f);
	script_refuses(&s, "dana:form=predict with --optim adam");
	script_close(&s);
	script_open_with(&s, "dana:form=predict", "lars", 2, SERVER, 1.0, 0.0f, 0.0f);
	script_refuses(&s, "'lars' has no steps that it can predict");
	script_close(&s);
	script_open(&s, "dana:ahead=2", 2, SERVER, 1.0, 0.0f, 0.0f);
	script_refuses(&s, "ahead=2 is a setting of form=predict");
	script_close(&s);
}

static void slim_cannot_compensate(void **state)
{
	struct script s;

	script_open(&s, "dana:form=slim,compensate=gap", 2, SERVER, 1.0, 0.0f, 0.0f);
	script_refuses(&s, "compensate=gap needs form=zero");
	script_close(&s);
}

RUN_ALL(zero_sends_the_point_ahead, slim_steps_by_what_comes, slims_worker_keeps_the_momentum,
	decay_is_the_workers, compensates_delay, compensates_the_gap, predicts_momentum,
	predicts_adam, predicts_what_decays, predicts_and_compensates_the_gap,
	the_gaps_steps_include_decay, refuses_what_has_no_momentum,
	slim_cannot_compensate)

/* A worker of DeMo, event by event, and its transform. */
#include "tests/support/check.h"
#include "tests/support/script.h"

#include "algos/common/dct.h"

/*
 * The momentum (3, 1) is the upper row of a square of 4: coefficients 2, 1, 2, 1. The first goes;
 * with the other's, 4 for the second, the upper row is (3, -1).
 */
static void sends_the_largest_frequencies(void **state)
{
	struct script s;

	script_open(&s, "demo:side=2,top=1,decay=0.5", 2, 1, 1.0, 0.0f, 0.0f);
	script_grads(&s, 0.0, 0.0);
	script_grad(&s, 3.0f, 1.0f);
	script_sends(&s, 0, 0, 0.0, 2.0);
	script_msg(&s, 0, 0, 0, 1.0f, 4.0f);
	script_grads(&s, -1.0, 1.0);

	/* what is left, (2, 0), is halved: with (1, 2), it has 2, 0, 2, 0 */
	script_msg(&s, 0, 0, 1, 0.0f, -6.0f);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	script_grad(&s, 1.0f, 2.0f);
	assert_int_equal(script_next(&s)->what, ASK_SEND);
	script_grads(&s, 0.0, 2.0);             /* the mean of 2 and -6 is below 0 */
	assert_int_equal(s.nd.step, 2);
	script_close(&s);
}

static void no_more_than_all_can_be_sent(void **state)
{
	struct script s;

	script_open(&s, "demo:side=2,top=4", 2, 0, 1.0, 0.0f, 0.0f);
	assert_int_equal(s.run.algo->check(&s.run), 0);
	script_close(&s);
	script_open(&s, "demo:side=2,top=5", 2, 0, 1.0, 0.0f, 0.0f);
	script_refuses(&s, "top = 5 of the 4 coefficients");
	script_close(&s);
}

static void the_transform_is_orthonormal(void **state)
{
	enum { SIDE = 5 };
	float basis[2 * SIDE * SIDE], a[SIDE * SIDE], half[SIDE * SIDE], was[SIDE * SIDE];
	double before = 0.0, after = 0.0;

	dct_basis(SIDE, basis);
	for (int i = 0; i < SIDE * SIDE; i++) {
		was[i] = a[i] = (float)(i * 7 % 11) - 4.0f;
		before += (double)(a[i] * a[i]);
	}
	dct_forward(SIDE, basis, a, half);
	for (int i = 0; i < SIDE * SIDE; i++)
		after += (double)(a[i] * a[i]);
	assert_near(after, before, 1e-3);
	dct_back(SIDE, basis, a, half);
	for (int i = 0; i < SIDE * SIDE; i++)
		assert_near((double)a[i], (double)was[i], 1e-5);
}

RUN_ALL(sends_the_largest_frequencies, no_more_than_all_can_be_sent, the_transform_is_orthonormal)

/* A worker of DES-LOC, event by event: what is averaged after which step. */
#include "tests/support/check.h"
#include "tests/support/script.h"

static const char adam[] = "adam:beta1=0.5,beta2=0.5";

/* Periods 1, 2, 3; gradients of (2, -2), then zeros; the other worker has zeros. */
static void each_has_a_period_of_its_own(void **state)
{
	struct script s;

	script_open_with(&s, "des-loc:period=1,moment=2,square=3", adam, 2, 1, 0.1, 0.0f, 0.0f);
	script_grads(&s, 0.0, 0.0);
	script_grad(&s, 2.0f, -2.0f);
	script_allreduces(&s, 2, (double[]){ -0.1, 0.1 });
	script_allreduce(&s, -0.1f, 0.1f);
	script_grads(&s, -0.05, 0.05);
	/* m = 1/2, v = 1: x moves by 0.1 (2/3) / sqrt(4/3) */
	script_grad(&s, 0.0f, 0.0f);
	script_allreduces(&s, 4, (double[]){ -0.1077350, 0.1077350, 0.5, -0.5 });
	script_allreduce_of(&s, 4, (float[]){ -0.2f, 0.2f, 0.5f, -0.5f });
	script_grads(&s, -0.1, 0.1);
	/* m = 1/8, v = 1/2: x moves by 0.1 (1/7) / sqrt(4/7) */
	script_grad(&s, 0.0f, 0.0f);
	script_allreduces(&s, 4, (double[]){ -0.1188982, 0.1188982, 0.5, 0.5 });
	script_allreduce_of(&s, 4, (float[]){ -0.1f, 0.1f, 0.5f, 0.5f });
	script_grads(&s, -0.05, 0.05);
	assert_near((double)s.nd.x[0], -0.05, 1e-6);
	script_close(&s);
}

/* Nothing is due after the first step; after the second, m alone; the third has x. */
static void moments_may_be_due_alone(void **state)
{
	struct script s;

	script_open_with(&s, "des-loc:period=3,moment=2,square=6", adam, 2, 1, 0.1, 0.0f, 0.0f);
	script_grads(&s, 0.0, 0.0);
	script_grad(&s, 2.0f, -2.0f);
	script_grads(&s, -0.1, 0.1);
	script_grad(&s, 0.0f, 0.0f);
	script_allreduces(&s, 2, (double[]){ 0.5, -0.5 });
	script_allreduce(&s, 0.5f, -0.5f);
	script_grads(&s, -0.1577350, 0.1577350);
	script_grad(&s, 0.0f, 0.0f);
	script_allreduces(&s, 2, (double[]){ -0.1766332, 0.1766332 });
	script_close(&s);
}

/* By default, 8, 24 and 48 steps; of plain SGD only models, which is local-sgd. */
static void periods_are_three_and_six_times(void **state)
{
	for (int with_moments = 0; with_moments <= 1; with_moments++) {
		struct script s;

		script_open_with(&s, "des-loc", with_moments ? adam : "sgd", 1, 0, 0.1, 0.0f,
				 0.0f);
		for (int step = 1; step <= 48; step++) {
			const size_t most = with_moments ? 3 : 1;
			size_t n = step % 8 == 0;
			const struct asked *a;

			if (with_moments)
				n += (step % 24 == 0) + (step % 48 == 0);
			assert_int_equal(script_next(&s)->what, ASK_GRAD);
			script_grad(&s, 1.0f, 1.0f);
			if (n == 0)
				continue;
			a = script_next(&s);
			assert_int_equal(a->what, ASK_ALLREDUCE);
			assert_int_equal(a->n, 2 * n);
			assert_true(n <= most);
			script_allreduce_of(&s, a->n, s.allreduced);
			if (step == 24) /* the script keeps 64 requests */
				s.n = s.read = 0, s.asked[s.n++].what = ASK_GRAD;
		}
		script_close(&s);
	}
}

RUN_ALL(each_has_a_period_of_its_own, moments_may_be_due_alone, periods_are_three_and_six_times)

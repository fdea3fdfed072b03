/* A worker of DiLoCo, event by event. */
#include "tests/support/check.h"
#include "tests/support/script.h"

static void steps_along_the_mean_of_a_round(void **state)
{
	struct script s;

	(void)state;
	script_open(&s, "diloco:period=2,outer_lr=0.5,outer_momentum=0.5", 2, 1, 0.5, 1.0f, 2.0f);
	script_grads(&s, 1.0, 2.0);
	script_grad(&s, 2.0f, 0.0f);
	script_grads(&s, 0.0, 2.0);
	script_grad(&s, 0.0f, 2.0f);
	script_sums(&s, 2, (double[]){ 1.0, 1.0 });
	assert_int_equal(script_next(&s)->what, ASK_NONE);

	/* the other's D is (3, -1): D = (2, 0), m = (2, 0) */
	script_sum(&s, 4.0f, 0.0f);
	script_grads(&s, -0.5, 2.0);
	script_grad(&s, 0.0f, 0.0f);
	script_grads(&s, -0.5, 2.0);
	script_grad(&s, 0.0f, 0.0f);
	script_sums(&s, 2, (double[]){ 0.0, 0.0 });
	/* D = (1, 1), m = (2, 1) */
	script_sum(&s, 2.0f, 2.0f);
	script_grads(&s, -1.5, 1.25);
	assert_int_equal(s.nd.step, 4);
	script_close(&s);
}

static void without_nesterov_the_step_is_the_momentum(void **state)
{
	struct script s;

	(void)state;
	script_open(&s, "diloco:period=1,outer_lr=0.5,outer_momentum=0.5,outer_nesterov=false", 2,
		    0, 1.0, 1.0f, 2.0f);
	script_grads(&s, 1.0, 2.0);
	script_grad(&s, 1.0f, 0.0f);
	script_sums(&s, 2, (double[]){ 1.0, 0.0 });
	script_sum(&s, 4.0f, 0.0f);
	script_grads(&s, 0.0, 2.0);
	script_grad(&s, 0.0f, 0.0f);
	script_sums(&s, 2, (double[]){ 0.0, 0.0 });
	script_sum(&s, 0.0f, 4.0f);
	script_grads(&s, -0.5, 1.0);
	script_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_along_the_mean_of_a_round),
		cmocka_unit_test(without_nesterov_the_step_is_the_momentum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* n-softsync: c = floor(lambda / n) gradients a step, each by its staleness if modulated. */
#include "algos/common/server/serve.h"
#include "tests/support/check.h"
#include "tests/support/served.h"

/* 2-softsync of 5 workers: c = 2. */
static void two_steps_while_five_give(void **state)
{
	struct script s;

	script_open(&s, "softsync:n=2", 5, SERVER, 0.5, 1.0f, 1.0f);
	script_msg(&s, 4, SERVE_GRAD, 0, 4.0f, 0.0f);
	served_again(&s, 4);
	script_msg(&s, 3, SERVE_GRAD, 0, 0.0f, 2.0f);
	served_model(&s, 3, 1, 0.0f, 0.5f);
	script_msg(&s, 2, SERVE_GRAD, 0, 4.0f, 4.0f);
	served_model(&s, 2, 1, 0.0f, 0.5f);
	script_msg(&s, 1, SERVE_GRAD, 0, 0.0f, 0.0f);
	served_model(&s, 1, 2, -1.0f, -0.5f);
	served_nothing(&s);
	script_close(&s);
}

/* Of staleness 0, 1 and 2: weights 1, 1 and 1/2. */
static void modulated_the_old_weigh_less(void **state)
{
	struct script s;

	script_open(&s, "softsync:n=3,modulate=true", 3, SERVER, 0.5, 0.0f, 0.0f);
	script_msg(&s, 0, SERVE_GRAD, 0, 4.0f, 0.0f);
	served_model(&s, 0, 1, -2.0f, 0.0f);
	script_msg(&s, 1, SERVE_GRAD, 0, 4.0f, 0.0f);
	served_model(&s, 1, 2, -4.0f, 0.0f);
	script_msg(&s, 2, SERVE_GRAD, 0, 4.0f, 8.0f);
	served_model(&s, 2, 3, -5.0f, -2.0f);
	script_close(&s);
}

/* c = 2: the pile of the second step is 1/1 g of staleness 1 and 1/2 g of staleness 2. */
static void modulated_within_a_step(void **state)
{
	struct script s;

	script_open(&s, "softsync:n=2,modulate=true", 4, SERVER, 1.0, 0.0f, 0.0f);
	for (int i = 0; i < 4; i++)
		script_msg(&s, i % 2, SERVE_GRAD, i / 2, 0.0f, 0.0f);
	assert_int_equal(s.nd.step, 2);
	script_msg(&s, 2, SERVE_GRAD, 0, 8.0f, 0.0f);
	script_msg(&s, 1, SERVE_GRAD, 1, 2.0f, 0.0f);
	assert_true(s.nd.x[0] == -(8.0f / 2.0f + 2.0f) / 2.0f);
	script_close(&s);
}

static void more_steps_than_workers_are_refused(void **state)
{
	refuses("softsync:n=4", 4, NULL);
	refuses("softsync:n=5", 4, "error: softsync: n = 5 of 4 workers: at most n=4\n");
}

RUN_ALL(two_steps_while_five_give, modulated_the_old_weigh_less, modulated_within_a_step,
	more_steps_than_workers_are_refused)

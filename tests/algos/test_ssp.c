/* Stale synchronous parallel: who is too far ahead is not answered. */
#include "algos/common/server/serve.h"
#include "tests/support/check.h"
#include "tests/support/served.h"

/* s = 1: worker 0 may finish two gradients, and waits for worker 1 before the third. */
static void who_is_ahead_waits(void **state)
{
	struct script s;

	script_open(&s, "ssp:bound=1", 2, SERVER, 0.5, 0.0f, 0.0f);
	script_msg(&s, 0, SERVE_GRAD, 0, 2.0f, 0.0f);
	served_model(&s, 0, 1, -1.0f, 0.0f);
	script_msg(&s, 0, SERVE_GRAD, 1, 2.0f, 0.0f);
	served_nothing(&s);
	assert_true(s.nd.x[0] == -2.0f);

	script_msg(&s, 1, SERVE_GRAD, 0, 0.0f, 2.0f);
	served_model(&s, 0, 3, -2.0f, -1.0f);
	served_model(&s, 1, 3, -2.0f, -1.0f);
	served_nothing(&s);
	script_close(&s);
}

static void a_bound_of_0_goes_in_rounds(void **state)
{
	struct script s;

	script_open(&s, "ssp:bound=0", 3, SERVER, 0.5, 0.0f, 0.0f);
	script_msg(&s, 2, SERVE_GRAD, 0, 2.0f, 0.0f);
	script_msg(&s, 0, SERVE_GRAD, 0, 2.0f, 0.0f);
	served_nothing(&s);
	script_msg(&s, 1, SERVE_GRAD, 0, 0.0f, 2.0f);
	for (int i = 0; i < 3; i++)
		served_model(&s, i, 3, -2.0f, -1.0f);
	served_nothing(&s);
	script_close(&s);
}

RUN_ALL(who_is_ahead_waits, a_bound_of_0_goes_in_rounds)

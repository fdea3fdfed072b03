/* Rennala: a step takes B gradients at the model itself. */
#include "algos/common/server/serve.h"
#include "tests/support/check.h"
#include "tests/support/served.h"

static void old_gradients_are_left_out(void **state)
{
	struct script s;

	script_open(&s, "rennala:batch=2", 3, SERVER, 0.5, 1.0f, 1.0f);
	script_msg(&s, 1, SERVE_GRAD, 0, 4.0f, 0.0f);
	served_again(&s, 1);
	script_msg(&s, 1, SERVE_GRAD, 0, 0.0f, 2.0f);
	served_model(&s, 1, 1, 0.0f, 0.5f);
	script_msg(&s, 0, SERVE_GRAD, 0, 9.0f, 9.0f);
	served_model(&s, 0, 1, 0.0f, 0.5f);
	assert_int_equal(s.nd.ledger.dropped, 1);
	script_msg(&s, 0, SERVE_GRAD, 1, 4.0f, 0.0f);
	served_again(&s, 0);
	script_msg(&s, 1, SERVE_GRAD, 1, 0.0f, 2.0f);
	served_model(&s, 1, 2, -1.0f, 0.0f);
	served_nothing(&s);
	script_close(&s);
}

RUN_ALL(old_gradients_are_left_out)

/* K-batch-async: a step of k gradients, and no worker waits. */
#include "algos/common/server/serve.h"
#include "tests/support/check.h"
#include "tests/support/served.h"

static void all_workers_are_answered_at_once(void **state)
{
	struct script s;

	script_open(&s, "k-batch-async:k=2", 3, SERVER, 0.5, 1.0f, 1.0f);
	script_msg(&s, 2, SERVE_GRAD, 0, 4.0f, 0.0f);
	served_again(&s, 2);
	script_msg(&s, 2, SERVE_GRAD, 0, 0.0f, 2.0f);
	served_model(&s, 2, 1, 0.0f, 0.5f);
	script_msg(&s, 0, SERVE_GRAD, 0, 4.0f, 4.0f); /* one step old: counts */
	served_model(&s, 0, 1, 0.0f, 0.5f);
	script_msg(&s, 2, SERVE_GRAD, 1, 0.0f, 0.0f);
	served_model(&s, 2, 2, -1.0f, -0.5f);
	served_nothing(&s);
	script_close(&s);
}

RUN_ALL(all_workers_are_answered_at_once)

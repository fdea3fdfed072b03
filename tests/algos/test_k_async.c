/* K-async: k workers wait for each other; gradients of any age count. */
#include "algos/common/server/serve.h"
#include "tests/support/check.h"
#include "tests/support/served.h"

static void k_workers_share_a_step(void **state)
{
	struct script s;

	script_open(&s, "k-async:k=2", 3, SERVER, 0.5, 1.0f, 1.0f);
	script_msg(&s, 2, SERVE_GRAD, 0, 4.0f, 0.0f);
	served_nothing(&s);
	script_msg(&s, 0, SERVE_GRAD, 0, 0.0f, 2.0f);
	served_model(&s, 0, 1, 0.0f, 0.5f);
	served_model(&s, 2, 1, 0.0f, 0.5f);
	served_nothing(&s);

	script_msg(&s, 1, SERVE_GRAD, 0, 4.0f, 4.0f);   /* one step old, and counts */
	script_msg(&s, 2, SERVE_GRAD, 1, 0.0f, 0.0f);
	served_model(&s, 1, 2, -1.0f, -0.5f);
	served_model(&s, 2, 2, -1.0f, -0.5f);
	served_nothing(&s);
	assert_int_equal(s.nd.ledger.dropped, 0);
	script_close(&s);
}

static void more_than_there_are_is_refused(void **state)
{
	refuses("k-async:k=4", 4, NULL);
	refuses("k-async:k=9", 4, "error: k-async: k = 9 of 4 workers: at most k=4\n");
}

RUN_ALL(k_workers_share_a_step, more_than_there_are_is_refused)

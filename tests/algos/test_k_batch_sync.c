/* K-batch-sync: the first k gradients of a step, whosever they are. */
#include "algos/common/server/serve.h"
#include "tests/support/check.h"
#include "tests/support/served.h"

static void a_fast_worker_gives_several(void **state)
{
	struct script s;

	script_open(&s, "k-batch-sync:k=2", 3, SERVER, 0.5, 1.0f, 1.0f);
	script_msg(&s, 1, SERVE_GRAD, 0, 4.0f, 0.0f);
	served_again(&s, 1);
	script_msg(&s, 1, SERVE_GRAD, 0, 0.0f, 2.0f);
	for (int i = 0; i < 3; i++)
		served_model(&s, (1 + i) % 3, 1, 0.0f, 0.5f);
	script_msg(&s, 0, SERVE_GRAD, 0, 9.0f, 9.0f);
	served_nothing(&s);
	assert_int_equal(s.nd.ledger.dropped, 1);
	script_close(&s);
}

static void worker_goes_on_when_told(void **state)
{
	struct script s;

	script_open(&s, "k-batch-sync", 3, 0, 0.5, 1.0f, 1.0f);
	works_at(&s, 1.0f, 1.0f);
	script_grad(&s, 7.0f, 0.0f);
	works_sends(&s, 0, 7.0f);
	served_nothing(&s);
	script_msg(&s, SERVER, SERVE_AGAIN, 0, 5.0f, 5.0f);
	assert_int_equal(script_next(&s)->what, ASK_CANCEL);
	works_at(&s, 1.0f, 1.0f);
	script_close(&s);
}

RUN_ALL(a_fast_worker_gives_several, worker_goes_on_when_told)

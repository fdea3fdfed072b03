/* K-sync: the server takes the first k of a round; a late worker begins again. */
#include "algos/common/server/serve.h"
#include "tests/support/check.h"
#include "tests/support/served.h"

static void server_takes_the_first_k(void **state)
{
	struct script s;

	script_open(&s, "k-sync:k=2", 3, SERVER, 0.5, 1.0f, 1.0f);
	script_msg(&s, 2, SERVE_GRAD, 0, 4.0f, 0.0f);
	served_nothing(&s);
	assert_int_equal(s.nd.step, 0);

	script_msg(&s, 0, SERVE_GRAD, 0, 0.0f, 2.0f);   /* x - 0.5 (4, 2) / 2 */
	for (int i = 0; i < 3; i++)
		served_model(&s, (1 + i) % 3, 1, 0.0f, 0.5f);

	script_msg(&s, 1, SERVE_GRAD, 0, 9.0f, 9.0f);   /* too late */
	served_nothing(&s);
	assert_int_equal(s.nd.ledger.dropped, 1);
	assert_int_equal(s.nd.step, 1);

	script_msg(&s, 1, SERVE_GRAD, 1, 0.0f, 2.0f);
	script_msg(&s, 2, SERVE_GRAD, 1, 4.0f, 0.0f);
	for (int i = 0; i < 3; i++)
		served_model(&s, (2 + i) % 3, 2, -1.0f, 0.0f);
	served_nothing(&s);
	script_close(&s);
}

/* 1e8 - 1e8 + 1 = 1, where 1 - 1e8 + 1e8 = 0 in floats. */
static void sums_are_taken_in_the_order_of_ranks(void **state)
{
	struct script s;

	script_open(&s, "k-sync:k=3", 3, SERVER, 3.0, 0.0f, 0.0f);
	script_msg(&s, 2, SERVE_GRAD, 0, 1.0f, 0.0f);
	script_msg(&s, 1, SERVE_GRAD, 0, -1e8f, 0.0f);
	script_msg(&s, 0, SERVE_GRAD, 0, 1e8f, 0.0f);
	served_model(&s, 1, 1, -1.0f, 0.0f);
	script_close(&s);
}

static void worker_gives_up_what_is_late(void **state)
{
	struct script s;

	script_open(&s, "k-sync", 3, 1, 0.5, 1.0f, 1.0f);
	works_at(&s, 1.0f, 1.0f);
	script_msg(&s, SERVER, SERVE_MODEL, 1, 3.0f, 4.0f);
	assert_int_equal(script_next(&s)->what, ASK_CANCEL);
	works_at(&s, 3.0f, 4.0f);
	script_grad(&s, 7.0f, 8.0f);
	works_sends(&s, 1, 7.0f);
	served_nothing(&s);
	script_close(&s);
}

static void more_than_there_are_is_refused(void **state)
{
	refuses("k-sync:k=4", 4, NULL);
	refuses("k-sync:k=5", 4, "error: k-sync: k = 5 of 4 workers: at most k=4\n");
}

RUN_ALL(server_takes_the_first_k, sums_are_taken_in_the_order_of_ranks,
	worker_gives_up_what_is_late, more_than_there_are_is_refused)

/* Backup workers: the last b of a round do not count, and finish what they began. */
#include "algos/common/server/serve.h"
#include "tests/support/check.h"
#include "tests/support/served.h"

static void server_does_not_wait_for_the_last(void **state)
{
	struct script s;

	script_open(&s, "backup:b=1", 3, SERVER, 0.5, 1.0f, 1.0f);
	script_msg(&s, 1, SERVE_GRAD, 0, 4.0f, 0.0f);
	served_nothing(&s);
	script_msg(&s, 0, SERVE_GRAD, 0, 0.0f, 2.0f);
	for (int i = 0; i < 3; i++)
		served_model(&s, (1 + i) % 3, 1, 0.0f, 0.5f);
	script_msg(&s, 2, SERVE_GRAD, 0, 9.0f, 9.0f);
	served_nothing(&s);
	assert_int_equal(s.nd.ledger.dropped, 1);
	assert_true(s.nd.x[0] == 0.0f);
	script_close(&s);
}

/* It receives two models meanwhile, and goes on with the second. */
static void worker_finishes_and_goes_on_with_the_newest(void **state)
{
	struct script s;

	script_open(&s, "backup:b=1", 3, 2, 0.5, 1.0f, 1.0f);
	works_at(&s, 1.0f, 1.0f);
	script_msg(&s, SERVER, SERVE_MODEL, 1, 3.0f, 3.0f);
	script_msg(&s, SERVER, SERVE_MODEL, 2, 5.0f, 5.0f);
	served_nothing(&s);
	script_grad(&s, 7.0f, 0.0f);
	works_sends(&s, 0, 7.0f);
	works_at(&s, 5.0f, 5.0f);

	script_grad(&s, 8.0f, 0.0f);
	works_sends(&s, 2, 8.0f);
	served_nothing(&s);
	script_msg(&s, SERVER, SERVE_MODEL, 3, 6.0f, 6.0f);
	works_at(&s, 6.0f, 6.0f);
	served_nothing(&s);

	/* Back from an absence its gradient is of the model that it returns with. */
	s.nd.role->back(&s.nd, &(struct msg){ .tag = SERVE_MODEL, .from = SERVER, .stamp = 9,
					      .vec = (float[]){ 2.0f, 2.0f }, .n = 2 });
	works_at(&s, 2.0f, 2.0f);
	script_grad(&s, 8.0f, 0.0f);
	works_sends(&s, 9, 8.0f);
	script_close(&s);
}

static void some_worker_must_be_waited_for(void **state)
{
	refuses("backup", 1, NULL);
	refuses("backup:b=3", 4, NULL);
	refuses("backup:b=4", 4,
		"error: backup: b = 4 of 4 workers leaves none to wait for: at most b=3\n");
}

RUN_ALL(server_does_not_wait_for_the_last, worker_finishes_and_goes_on_with_the_newest,
	some_worker_must_be_waited_for)

/* Malenia: means of workers, and the harmonic mean that ends a round. */
#include "algos/common/server/serve.h"
#include "tests/support/check.h"
#include "tests/support/served.h"

static void a_round_waits_for_each_worker(void **state)
{
	struct script s;

	script_open(&s, "malenia", 2, SERVER, 0.5, 0.0f, 0.0f);
	script_msg(&s, 0, SERVE_GRAD, 0, 1.0f, 0.0f);
	served_again(&s, 0);
	script_msg(&s, 0, SERVE_GRAD, 0, 3.0f, 0.0f);
	served_again(&s, 0);
	script_msg(&s, 1, SERVE_GRAD, 0, 6.0f, 0.0f);
	served_model(&s, 1, 1, -2.0f, 0.0f);                    /* 1/2 (2 + 6) / 2 */
	served_model(&s, 0, 1, -2.0f, 0.0f);
	script_msg(&s, 0, SERVE_GRAD, 0, 9.0f, 9.0f);           /* was on its way */
	served_nothing(&s);
	assert_int_equal(s.nd.ledger.dropped, 1);
	script_close(&s);
}

/* S = 3 of two workers: 2 / (1 + 1/2) = 4/3 is too little, 2 / (1 + 1/3) is 3/2. */
static void a_larger_batch_takes_more(void **state)
{
	struct script s;

	script_open(&s, "malenia:batch=3", 2, SERVER, 0.5, 0.0f, 0.0f);
	script_msg(&s, 1, SERVE_GRAD, 0, 4.0f, 0.0f);
	served_again(&s, 1);
	for (int i = 0; i < 2; i++) {
		script_msg(&s, 0, SERVE_GRAD, 0, 1.0f, 0.0f);
		served_again(&s, 0);
	}
	script_msg(&s, 0, SERVE_GRAD, 0, 4.0f, 0.0f);
	served_model(&s, 1, 1, -1.5f, 0.0f);                    /* 1/2 (2 + 4) / 2 */
	served_model(&s, 0, 1, -1.5f, 0.0f);
	served_nothing(&s);
	script_close(&s);
}

RUN_ALL(a_round_waits_for_each_worker, a_larger_batch_takes_more)

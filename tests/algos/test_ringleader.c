/* Ringleader: who steps when, and what waits for the next round. */
#include "algos/common/server/serve.h"
#include "tests/support/check.h"
#include "tests/support/served.h"

static void the_rest_of_a_round_is_kept_for_the_next(void **state)
{
	struct script s;

	script_open(&s, "ringleader", 3, SERVER, 0.5, 0.0f, 0.0f);
	script_msg(&s, 0, SERVE_GRAD, 0, 1.0f, 0.0f);
	served_again(&s, 0);
	script_msg(&s, 0, SERVE_GRAD, 0, 3.0f, 0.0f);           /* its mean is 2 */
	served_again(&s, 0);
	script_msg(&s, 1, SERVE_GRAD, 0, 4.0f, 0.0f);
	served_again(&s, 1);
	script_msg(&s, 2, SERVE_GRAD, 0, 6.0f, 0.0f);
	served_model(&s, 2, 1, -2.0f, 0.0f);                    /* 1/2 (2 + 4 + 6) / 3 */

	script_msg(&s, 2, SERVE_GRAD, 1, 12.0f, 0.0f);          /* for the next round */
	served_again(&s, 2);
	script_msg(&s, 1, SERVE_GRAD, 0, 10.0f, 0.0f);          /* its mean is 7 */
	served_model(&s, 1, 2, -4.5f, 0.0f);                    /* 1/2 (2 + 7 + 6) / 3 */
	script_msg(&s, 2, SERVE_GRAD, 1, 24.0f, 0.0f);          /* mean 18, and the newest model */
	served_model(&s, 2, 2, -4.5f, 0.0f);
	script_msg(&s, 0, SERVE_GRAD, 0, 5.0f, 0.0f);           /* its mean is 3 */
	served_model(&s, 0, 3, -4.5f - 8.0f / 3.0f, 0.0f);      /* 1/2 (3 + 7 + 6) / 3 */

	script_msg(&s, 0, SERVE_GRAD, 3, 0.0f, 6.0f);           /* only worker 2 was early */
	served_again(&s, 0);
	script_msg(&s, 1, SERVE_GRAD, 2, 0.0f, 12.0f);
	assert_near((double)s.nd.x[0], -4.5 - 8.0 / 3.0 - 3.0, 1e-6);
	assert_near((double)s.nd.x[1], -3.0, 1e-6);
	assert_int_equal(s.nd.step, 4);
	assert_int_equal(s.nd.ledger.dropped, 0);
	script_close(&s);
}

RUN_ALL(the_rest_of_a_round_is_kept_for_the_next)

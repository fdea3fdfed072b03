/* IA2SGD: the table that is filled first, and steps along all of it. */
#include "algos/common/server/serve.h"
#include "tests/support/check.h"
#include "tests/support/served.h"

static void each_gradient_replaces_the_last(void **state)
{
	struct script s;

	script_open(&s, "ia2sgd", 2, SERVER, 0.5, 0.0f, 0.0f);
	script_msg(&s, 0, SERVE_GRAD, 0, 7.0f, 0.0f);
	served_again(&s, 0);
	script_msg(&s, 0, SERVE_GRAD, 0, 2.0f, 0.0f);
	served_again(&s, 0);
	script_msg(&s, 1, SERVE_GRAD, 0, 6.0f, 0.0f);           /* fills it: no step yet */
	served_again(&s, 1);
	script_msg(&s, 0, SERVE_GRAD, 0, 4.0f, 0.0f);
	served_model(&s, 0, 1, -2.5f, 0.0f);                    /* 1/2 (4 + 6) / 2 */
	script_msg(&s, 0, SERVE_GRAD, 1, 2.0f, 0.0f);
	served_model(&s, 0, 2, -4.5f, 0.0f);                    /* 1/2 (2 + 6) / 2 */
	script_msg(&s, 1, SERVE_GRAD, 0, 0.0f, 8.0f);
	served_model(&s, 1, 3, -5.0f, -2.0f);                   /* 1/2 (2, 8) / 2 */
	served_nothing(&s);
	script_close(&s);
}

/* The sum of the table is exact again after each n gradients, however large the first ones were. */
static void rounding_does_not_stay(void **state)
{
	struct script s;

	script_open(&s, "ia2sgd", 2, SERVER, 1.0, 0.0f, 0.0f);
	script_msg(&s, 0, SERVE_GRAD, 0, 1e9f, 0.0f);
	script_msg(&s, 1, SERVE_GRAD, 0, 0.1f, 0.0f);
	for (int64_t k = 0; k < 4; k++) {
		script_msg(&s, (int)(k % 2), SERVE_GRAD, k, 0.1f, 0.0f);
		if (k == 0)
			s.nd.x[0] = 0.0f;
	}
	assert_near((double)s.nd.x[0], -0.3, 1e-6);
	script_close(&s);
}

RUN_ALL(each_gradient_replaces_the_last, rounding_does_not_stay)

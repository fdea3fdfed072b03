/* A server that compensates delays to first order, computed by hand. */
#include "tests/support/check.h"
#include "tests/support/script.h"

static void constant(void **state)
{
	struct script s;

	script_open(&s, "dc-asgd:form=constant,lambda=0.5", 2, SERVER, 1.0, 0.0f, 0.0f);
	script_msg(&s, 0, 0, 0, 2.0f, 0.0f);
	script_sends(&s, 0, 1, -2.0, 0.0);
	/* x = {-2, 0}, theirs = {0, 0}: g = 2 + 0.5 * 4 * -2 = -2 */
	script_msg(&s, 1, 0, 0, 2.0f, 1.0f);
	script_sends(&s, 1, 2, 0.0, -1.0);
	/* theirs is now what worker 0 was sent: {-2, 0}; g = {1 + 0.5 * 2, 2 + 2 * -1} */
	script_msg(&s, 0, 0, 1, 1.0f, 2.0f);
	script_sends(&s, 0, 3, -2.0, -1.0);
	script_close(&s);
}

/* M of worker 0: 1/4 4 = 1, then 3/4 1 + 1/4 1 = 1; of worker 1: 1/4 4 = 1. */
static void adaptive_with_a_mean_square_for_each_worker(void **state)
{
	struct script s;

	script_open(&s, "dc-asgd:lambda=1,m=0.75", 2, SERVER, 1.0, 0.0f, 0.0f);
	script_msg(&s, 0, 0, 0, 2.0f, 0.0f);
	script_sends(&s, 0, 1, -2.0, 0.0);
	script_msg(&s, 1, 0, 0, 2.0f, 0.0f);    /* 2 + 4 * -2 = -6 */
	script_sends(&s, 1, 2, 4.0, 0.0);
	script_msg(&s, 0, 0, 1, 1.0f, 0.0f);    /* 1 + 1 * 6 = 7 */
	script_sends(&s, 0, 3, -3.0, 0.0);
	script_close(&s);
}

RUN_ALL(constant, adaptive_with_a_mean_square_for_each_worker)

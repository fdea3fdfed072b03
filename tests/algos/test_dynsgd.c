/* A server whose learning rate falls with the staleness of a clock, gradient by gradient. */
#include "tests/support/check.h"
#include "tests/support/script.h"

static void by_the_servers_clock(void **state)
{
	struct script s;

	script_open(&s, "dynsgd", 4, SERVER, 1.0, 0.0f, 0.0f);
	script_msg(&s, 0, 0, 0, 1.0f, 0.0f);    /* tau 0 */
	script_sends(&s, 0, 1, -1.0, 0.0);
	script_msg(&s, 1, 0, 0, 2.0f, 0.0f);    /* tau 1: a half */
	script_sends(&s, 1, 2, -2.0, 0.0);
	script_msg(&s, 0, 0, 1, 2.0f, 0.0f);    /* tau 1 */
	script_sends(&s, 0, 3, -3.0, 0.0);
	script_msg(&s, 2, 0, 0, 4.0f, 8.0f);    /* tau 3: a quarter */
	script_sends(&s, 2, 4, -4.0, -2.0);
	script_close(&s);
}

/* A worker that keeps up makes whole steps; one that lags by k gradients, 1 / (k + 1) of them. */
static void by_the_workers_clock(void **state)
{
	struct script s;

	script_open(&s, "dynsgd:clock=worker", 2, SERVER, 1.0, 0.0f, 0.0f);
	script_msg(&s, 0, 0, 0, 1.0f, 0.0f);
	script_sends(&s, 0, 1, -1.0, 0.0);
	script_msg(&s, 1, 0, 0, 1.0f, 0.0f);
	script_sends(&s, 1, 2, -2.0, 0.0);
	script_msg(&s, 0, 0, 1, 1.0f, 0.0f);
	script_sends(&s, 0, 3, -3.0, 0.0);
	script_msg(&s, 0, 0, 3, 1.0f, 0.0f);
	script_sends(&s, 0, 4, -4.0, 0.0);
	script_msg(&s, 1, 0, 2, 2.0f, 0.0f);
	script_sends(&s, 1, 5, -5.0, 0.0);
	script_close(&s);
}

RUN_ALL(by_the_servers_clock, by_the_workers_clock)

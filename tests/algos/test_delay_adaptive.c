/* A server that scales or drops gradients with long delays. */
#include "tests/support/check.h"
#include "tests/support/script.h"

/* Three steps by worker 0, each at the model that it was just sent: x = {-3, 0}. */
static void three_steps(struct script *s)
{
	for (int k = 0; k < 3; k++) {
		script_msg(s, 0, 0, k, 1.0f, 0.0f);
		script_sends(s, 0, k + 1, -1.0 - k, 0.0);
	}
}

static void scales_by_the_number_of_workers(void **state)
{
	struct script s;

	script_open(&s, "delay-adaptive", 2, SERVER, 1.0, 0.0f, 0.0f);
	three_steps(&s);
	script_msg(&s, 1, 0, 1, 1.0f, 0.0f);    /* tau 2: usual */
	script_sends(&s, 1, 4, -4.0, 0.0);
	script_msg(&s, 1, 0, 0, 2.0f, 0.0f);    /* tau 4: n / tau = 1/2 */
	script_sends(&s, 1, 5, -5.0, 0.0);
	script_close(&s);
}

static void takes_the_delay_that_it_is_told(void **state)
{
	struct script s;

	script_open(&s, "delay-adaptive:delay=1", 2, SERVER, 1.0, 0.0f, 0.0f);
	three_steps(&s);
	script_msg(&s, 1, 0, 1, 2.0f, 0.0f);    /* tau 2: 1/2 */
	script_sends(&s, 1, 4, -4.0, 0.0);
	script_close(&s);
}

/* A dropped gradient is no step: the same model and the same clock go back. */
static void drops(void **state)
{
	struct script s;

	script_open(&s, "delay-adaptive:rule=drop", 2, SERVER, 1.0, 0.0f, 0.0f);
	three_steps(&s);
	script_msg(&s, 1, 0, 0, 2.0f, 0.0f);
	script_sends(&s, 1, 3, -3.0, 0.0);
	assert_int_equal(s.nd.ledger.dropped, 1);
	script_msg(&s, 1, 0, 1, 1.0f, 1.0f);    /* tau 2: usual */
	script_sends(&s, 1, 4, -4.0, -1.0);
	script_close(&s);
}

RUN_ALL(scales_by_the_number_of_workers, takes_the_delay_that_it_is_told, drops)

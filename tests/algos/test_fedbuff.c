/* FedBuff by hand: a server, a worker. */
#include "tests/support/check.h"
#include "tests/support/script.h"

#include <math.h>

static void steps_when_enough_have_come(void **state)
{
	struct script s;

	script_open(&s, "fedbuff:buffer=2,outer_lr=0.5,period=3", 3, SERVER, 1.0, 0.0f, 0.0f);
	script_msg(&s, 0, 0, 0, 2.0f, 2.0f);
	script_sends(&s, 0, 0, 0.0, 0.0);
	script_msg(&s, 1, 0, 0, 4.0f, 0.0f);
	script_sends(&s, 1, 1, -1.5, -0.5);
	assert_int_equal(s.asked[s.n - 1].msg.tag, 3);

	/* a step old: 1 / sqrt(2) of it */
	script_msg(&s, 2, 0, 0, 4.0f, 0.0f);
	script_sends(&s, 2, 1, -1.5, -0.5);
	script_msg(&s, 0, 0, 1, 0.0f, 2.0f);
	script_sends(&s, 0, 2, -1.5 - sqrt(0.5), -1.0);
	script_close(&s);
}

static void a_worker_sends_what_its_steps_changed(void **state)
{
	struct script s;

	script_open(&s, "fedbuff:period=2", 3, 1, 0.5, 1.0f, 2.0f);
	script_grads(&s, 1.0, 2.0);
	script_grad(&s, 2.0f, 0.0f);
	script_grads(&s, 0.0, 2.0);
	script_grad(&s, 2.0f, 2.0f);
	script_sends(&s, SERVER, 0, 2.0, 1.0);
	script_msg(&s, SERVER, 1, 7, 4.0f, 4.0f);       /* for one step */
	script_grads(&s, 4.0, 4.0);
	script_grad(&s, 2.0f, 0.0f);
	script_sends(&s, SERVER, 7, 1.0, 0.0);
	script_close(&s);
}

/* What it had computed of the round is lost, and an answer to an earlier round is not taken. */
static void a_worker_that_was_away_begins_again(void **state)
{
	struct script s;

	script_open(&s, "fedbuff:period=2", 3, 1, 0.5, 1.0f, 2.0f);
	script_grads(&s, 1.0, 2.0);
	script_grad(&s, 2.0f, 0.0f);
	script_grads(&s, 0.0, 2.0);
	s.nd.role->back(&s.nd, NULL);
	script_grads(&s, 1.0, 2.0);
	script_msg(&s, SERVER, 1, 7, 4.0f, 4.0f);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	script_grad(&s, 2.0f, 0.0f);
	script_grads(&s, 0.0, 2.0);
	script_grad(&s, 0.0f, 0.0f);
	script_sends(&s, SERVER, 0, 1.0, 0.0);
	script_close(&s);
}

RUN_ALL(steps_when_enough_have_come, a_worker_sends_what_its_steps_changed,
	a_worker_that_was_away_begins_again)

/* A server with a momentum for each worker, computed by hand. */
#include "tests/support/check.h"
#include "tests/support/script.h"

static void each_feeds_its_own_momentum(void **state)
{
	struct script s;

	script_open_with(&s, "multi-asgd", "sgd:momentum=0.5,weight_decay=0,nesterov=false", 2,
			 SERVER, 1.0, 0.0f, 0.0f);
	script_msg(&s, 0, 0, 0, 1.0f, 0.0f);
	script_sends(&s, 0, 1, -1.0, 0.0);
	script_msg(&s, 1, 0, 0, 1.0f, 0.0f);
	script_sends(&s, 1, 2, -2.0, 0.0);
	script_msg(&s, 0, 0, 1, 1.0f, 0.0f);
	script_sends(&s, 0, 3, -3.5, 0.0);
	script_close(&s);
}

/* Worker 1's first step is of length 1, as if there were no other. */
static void each_has_an_adam_of_its_own(void **state)
{
	struct script s;

	script_open_with(&s, "multi-asgd", "adam:beta1=0.5,beta2=0", 2, SERVER, 1.0, 0.0f, 0.0f);
	script_msg(&s, 0, 0, 0, 1.0f, 0.0f);
	script_sends(&s, 0, 1, -1.0, 0.0);
	script_msg(&s, 1, 0, 0, 4.0f, 0.0f);
	script_sends(&s, 1, 2, -2.0, 0.0);
	script_msg(&s, 0, 0, 1, 2.0f, 0.0f);    /* m = 0.25 + 1 */
	script_sends(&s, 0, 3, -2.0 - 1.25 / 0.75 / 2.0, 0.0);
	script_close(&s);
}

RUN_ALL(each_feeds_its_own_momentum, each_has_an_adam_of_its_own)

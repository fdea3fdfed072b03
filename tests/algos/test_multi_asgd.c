/* A server with a momentum for each worker, computed by hand. */
#include "tests/support/check.h"
#include "tests/support/script.h"

static void each_feeds_its_own_momentum(void **state)
{
	struct script s;

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_feeds_its_own_momentum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

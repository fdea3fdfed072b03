/* Compute groups: a step for each complete group. */
#include "algos/common/server/serve.h"
#include "tests/support/check.h"
#include "tests/support/served.h"

/* Two groups of two. */
static void a_complete_group_makes_a_step(void **state)
{
	struct script s;

	script_open(&s, "groups:groups=2", 4, SERVER, 0.5, 1.0f, 1.0f);
	script_msg(&s, 3, SERVE_GRAD, 0, 4.0f, 0.0f);
	script_msg(&s, 0, SERVE_GRAD, 0, 4.0f, 4.0f);
	served_nothing(&s);
	script_msg(&s, 2, SERVE_GRAD, 0, 0.0f, 2.0f);
	served_model(&s, 2, 1, 0.0f, 0.5f);
	served_model(&s, 3, 1, 0.0f, 0.5f);
	script_msg(&s, 1, SERVE_GRAD, 0, 0.0f, 0.0f);
	served_model(&s, 0, 2, -1.0f, -0.5f);
	served_model(&s, 1, 2, -1.0f, -0.5f);
	served_nothing(&s);
	script_close(&s);
}

/* 1e8 - 1e8 + 1 = 1, where 1 - 1e8 + 1e8 = 0 in floats. */
static void members_are_added_in_the_order_of_ranks(void **state)
{
	struct script s;

	script_open(&s, "groups:groups=1", 3, SERVER, 3.0, 0.0f, 0.0f);
	script_msg(&s, 2, SERVE_GRAD, 0, 1.0f, 0.0f);
	script_msg(&s, 1, SERVE_GRAD, 0, -1e8f, 0.0f);
	script_msg(&s, 0, SERVE_GRAD, 0, 1e8f, 0.0f);
	served_model(&s, 0, 1, -1.0f, 0.0f);
	script_close(&s);
}

static void groups_are_equal(void **state)
{
	refuses("groups:groups=3", 12, NULL);
	refuses("groups:groups=5", 12, "error: groups: 5 groups of 12 workers cannot be equal: "
				       "the nearest is groups=6\n");
	refuses("groups:groups=20", 12, "error: groups: 20 groups of 12 workers cannot be equal: "
					"the nearest is groups=12\n");
	refuses("groups:groups=4", 7, "error: groups: 4 groups of 7 workers cannot be equal: "
				      "the nearest is groups=7\n");
}

RUN_ALL(a_complete_group_makes_a_step, members_are_added_in_the_order_of_ranks, groups_are_equal)

/* A worker of DiLoCo with eager updates, event by event. */
#include "tests/support/check.h"
#include "tests/support/script.h"

static void own_part_is_fresh_and_the_others_a_round_old(void **state)
{
	struct script s;

	script_open(&s, "eager-diloco:period=1,outer_lr=1,outer_momentum=0", 2, 1, 1.0, 1.0f, 2.0f);
	script_grads(&s, 1.0, 2.0);
	script_grad(&s, 2.0f, 0.0f);            /* D = (2, 0), half of it at once */
	script_allreduces(&s, 2, (double[]){ 2.0, 0.0 });
	script_grads(&s, 0.0, 2.0);
	script_allreduce(&s, 6.0f, 2.0f);             /* the other's was (4, 2) */
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	script_grad(&s, 0.0f, 2.0f);            /* ours is (0, 2) now */
	script_allreduces(&s, 2, (double[]){ 0.0, 2.0 });
	script_grads(&s, -2.0, 0.0);

	/* an all-reduce that takes longer is waited for */
	script_grad(&s, 0.0f, 0.0f);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	script_allreduce(&s, 2.0f, 2.0f);             /* (2, 0) of the other */
	script_allreduces(&s, 2, (double[]){ 0.0, 0.0 });
	script_grads(&s, -3.0, 0.0);
	script_close(&s);
}

static void naively_all_parts_are_a_round_old(void **state)
{
	struct script s;

	script_open(&s, "eager-diloco:period=1,form=naive,outer_lr=1,outer_momentum=0", 2, 1, 1.0,
		    1.0f, 2.0f);
	script_grads(&s, 1.0, 2.0);
	script_grad(&s, 2.0f, 0.0f);
	script_allreduces(&s, 2, (double[]){ 2.0, 0.0 });
	script_grads(&s, 1.0, 2.0);
	script_allreduce(&s, 6.0f, 2.0f);
	script_grad(&s, 0.0f, 2.0f);
	script_allreduces(&s, 2, (double[]){ 0.0, 2.0 });
	script_grads(&s, -2.0, 1.0);
	script_close(&s);
}

RUN_ALL(own_part_is_fresh_and_the_others_a_round_old, naively_all_parts_are_a_round_old)

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

/* What the member sends to the other worker, which then begins where the member is. */
static void returns(struct script *back, struct script *member)
{
	const struct asked *a;

	member->nd.role->fetch(&member->nd, 0);
	a = script_next(member);
	assert_int_equal(a->what, ASK_SEND);
	script_grads(back, 9.0, 9.0);
	back->nd.role->back(&back->nd, &a->msg);
}

/*
 * The member begins as in the first test. The sum that it has not added yet is added by the one
 * that returned too; the sum that it waited for is in X already, and the next all-reduce has begun.
 */
static void who_is_back_lacks_no_round(void **state)
{
	static const char algo[] = "eager-diloco:period=1,outer_lr=1,outer_momentum=0";
	struct script member, early, late;

	script_open(&member, algo, 2, 1, 1.0, 1.0f, 2.0f);
	script_open(&early, algo, 2, 0, 1.0, 9.0f, 9.0f);
	script_open(&late, algo, 2, 0, 1.0, 9.0f, 9.0f);
	script_grads(&member, 1.0, 2.0);
	script_grad(&member, 2.0f, 0.0f);
	script_allreduces(&member, 2, (double[]){ 2.0, 0.0 });
	script_grads(&member, 0.0, 2.0);
	script_allreduce(&member, 6.0f, 2.0f);
	returns(&early, &member);
	script_grads(&early, 0.0, 2.0);
	script_grad(&early, 0.0f, 2.0f);        /* ((6, 2) - (2, 0) + (0, 2)) / 2 is (2, 2) */
	script_allreduces(&early, 2, (double[]){ 0.0, 2.0 });
	script_grads(&early, -2.0, 0.0);

	script_grad(&member, 0.0f, 2.0f);
	script_allreduces(&member, 2, (double[]){ 0.0, 2.0 });
	script_grads(&member, -2.0, 0.0);
	script_grad(&member, 2.0f, 0.0f);
	script_allreduce(&member, 2.0f, 2.0f);  /* ((2, 2) - (0, 2) + (2, 0)) / 2 is (2, 0) */
	script_allreduces(&member, 2, (double[]){ 2.0, 0.0 });
	script_grads(&member, -4.0, 0.0);
	returns(&late, &member);
	script_allreduces(&late, 2, (double[]){ 0.0, 0.0 });
	script_grads(&late, -4.0, 0.0);
	script_grad(&late, 2.0f, 0.0f);
	assert_int_equal(script_next(&late)->what, ASK_NONE);
	script_allreduce(&late, 4.0f, 2.0f);    /* ((4, 2) - 0 + (2, 0)) / 2 is (3, 1) */
	script_allreduces(&late, 2, (double[]){ 2.0, 0.0 });
	script_grads(&late, -7.0, -1.0);
	script_close(&member);
	script_close(&early);
	script_close(&late);
}

RUN_ALL(own_part_is_fresh_and_the_others_a_round_old, naively_all_parts_are_a_round_old,
	who_is_back_lacks_no_round)

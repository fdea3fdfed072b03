/* A worker of local SGD, event by event. */
#include "tests/support/check.h"
#include "tests/support/script.h"

static void steps_alone_then_averages_models(void **state)
{
	struct script s;
	const struct asked *a;

	script_open(&s, "local-sgd:period=2", 2, 1, 0.5, 1.0f, 2.0f);
	assert_int_equal(script_next(&s)->what, ASK_GRAD);
	script_grad(&s, 2.0f, 0.0f);
	a = script_next(&s);
	assert_int_equal(a->what, ASK_GRAD);
	assert_true(a->vec[0] == 0.0f && a->vec[1] == 2.0f);
	script_grad(&s, 0.0f, 2.0f);
	a = script_next(&s);
	assert_int_equal(a->what, ASK_ALLREDUCE);
	assert_true(a->vec[0] == 0.0f && a->vec[1] == 1.0f);
	assert_int_equal(script_next(&s)->what, ASK_NONE);

	/* the other one is at (4, 1) */
	script_allreduce(&s, 4.0f, 2.0f);
	a = script_next(&s);
	assert_int_equal(a->what, ASK_GRAD);
	assert_true(a->vec[0] == 2.0f && a->vec[1] == 1.0f);
	assert_int_equal(s.nd.step, 2);
	script_close(&s);
}

static int steps_until_the_allreduce(struct script *s)
{
	int steps = 0;

	while (script_next(s)->what == ASK_GRAD) {
		script_grad(s, 1.0f, 1.0f);
		steps++;
	}
	return steps;
}

static void post_averages_every_step_at_first(void **state)
{
	struct script s;

	script_open(&s, "local-sgd:period=3,post=1", 2, 0, 0.5, 0.0f, 0.0f);
	assert_int_equal(steps_until_the_allreduce(&s), 1);
	s.epoch = 0.99;
	script_allreduce(&s, 0.0f, 0.0f);
	assert_int_equal(steps_until_the_allreduce(&s), 1);
	s.epoch = 1.0;
	script_allreduce(&s, 0.0f, 0.0f);
	assert_int_equal(steps_until_the_allreduce(&s), 3);
	script_allreduce(&s, 0.0f, 0.0f);
	assert_int_equal(steps_until_the_allreduce(&s), 3);
	script_close(&s);
}

/* Whose post has ended makes one step all the same if the members, who sent before, make one. */
static void who_is_back_makes_the_members_steps(void **state)
{
	struct script member, back;
	const struct asked *a;

	script_open(&member, "local-sgd:period=3,post=1", 2, 0, 0.5, 1.0f, 2.0f);
	assert_int_equal(script_next(&member)->what, ASK_GRAD);
	member.nd.role->fetch(&member.nd, 1);
	a = script_next(&member);
	assert_int_equal(a->what, ASK_SEND);
	script_open(&back, "local-sgd:period=3,post=1", 2, 1, 0.5, 0.0f, 0.0f);
	assert_int_equal(steps_until_the_allreduce(&back), 1);
	back.epoch = 1.0;
	script_allreduce(&back, 0.0f, 0.0f);
	assert_int_equal(script_next(&back)->what, ASK_GRAD);
	back.nd.role->back(&back.nd, &a->msg);
	assert_int_equal(steps_until_the_allreduce(&back), 1);
	script_allreduce(&back, 0.0f, 0.0f);
	assert_int_equal(steps_until_the_allreduce(&back), 3);
	back.nd.role->back(&back.nd, NULL);
	assert_int_equal(steps_until_the_allreduce(&back), 3);
	script_close(&member);
	script_close(&back);
}

RUN_ALL(steps_alone_then_averages_models, post_averages_every_step_at_first,
	who_is_back_makes_the_members_steps)

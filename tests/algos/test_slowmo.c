/* A worker of SlowMo, event by event. */
#include "tests/support/check.h"
#include "tests/support/script.h"

static void steps(struct script *s, float g0, float g1)
{
	assert_int_equal(script_next(s)->what, ASK_GRAD);
	script_grad(s, g0, g1);
}

static void means_feed_a_slow_momentum(void **state)
{
	struct script s;

	script_open(&s, "slowmo:period=2,beta=0.5", 2, 1, 0.5, 1.0f, 2.0f);
	steps(&s, 2.0f, 0.0f);
	steps(&s, 0.0f, 2.0f);
	script_allreduces(&s, 2, (double[]){ 0.0, 1.0 });
	script_allreduce(&s, 0.0f, 2.0f);     /* u = (2, 2): the mean itself */
	assert_true(s.nd.x[0] == 0.0f && s.nd.x[1] == 1.0f);
	steps(&s, 0.0f, 0.0f);
	steps(&s, 0.0f, 0.0f);
	script_allreduces(&s, 2, (double[]){ 0.0, 1.0 });
	script_allreduce(&s, -2.0f, 2.0f);    /* u = (1, 1) + (2, 0) */
	script_grads(&s, -1.5, 0.5);
	script_close(&s);
}

static void other_means_leave_it_alone(void **state)
{
	struct script s;

	script_open(&s, "slowmo:period=2,average=1,beta=0,alpha=2", 2, 0, 0.5, 1.0f, 2.0f);
	steps(&s, 2.0f, 0.0f);
	script_allreduces(&s, 2, (double[]){ 0.0, 2.0 });
	script_allreduce(&s, 1.0f, 4.0f);
	script_grads(&s, 0.5, 2.0);
	script_grad(&s, 0.0f, 0.0f);
	script_allreduces(&s, 2, (double[]){ 0.5, 2.0 });
	script_allreduce(&s, 1.0f, 2.0f);     /* from (1, 2) to (0.5, 1), twice as far */
	script_grads(&s, 0.0, 0.0);
	script_close(&s);
}

/* The rate halves after the first step: u takes what the period moved by its first rate, 0.5. */
static void a_period_has_its_first_rate(void **state)
{
	struct script s;

	script_open(&s, "slowmo:period=2,beta=0.5", 2, 0, 0.5, 1.0f, 2.0f);
	assert_int_equal(choice_parse(&s.run.lr.schedule, schedule_table, "schedule",
				      "steps:at=1,factor=0.5"), 0);
	s.run.batch = 1;
	s.run.samples = 1;
	steps(&s, 2.0f, 0.0f);
	steps(&s, 0.0f, 2.0f);
	script_allreduces(&s, 2, (double[]){ 0.0, 1.5 });
	script_allreduce(&s, 0.0f, 3.0f);     /* u = (2, 1) */
	assert_true(s.nd.x[0] == 0.0f && s.nd.x[1] == 1.5f);
	steps(&s, 0.0f, 0.0f);
	steps(&s, 0.0f, 0.0f);
	script_allreduces(&s, 2, (double[]){ 0.0, 1.5 });
	script_allreduce(&s, 0.0f, 3.0f);     /* u = (1, 0.5), times 0.25 */
	script_grads(&s, -0.25, 1.375);
	choice_release(&s.run.lr.schedule);
	script_close(&s);
}

static void a_mean_must_fall_on_the_period(void **state)
{
	struct script s;

	script_open(&s, "slowmo:period=4,average=3", 2, 0, 0.5, 0.0f, 0.0f);
	script_refuses(&s, "average = 3 does not divide period = 4");
	script_close(&s);
}

RUN_ALL(means_feed_a_slow_momentum, other_means_leave_it_alone, a_period_has_its_first_rate,
	a_mean_must_fall_on_the_period)

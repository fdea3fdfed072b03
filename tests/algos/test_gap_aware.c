/* A server that divides gradients by the gap, computed by hand. */
#include "core/run.h"
#include "tests/support/check.h"
#include "tests/support/script.h"

#include <math.h>

static const char polyak[] = "sgd:momentum=0.5,weight_decay=0,nesterov=false";

/* R = 0.5, R / (1 - 0.5^2) = 2/3, C = sqrt(2/3), P = 1 + 1/C. */
static double second_penalty(void)
{
	return 1.0 + 1.0 / sqrt(2.0 / 3.0);
}

static void by_parameter(void **state)
{
	struct script s;
	double v0 = 0.5 + 4.0 / second_penalty();

	script_open_with(&s, "gap-aware:big_gamma=0.5", polyak, 2, SERVER, 1.0, 0.0f, 0.0f);
	script_msg(&s, 0, 0, 0, 1.0f, 0.0f);
	script_sends(&s, 0, 1, -1.0, 0.0);
	script_msg(&s, 1, 0, 0, 4.0f, 2.0f);    /* x = {-1, 0}, theirs = {0, 0} */
	script_sends(&s, 1, 2, -1.0 - v0, -2.0);
	script_msg(&s, 1, 0, 2, 1.0f, 1.0f);    /* no gap: plain momentum */
	script_sends(&s, 1, 3, -1.0 - v0 - (0.5 * v0 + 1.0), -2.0 - 2.0);
	script_close(&s);
}

/* The last step was 1, so P is the second penalty; of Adam, the momentum shows what it divided. */
static void by_measured_steps_of_adam(void **state)
{
	const double g = 4.0 / second_penalty();
	struct script s;

	script_open_with(&s, "gap-aware:big_gamma=0.5,steps=true", "adam:beta1=0.5,beta2=0", 2,
			 SERVER, 1.0, 0.0f, 0.0f);
	script_msg(&s, 0, 0, 0, 1.0f, 0.0f);
	script_sends(&s, 0, 1, -1.0, 0.0);
	script_msg(&s, 1, 0, 0, 4.0f, 2.0f);
	script_sends(&s, 1, 2, -1.0 - (0.25 + 0.5 * g) / 0.75 / g, -0.5 / 0.75);
	script_close(&s);
	script_open_with(&s, "gap-aware", "adam", 2, SERVER, 1.0, 0.0f, 0.0f);
	script_refuses(&s, "Use gap-aware:steps=true, which measures the steps");
	script_close(&s);
}

/*
 * The same with decay: the second gradient of Adam is (4 - 0.5) / P. AdamW's x first gains, which
 * is a part of the step v: then R = 1/4 + v^2 / 2, and worker 0's gap is v.
 */
static void divides_adams_decay(void **state)
{
	const double w = 1.0 / second_penalty(), g = 3.5 * w, x = -1.0 - 0.5 * (1.0 - w);
	const double second = x - (1.0 + 0.5 * x), v = -1.0 - second;
	const double w3 = 1.0 / (1.0 + v / sqrt((0.25 + 0.5 * v * v) / 0.875));
	const double y = second + 0.5 * (1.0 - w3) * second;
	struct script s;

	script_open_with(&s, "gap-aware:big_gamma=0.5,steps=true",
			 "adam:beta1=0.5,beta2=0,weight_decay=0.5", 2, SERVER, 1.0, 0.0f, 0.0f);
	script_msg(&s, 0, 0, 0, 1.0f, 0.0f);
	script_sends(&s, 0, 1, -1.0, 0.0);
	script_msg(&s, 1, 0, 0, 4.0f, 0.0f);
	script_sends(&s, 1, 2, -1.0 - (0.25 + 0.5 * g) / 0.75 / g, 0.0);
	script_close(&s);
	script_open_with(&s, "gap-aware:big_gamma=0.5,steps=true",
			 "adam:beta1=0,beta2=0,weight_decay=0.5,decoupled=true", 2, SERVER, 1.0,
			 0.0f, 0.0f);
	script_msg(&s, 0, 0, 0, 1.0f, 0.0f);
	script_sends(&s, 0, 1, -1.0, 0.0);
	script_msg(&s, 1, 0, 0, 4.0f, 0.0f);
	script_sends(&s, 1, 2, second, 0.0);
	script_msg(&s, 0, 0, 1, 4.0f, 0.0f);
	script_sends(&s, 0, 3, y - (1.0 + 0.5 * y), 0.0);
	script_close(&s);
}

/* debias=false: C = sqrt(R) = sqrt(0.5). */
static void leaves_the_mean_as_it_begins(void **state)
{
	const double g = 4.0 / (1.0 + sqrt(2.0));
	struct script s;

	script_open_with(&s, "gap-aware:big_gamma=0.5,steps=true,debias=false",
			 "adam:beta1=0.5,beta2=0", 2, SERVER, 1.0, 0.0f, 0.0f);
	script_msg(&s, 0, 0, 0, 1.0f, 0.0f);
	script_sends(&s, 0, 1, -1.0, 0.0);
	script_msg(&s, 1, 0, 0, 4.0f, 0.0f);
	script_sends(&s, 1, 2, -1.0 - (0.25 + 0.5 * g) / 0.75 / g, 0.0);
	script_close(&s);
}

/* The same gap for all of x: ||v|| and ||x - theirs|| are those of the first element. */
static void for_all_of_x(void **state)
{
	struct script s;

	script_open_with(&s, "gap-aware:big_gamma=0.5,penalty=global", polyak, 2, SERVER, 1.0,
			 0.0f, 0.0f);
	script_msg(&s, 0, 0, 0, 1.0f, 0.0f);
	script_sends(&s, 0, 1, -1.0, 0.0);
	script_msg(&s, 1, 0, 0, 4.0f, 2.0f);
	script_sends(&s, 1, 2, -1.5 - 4.0 / second_penalty(), -2.0 / second_penalty());
	script_close(&s);
}

/* Two layers of one parameter each are parameters. */
static void by_layer(void **state)
{
	const struct blob blobs[] = { { .offset = 0, .count = 1 }, { .offset = 1, .count = 1 } };
	struct problem problem = { .nblobs = 2, .blobs = blobs };
	struct pool pool = { .problem = &problem };
	struct script s;

	script_open_with(&s, "gap-aware:big_gamma=0.5,penalty=layer", polyak, 2, SERVER, 1.0,
			 0.0f, 0.0f);
	s.run.pool = &pool;
	s.nd.role->start(&s.nd);
	script_msg(&s, 0, 0, 0, 1.0f, 0.0f);
	script_sends(&s, 0, 1, -1.0, 0.0);
	script_msg(&s, 1, 0, 0, 4.0f, 2.0f);
	script_sends(&s, 1, 2, -1.5 - 4.0 / second_penalty(), -2.0);
	script_close(&s);
}

/* Without momentum v is g: C = 1, gap 1, P = 2, and the step is (g + wd x) / 2. */
static void divides_weight_decay_too(void **state)
{
	struct script s;

	script_open_with(&s, "gap-aware:big_gamma=0", "sgd:momentum=0,weight_decay=0.5", 2, SERVER,
			 1.0, 2.0f, 0.0f);
	script_msg(&s, 0, 0, 0, 0.0f, 0.0f);
	script_sends(&s, 0, 1, 1.0, 0.0);
	script_msg(&s, 1, 0, 0, 1.0f, 0.0f);
	script_sends(&s, 1, 2, 1.0 - (1.0 + 0.5) / 2.0, 0.0);
	script_close(&s);
}

/* C keeps the largest learning rate: at a hundredth of it, P stays, and does not grow 100 times. */
static void a_smaller_lr_does_not_raise_the_gap(void **state)
{
	struct script s;

	script_open_with(&s, "gap-aware:big_gamma=0", "sgd:momentum=0,weight_decay=0", 2, SERVER,
			 1.0, 0.0f, 0.0f);
	script_msg(&s, 0, 0, 0, 1.0f, 0.0f);
	script_sends(&s, 0, 1, -1.0, 0.0);
	s.run.lr.base = 0.01;
	script_msg(&s, 1, 0, 0, 1.0f, 0.0f);
	script_sends(&s, 1, 2, -1.0 - 0.01 / 2.0, 0.0);
	script_close(&s);
}

/* A learning rate of 0 makes no gap and no NaN. */
static void stands_still_at_a_lr_of_0(void **state)
{
	struct script s;

	script_open(&s, "gap-aware", 2, SERVER, 0.0, 1.0f, 1.0f);
	script_msg(&s, 0, 0, 0, 1.0f, 0.0f);
	script_sends(&s, 0, 1, 1.0, 1.0);
	script_close(&s);
}

RUN_ALL(by_parameter, by_measured_steps_of_adam, divides_adams_decay, leaves_the_mean_as_it_begins,
	for_all_of_x, by_layer, divides_weight_decay_too, a_smaller_lr_does_not_raise_the_gap,
	stands_still_at_a_lr_of_0)

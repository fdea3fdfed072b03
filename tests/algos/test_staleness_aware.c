/* A server that divides its learning rate by the staleness, gradient by gradient. */
#include "tests/support/check.h"
#include "tests/support/script.h"

static void divides_the_gradient(void **state)
{
	struct script s;

	script_open(&s, "staleness-aware", 4, SERVER, 0.5, 1.0f, 1.0f);
	script_msg(&s, 0, 0, 0, 2.0f, 0.0f);    /* tau 0 and 1: whole */
	script_sends(&s, 0, 1, 0.0, 1.0);
	script_msg(&s, 1, 0, 0, 0.0f, 2.0f);
	script_sends(&s, 1, 2, 0.0, 0.0);
	script_msg(&s, 2, 0, 0, 4.0f, 0.0f);    /* tau 2 */
	script_sends(&s, 2, 3, -1.0, 0.0);
	script_msg(&s, 3, 0, 0, 0.0f, 6.0f);    /* tau 3 */
	script_sends(&s, 3, 4, -1.0, -1.0);
	script_close(&s);
}

/* x <- x - 0.5 (0.5 x) / max(tau, 1) where the gradient is 0. */
static void divides_weight_decay_too(void **state)
{
	struct script s;

	script_open_with(&s, "staleness-aware", "sgd:momentum=0,weight_decay=0.5", 3, SERVER, 0.5,
			 1.0f, 0.0f);
	script_msg(&s, 0, 0, 0, 0.0f, 0.0f);
	script_sends(&s, 0, 1, 0.75, 0.0);
	script_msg(&s, 1, 0, 0, 0.0f, 0.0f);
	script_sends(&s, 1, 2, 0.5625, 0.0);
	script_msg(&s, 2, 0, 0, 0.0f, 0.0f);
	script_sends(&s, 2, 3, 0.5625 - 0.0703125, 0.0);
	script_close(&s);
}

/* The momentum is the base method's: v <- 0.5 v + g / tau. */
static void leaves_the_momentum_whole(void **state)
{
	struct script s;

	script_open_with(&s, "staleness-aware",
			 "sgd:momentum=0.5,weight_decay=0,nesterov=false", 3, SERVER, 1.0, 0.0f,
			 0.0f);
	script_msg(&s, 0, 0, 0, 2.0f, 0.0f);
	script_sends(&s, 0, 1, -2.0, 0.0);
	script_msg(&s, 1, 0, 0, 2.0f, 0.0f);
	script_sends(&s, 1, 2, -5.0, 0.0);
	script_msg(&s, 2, 0, 0, 2.0f, 0.0f);
	script_sends(&s, 2, 3, -5.0 - (1.5 + 1.0), 0.0);
	script_close(&s);
}

/* d = w (g + x / 2) is 2, -2, 2, so v / (1 - 0.75^t) is 4, and every step 1. */
static void divides_what_adam_averages(void **state)
{
	struct script s;

	script_open_with(&s, "staleness-aware", "adam:beta1=0,beta2=0.75,weight_decay=0.5", 2,
			 SERVER, 1.0, 2.0f, 0.0f);
	script_msg(&s, 0, 0, 0, 1.0f, 0.0f);
	script_sends(&s, 0, 1, 1.0, 0.0);
	script_msg(&s, 1, 0, 0, -2.5f, 0.0f);
	script_sends(&s, 1, 2, 2.0, 0.0);
	script_msg(&s, 0, 0, 0, 3.0f, 0.0f);    /* tau 2 */
	script_sends(&s, 0, 3, 1.0, 0.0);
	script_close(&s);
}

/* AdamW takes lr wd = 1/4 of x; at tau 2, x first gains half of that. */
static void divides_decoupled_decay(void **state)
{
	struct script s;

	script_open_with(&s, "staleness-aware",
			 "adam:beta1=0,beta2=0.75,weight_decay=0.5,decoupled=true", 2, SERVER, 0.5,
			 2.0f, 0.0f);
	script_msg(&s, 0, 0, 0, 2.0f, 0.0f);
	script_sends(&s, 0, 1, 2.0 * 0.75 - 0.5, 0.0);
	script_msg(&s, 1, 0, 0, 2.0f, 0.0f);
	script_sends(&s, 1, 2, 0.75 - 0.5, 0.0);
	script_msg(&s, 0, 0, 0, 4.0f, 0.0f);
	script_sends(&s, 0, 3, 0.25 * 1.125 * 0.75 - 0.5, 0.0);
	script_close(&s);
}

/* x[0] is a bias, which does not decay: its d is 2, -2, 4 / 2. */
static void leaves_what_does_not_decay(void **state)
{
	const struct blob blobs[] = { { .offset = 0, .count = 1, .decay = true, .rank = 1 },
				      { .offset = 1, .count = 1, .decay = true, .rank = 2 } };
	struct problem problem = { .nblobs = 2, .blobs = blobs };
	struct pool pool = { .problem = &problem };
	struct script s;

	script_open_with(&s, "staleness-aware",
			 "adam:beta1=0,beta2=0.75,weight_decay=0.5,decay=matrices", 2, SERVER, 1.0,
			 2.0f, 2.0f);
	s.run.pool = &pool;
	script_msg(&s, 0, 0, 0, 2.0f, 1.0f);
	script_sends(&s, 0, 1, 1.0, 1.0);
	script_msg(&s, 1, 0, 0, -2.0f, -2.5f);
	script_sends(&s, 1, 2, 2.0, 2.0);
	script_msg(&s, 0, 0, 0, 4.0f, 3.0f);
	script_sends(&s, 0, 3, 1.0, 1.0);
	script_close(&s);
}

static void refuses_rules_without_a_weight(void **state)
{
	struct script s;

	script_open_with(&s, "staleness-aware", "lars", 2, SERVER, 1.0, 0.0f, 0.0f);
	script_refuses(&s, "sgd or adam, not 'lars'");
	script_close(&s);
}

RUN_ALL(divides_the_gradient, divides_weight_decay_too, leaves_the_momentum_whole,
	divides_what_adam_averages, divides_decoupled_decay, leaves_what_does_not_decay,
	refuses_rules_without_a_weight)

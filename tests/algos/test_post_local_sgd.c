/* A worker of post-local SGD, event by event. */
#include "tests/support/check.h"
#include "tests/support/script.h"

static void adds_gradients_first_and_models_later(void **state)
{
	struct script s;

	script_open(&s, "post-local-sgd:start=2,period=2", 2, 1, 0.5, 1.0f, 2.0f);
	script_grads(&s, 1.0, 2.0);
	script_grad(&s, 2.0f, 0.0f);
	script_allreduces(&s, 2, (double[]){ 2.0, 0.0 });
	script_allreduce(&s, 4.0f, 0.0f);
	script_grads(&s, 0.0, 2.0);
	script_grad(&s, 0.0f, 0.0f);
	script_allreduces(&s, 2, (double[]){ 0.0, 0.0 });
	script_allreduce(&s, 0.0f, 4.0f);

	/* steps 2 and 4 end with a mean of models, step 3 does not */
	script_grads(&s, 0.0, 1.0);
	script_grad(&s, 2.0f, 2.0f);
	script_allreduces(&s, 2, (double[]){ -1.0, 0.0 });
	script_allreduce(&s, 0.0f, 2.0f);
	script_grads(&s, 0.0, 1.0);
	script_grad(&s, 2.0f, 2.0f);
	script_grads(&s, -1.0, 0.0);
	script_grad(&s, 0.0f, 0.0f);
	script_allreduces(&s, 2, (double[]){ -1.0, 0.0 });
	script_allreduce(&s, 2.0f, 2.0f);
	script_grads(&s, 1.0, 1.0);
	assert_int_equal(s.nd.step, 5);
	script_close(&s);
}

/* The first local step, k = 1, is averaged after an odd number of steps too, and k = 2 is not. */
static void means_are_counted_from_the_first_local_step(void **state)
{
	struct script s;

	script_open(&s, "post-local-sgd:start=1,period=2", 2, 1, 0.5, 1.0f, 2.0f);
	script_grads(&s, 1.0, 2.0);
	script_grad(&s, 0.0f, 0.0f);
	script_allreduces(&s, 2, (double[]){ 0.0, 0.0 });
	script_allreduce(&s, 0.0f, 0.0f);
	script_grads(&s, 1.0, 2.0);
	script_grad(&s, 2.0f, 2.0f);
	script_allreduces(&s, 2, (double[]){ 0.0, 1.0 });
	script_allreduce(&s, 0.0f, 2.0f);
	script_grads(&s, 0.0, 1.0);
	script_grad(&s, 2.0f, 2.0f);
	script_grads(&s, -1.0, 0.0);
	script_close(&s);
}

RUN_ALL(adds_gradients_first_and_models_later, means_are_counted_from_the_first_local_step)

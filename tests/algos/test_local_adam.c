/* A worker of local Adam, event by event. */
#include "tests/support/check.h"
#include "tests/support/script.h"

static const char adam[] = "adam:beta1=0.5,beta2=0.5";

static void moments_are_averaged_too(void **state)
{
	static const float halves[6] = { -0.1f, 0.1f, 1.0f, -1.0f, 2.0f, 2.0f };
	struct script s;

	script_open_with(&s, "local-adam:period=1", adam, 2, 1, 0.1, 0.0f, 0.0f);
	script_grads(&s, 0.0, 0.0);
	script_grad(&s, 2.0f, -2.0f);
	script_allreduces(&s, 6, (double[]){ -0.1, 0.1, 1.0, -1.0, 2.0, 2.0 });
	script_allreduce_of(&s, 6, halves);   /* the other has zeros */
	script_grads(&s, -0.05, 0.05);
	/* m = 1/4, v = 1/2, both over 1 - 1/4: a step of 0.1 (1/3) / sqrt(2/3) */
	script_grad(&s, 0.0f, 0.0f);
	script_allreduces(&s, 6, (double[]){ -0.0908248, 0.0908248, 0.25, -0.25, 0.5, 0.5 });
	script_close(&s);
}

static void moments_may_stay_local(void **state)
{
	struct script s;

	script_open_with(&s, "local-adam:period=1,moments=false", adam, 2, 1, 0.1, 0.0f, 0.0f);
	script_grads(&s, 0.0, 0.0);
	script_grad(&s, 2.0f, -2.0f);
	script_allreduces(&s, 2, (double[]){ -0.1, 0.1 });
	script_allreduce(&s, -0.1f, 0.1f);
	script_grads(&s, -0.05, 0.05);
	/* m = 1/2, v = 1 */
	script_grad(&s, 0.0f, 0.0f);
	script_allreduces(&s, 2, (double[]){ -0.05 - 0.1 * 0.5773503, 0.05 + 0.1 * 0.5773503 });
	script_close(&s);
}

static void wants_two_moments(void **state)
{
	struct script s;

	script_open(&s, "local-adam", 2, 0, 0.5, 0.0f, 0.0f);
	script_refuses(&s, "optimiser 'sgd' does not have. Use --optim adam");
	script_close(&s);
}

RUN_ALL(moments_are_averaged_too, moments_may_stay_local, wants_two_moments)

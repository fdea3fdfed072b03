/* The worker of GPA on f = y^2/2, where the gradient is y itself. */
#include "tests/support/check.h"
#include "tests/support/script.h"

/* The gradient of the only worker, added up. */
static void gradient(struct script *s, float g0, float g1)
{
	script_grad(s, g0, g1);
	script_allreduces(s, 2, (double[]){ (double)g0, (double)g1 });
	script_allreduce(s, g0, g1);
}

/* y 8, 5, 2.625 and x 6, 3.75, 1.96875 with all rates 1/2. */
static void averages_follow_by_hand(void **state)
{
	static const double y[] = { 8, 5, 2.625 }, x[] = { 6, 3.75, 1.96875 };
	struct script s;

	script_open(&s, "gpa:mu_x=0.5,mu_y=0.5", 1, 0, 0.5, 8.0f, 0.0f);
	for (int i = 0; i < 3; i++) {
		script_grads(&s, y[i], 0.0);
		gradient(&s, (float)y[i], 0.0f);
		assert_true(s.nd.x[0] == (float)x[i]);
	}
	script_close(&s);
}

/* mu_x = 0: x is z, and so is y; the optimiser's momentum is that of z. */
static void without_average_it_is_the_optimiser(void **state)
{
	struct script s;

	script_open_with(&s, "gpa:mu_x=0", "sgd:momentum=0.5,nesterov=false,weight_decay=0", 1, 0,
			 0.5, 8.0f, 2.0f);
	script_grads(&s, 8.0, 2.0);
	gradient(&s, 4.0f, 0.0f);
	script_grads(&s, 6.0, 2.0);
	gradient(&s, 2.0f, 0.0f);       /* v = 2 + 2 */
	script_grads(&s, 4.0, 2.0);
	script_close(&s);
}

/* Two workers step by the mean of their gradients. */
static void several_workers_add_gradients(void **state)
{
	const double sum[] = { 4.0, 0.0 };
	struct script s;

	script_open(&s, "gpa:mu_x=0.5,mu_y=0.5", 2, 1, 0.5, 8.0f, 0.0f);
	script_grads(&s, 8.0, 0.0);
	script_grad(&s, 4.0f, 0.0f);
	script_allreduces(&s, 2, sum);
	script_allreduce(&s, 16.0f, 0.0f);      /* mean 8: as the one worker above */
	script_grads(&s, 5.0, 0.0);
	assert_true(s.nd.x[0] == 6.0f);
	script_close(&s);
}

RUN_ALL(averages_follow_by_hand, without_average_it_is_the_optimiser,
	several_workers_add_gradients)

/* The estimate of momentum, of late gradients too; the rule that steers by it. */
#include "algos/algos.h"
#include "core/base/mem.h"
#include "core/math/momentum.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIM = 5 };

static const float first[DIM] = { 0.5f, -1.25f, 2.0f, 0.75f, -0.25f };

/* x_{k+1} = x_k + 0.6 (x_k - x_{k-1}) - 0.1 g(x_k), told of g `late` steps after x_{k+1}. */
static double measured(int late)
{
	enum { N = 200 };
	struct momentum_estimate *e = xcalloc(1, sizeof(*e));
	float x[N + 1][DIM], g[N][DIM];
	double mu;

	memcpy(x[0], first, sizeof(first));
	momentum_begin(e, DIM, x[0]);
	for (int k = 0; k < N; k++) {
		const int of = k > late ? k - late : 0;

		for (int i = 0; i < DIM; i++) {
			float v = k ? x[k][i] - x[k - 1][i] : 0.0f;

			g[k][i] = x[k][i] * (float)(1 + i) * 0.2f;
			x[k + 1][i] = x[k][i] + 0.6f * v - 0.1f * g[k][i];
		}
		momentum_add(e, &(struct momentum_step){ .n = DIM, .g = g[of], .w = 1.0f,
							 .alpha = 0.1, .staleness = late,
							 .keep = 0.9 }, x[k + 1]);
	}
	mu = momentum_of(e, DIM);
	free(e);
	return mu;
}

static void momentum_is_measured(void **state)
{
	struct momentum_estimate *e = xcalloc(1, sizeof(*e));

	assert_near(measured(0), 0.6, 1e-3);
	assert_near(measured(7), 0.6, 1e-3);
	assert_true(isnan(momentum_of(e, DIM)));
	free(e);
}

/* The rule's own momentum, 0.8 at first, is all there is; the loop moves it to the target. */
static void the_loop_goes_to_its_target(void **state)
{
	struct choice c = { 0 };
	const struct optim *o;
	float x[DIM], *s, *mu;

	assert_int_equal(choice_parse(&c, optim_table, "optimiser",
				      "closed-loop:target=0.3,gain=0.05,weight_decay=0,"
				      "average=0.9"), 0);
	o = (const struct optim *)c.plugin;
	s = vec_new(optim_floats(o, DIM));
	memcpy(x, first, sizeof(x));
	mu = s + DIM;
	for (int t = 0; t < 300; t++) {
		float g[DIM];

		for (int i = 0; i < DIM; i++)
			g[i] = x[i] - first[(i + 1) % DIM] * (float)(1 + t % 7);
		o->step(c.conf, &(struct stepping){ .lr = 0.1f, .w = 1.0f, .step = t }, DIM, g, x,
			s);
		if (t == 0)
			*mu = 0.8f;
	}
	assert_near((double)*mu, 0.3, 0.02);
	free(s);
	choice_release(&c);
}

RUN_ALL(momentum_is_measured, the_loop_goes_to_its_target)

/* A worker of DiLoCo, event by event. */
#include "algos/common/outer.h"
#include "core/math/rng.h"
#include "tests/support/check.h"
#include "tests/support/script.h"

#include <math.h>
#include <string.h>

static void steps_along_the_mean_of_a_round(void **state)
{
	struct script s;

	script_open(&s, "diloco:period=2,outer_lr=0.5,outer_momentum=0.5", 2, 1, 0.5, 1.0f, 2.0f);
	script_grads(&s, 1.0, 2.0);
	script_grad(&s, 2.0f, 0.0f);
	script_grads(&s, 0.0, 2.0);
	script_grad(&s, 0.0f, 2.0f);
	script_allreduces(&s, 2, (double[]){ 1.0, 1.0 });
	assert_int_equal(script_next(&s)->what, ASK_NONE);

	/* the other's D is (3, -1): D = (2, 0), m = (2, 0) */
	script_allreduce(&s, 4.0f, 0.0f);
	script_grads(&s, -0.5, 2.0);
	script_grad(&s, 0.0f, 0.0f);
	script_grads(&s, -0.5, 2.0);
	script_grad(&s, 0.0f, 0.0f);
	script_allreduces(&s, 2, (double[]){ 0.0, 0.0 });
	/* D = (1, 1), m = (2, 1) */
	script_allreduce(&s, 2.0f, 2.0f);
	script_grads(&s, -1.5, 1.25);
	assert_int_equal(s.nd.step, 4);
	script_close(&s);
}

static void without_nesterov_the_step_is_the_momentum(void **state)
{
	struct script s;

	script_open(&s, "diloco:period=1,outer_lr=0.5,outer_momentum=0.5,outer_nesterov=false", 2,
		    0, 1.0, 1.0f, 2.0f);
	script_grads(&s, 1.0, 2.0);
	script_grad(&s, 1.0f, 0.0f);
	script_allreduces(&s, 2, (double[]){ 1.0, 0.0 });
	script_allreduce(&s, 4.0f, 0.0f);
	script_grads(&s, 0.0, 2.0);
	script_grad(&s, 0.0f, 0.0f);
	script_allreduces(&s, 2, (double[]){ 0.0, 0.0 });
	script_allreduce(&s, 0.0f, 4.0f);
	script_grads(&s, -0.5, 1.0);
	script_close(&s);
}

static bool is_lost(const struct script *s, int round, int rank)
{
	const uint64_t bits = node_rand_common(&s->nd, (uint64_t)(2 * round + rank));

	return (double)(bits >> 11) * 0x1p-53 < 0.5;
}

/* Of two workers, the other one's x is 1 below X at the end of each round. */
static void lost_outer_gradients_leave_their_worker_alone(void **state)
{
	double x = 0.0, common = 0.0, m = 0.0;
	int cases[2][2] = { { 0 } };
	struct script s;

	script_open(&s, "diloco:period=1,outer_lr=0.5,outer_momentum=0.5,drop=0.5", 2, 0, 0.25,
		    0.0f, 0.0f);
	script_grads(&s, 0.0, 0.0);
	for (int round = 0; round < 31; round++) {
		const bool ours = !is_lost(&s, round, 0), others = !is_lost(&s, round, 1);
		double d;

		script_grad(&s, 1.0f, 0.0f);
		x -= 0.25;
		d = ours ? common - x : 0.0;
		script_allreduces(&s, 2, (double[]){ d, 0.0 });
		d += others ? 1.0 : 0.0;
		script_allreduce(&s, (float)d, 0.0f);
		if (ours || others) {
			d /= ours && others ? 2.0 : 1.0;
			m = 0.5 * m + d;
			common -= 0.5 * (d + 0.5 * m);
		}
		x = ours ? common : x;
		script_grads(&s, x, 0.0);
		cases[ours][others]++;
	}
	for (int i = 0; i < 4; i++)
		assert_within(cases[i / 2][i % 2], 2, 16);
	script_close(&s);
}

/*
 * Mean square of an outer step, in units of that of D, where D is a series of autocorrelation rho
 * (AR(1)): (1 + mu)^2 + 2 (1 + mu) mu^2 rho / (1 - mu rho) + mu^4 (1 + mu rho) / ((1 - mu^2) (1 -
 * mu rho)), 17.6, 10.1 and 11.4 with mu = 0.9.
 */
static void correlated_updates_are_amplified(void **state)
{
	enum { N = 128, STEPS = 1100, SKIPPED = 100 };
	static const double cases[][2] = { { .56, 17.6 }, { .25, 10.1 }, { .33, 11.4 } };
	static const struct outer_conf outer = { .lr = 1, .momentum = 0.9, .nesterov = true };

	for (int i = 0; i < 3; i++) {
		const double rho = cases[i][0];
		float d[N] = { 0 }, m[N] = { 0 }, x[N];
		double moved = 0.0, given = 0.0;
		struct rng r;

		rng_at(&r, 1, RNG_DATA, (uint32_t)i, 0);
		for (int t = 0; t < STEPS; t++) {
			memset(x, 0, sizeof(x));
			for (int k = 0; k < N; k++)
				d[k] = (float)(rho * (double)d[k] +
					       sqrt(1 - rho * rho) * rng_normal(&r));
			outer_step(&outer, N, d, m, x);
			for (int k = 0; t >= SKIPPED && k < N; k++) {
				moved += (double)x[k] * (double)x[k];
				given += (double)d[k] * (double)d[k];
			}
		}
		assert_near(moved / given, cases[i][1], 0.02 * cases[i][1]);
	}
}

RUN_ALL(steps_along_the_mean_of_a_round, without_nesterov_the_step_is_the_momentum,
	lost_outer_gradients_leave_their_worker_alone, correlated_updates_are_amplified)

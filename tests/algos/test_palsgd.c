/* A worker of PALSGD, event by event: steps of both kinds, rounds, and their mean. */
#include "tests/support/check.h"
#include "tests/support/script.h"

#include <math.h>
#include <stdio.h>

static bool pulls(const struct script *s, uint64_t draw, double p)
{
	struct node nd = s->nd;

	nd.draws = draw;
	return (double)(node_rand(&nd) >> 11) * 0x1p-53 < p;
}

/* x = 0, X = 8, p = 1/2, a = 1, lr = 1/4: pulled to 4; or by g = 2 to -1. */
static void steps_are_of_two_kinds(void **state)
{
	int seen[2] = { 0 };
	struct script s;

	script_open(&s, "palsgd:period=1000,pull=0.5,strength=1,warmup=false", 1, 0, 0.25, 8.0f,
		    8.0f);
	for (int i = 0; i < 50; i++) {
		const uint64_t draw = s.nd.draws;
		double x = -1.0;

		/* from 0, a step by the gradient; pulls follow it until the next gradient */
		s.nd.x[0] = 0.0f;
		script_grad(&s, 2.0f, 0.0f);
		for (uint64_t k = draw; pulls(&s, k, 0.5); k++)
			x += 0.5 * (8.0 - x);
		assert_near((double)s.nd.x[0], x, 1e-5);
		seen[s.nd.draws > draw + 1]++;
		assert_int_equal(s.asked[s.n - 1].what, ASK_GRAD);
		s.n = s.read = 0;
	}
	assert_true(seen[0] > 10 && seen[1] > 10);
	script_close(&s);
}

enum { STEPS = 4000 };

/* pulled[STEPS] <- the steps of a worker's round that pull. Returns their number. */
static int coins(double p, int rank, bool *pulled)
{
	char algo[64];
	struct script s;
	int step = 0, heads = 0;

	snprintf(algo, sizeof(algo), "palsgd:period=%d,pull=%g,warmup=false", STEPS, p);
	script_open(&s, algo, 2, rank, 0.25, 0.0f, 0.0f);
	for (;;) {
		const bool ends = s.asked[s.n - 1].what == ASK_ALLREDUCE;

		/* before a gradient, the last draw was tails */
		for (; step + !ends < (int)s.nd.draws; step++) {
			pulled[step] = true;
			heads++;
		}
		if (ends)
			break;
		pulled[step++] = false;
		s.n = s.read = 0;
		script_grad(&s, 0.0f, 0.0f);
	}
	assert_int_equal(step, STEPS);
	script_close(&s);
	return heads;
}

/* Both within four deviations: heads p, and independent of those of another worker. */
static void each_worker_has_a_coin(void **state)
{
	static const double p[3] = { 0.05, 0.2, 0.7 };

	for (int i = 0; i < 3; i++) {
		const double same = p[i] * p[i] + (1 - p[i]) * (1 - p[i]);
		bool pulled[2][STEPS];
		int equal = 0;

		for (int rank = 0; rank < 2; rank++)
			assert_near(coins(p[i], rank, pulled[rank]), p[i] * STEPS,
				    4 * sqrt(p[i] * (1 - p[i]) * STEPS));
		for (int k = 0; k < STEPS; k++)
			equal += pulled[0][k] == pulled[1][k];
		assert_near(equal, same * STEPS, 4 * sqrt(same * (1 - same) * STEPS));
	}
}

/* The mean over seeds of a step from x = 1 with X = 3 and g = 4 is x - lr g - lr a (x - X). */
static void the_mean_step_is_proximal(void **state)
{
	enum { SEEDS = 4000 };
	double sum = 0.0;

	for (int seed = 0; seed < SEEDS; seed++) {
		struct script s;

		script_open(&s, "palsgd:period=2,pull=0.25,strength=0.5,warmup=false", 1, 0, 0.1,
			    3.0f, 0.0f);
		script_grads(&s, 3.0, 0.0);
		s.nd.x[0] = 1.0f;
		s.run.seed = (uint64_t)seed;
		script_grad(&s, 0.0f, 0.0f);    /* the first of two steps leaves x as it is */
		if (script_next(&s)->what == ASK_GRAD)
			script_grad(&s, 4.0f, 0.0f);
		sum += (double)s.nd.x[0];
		script_close(&s);
	}
	assert_near(sum / SEEDS, 1.0 - 0.1 * 4.0 - 0.1 * 0.5 * (1.0 - 3.0), 0.01);
}

/* A round has three steps, each of which draws once; those that do not pull have a gradient. */
static void rounds_count_both_kinds(void **state)
{
	int gradients = 0, computes = 0;
	struct script s;

	script_open(&s, "palsgd:period=3,pull=0.5,warmup=false", 2, 0, 0.25, 0.0f, 0.0f);
	for (uint64_t round = 1; round <= 40; round++) {
		while (s.asked[s.n - 1].what == ASK_GRAD) {
			script_grad(&s, 1.0f, 0.0f);
			gradients++;
		}
		assert_int_equal(s.asked[s.n - 1].what, ASK_ALLREDUCE);
		assert_int_equal(s.nd.draws, 3 * round);
		for (uint64_t k = 3 * round - 3; k < 3 * round; k++)
			computes += !pulls(&s, k, 0.5);
		assert_int_equal(gradients, computes);
		s.n = s.read = 0;
		script_allreduce_of(&s, 2, s.allreduced);
	}
	assert_within(gradients, 40, 80);
	script_close(&s);
}

static void the_first_interval_is_allreduce(void **state)
{
	struct script s;

	script_open(&s, "palsgd:period=2,pull=0", 2, 0, 0.5, 1.0f, 2.0f);
	script_grads(&s, 1.0, 2.0);
	script_grad(&s, 2.0f, 0.0f);
	script_allreduces(&s, 2, (double[]){ 2.0, 0.0 });
	script_allreduce(&s, 4.0f, 4.0f);
	script_grads(&s, 0.0, 1.0);
	script_grad(&s, 0.0f, 2.0f);
	script_allreduces(&s, 2, (double[]){ 0.0, 2.0 });
	script_allreduce(&s, 0.0f, 4.0f);
	/* rounds begin: X = (0, 0) */
	script_grads(&s, 0.0, 0.0);
	script_grad(&s, 2.0f, 0.0f);
	script_grads(&s, -1.0, 0.0);
	script_grad(&s, 2.0f, 0.0f);
	script_allreduces(&s, 2, (double[]){ 2.0, 0.0 });
	/* D = 2: m = 2, X = -0.1 (2 + 0.9 * 2) */
	script_allreduce(&s, 4.0f, 0.0f);
	script_grads(&s, -0.38, 0.0);
	script_close(&s);
}

RUN_ALL(steps_are_of_two_kinds, each_worker_has_a_coin, the_mean_step_is_proximal,
	rounds_count_both_kinds, the_first_interval_is_allreduce)

/* Drives a server of rounds of local steps, or all workers of a round, with scalar updates. */
#include "tests/support/ahead.h"

#include "core/math/vec.h"
#include "tests/support/check.h"
#include "tests/support/script.h"

#include <math.h>
#include <string.h>

/* Sends an update and returns the model in the answer. */
static float answer(struct script *s, int worker, float update)
{
	float x;

	script_msg(s, worker, 0, s->nd.step, update, 0.0f);
	x = s->asked[s->n - 1].vec[0];
	s->n = s->read = 0;
	return x;
}

double gain_of(const char *algo, int workers)
{
	struct script s;
	double gain;

	script_open(&s, algo, workers, SERVER, 1.0, 0.0f, 0.0f);
	for (int i = 0; i < 2000; i++)
		answer(&s, i % workers, i == 0 ? 1.0f : 0.0f);
	gain = -(double)s.nd.x[0];
	script_close(&s);
	return gain;
}

/* Gives it gradients, the first of which is g, until it has asked for an all-reduce. */
static void make_round(struct script *s, float g)
{
	while (true) {
		const enum ask what = script_next(s)->what;

		if (what == ASK_ALLREDUCE)
			break;
		assert_int_equal(what, ASK_GRAD);
		script_grad(s, g, 0.0f);
		g = 0.0f;
	}
	s->n -= s->read;
	memmove(s->asked, s->asked + s->read, (size_t)s->n * sizeof(s->asked[0]));
	s->read = 0;
}

double gain_of_rounds(const char *algo, int workers)
{
	enum { WORKERS = 8, ROUNDS = 600 };
	static struct script s[WORKERS];
	double gain = 0.0;

	assert_true(workers <= WORKERS);
	for (int k = 0; k < workers; k++)
		script_open(&s[k], algo, workers, k, 1.0, 0.0f, 0.0f);
	for (int i = 0; i < ROUNDS; i++) {
		float sum[SCRIPT_DIM] = { 0.0f };

		for (int k = 0; k < workers; k++) {
			make_round(&s[k], i == 0 && k == 0 ? 1.0f : 0.0f);
			vec_axpy(SCRIPT_DIM, 1.0f, s[k].allreduced, sum);
		}
		for (int k = 0; k < workers; k++)
			script_allreduce_of(&s[k], SCRIPT_DIM, sum);
	}
	for (int k = 0; k < workers; k++) {
		gain -= (double)s[k].nd.x[0] / (double)workers;
		script_close(&s[k]);
	}
	return gain;
}

bool is_stable(const char *algo, int workers, double a)
{
	enum { WORKERS = 8, MOST = 1000000 };
	float x[WORKERS];
	double largest = 1.0;
	struct script s;

	assert_true(workers <= WORKERS);
	script_open(&s, algo, workers, SERVER, 1.0, 1.0f, 0.0f);
	for (int k = 0; k < workers; k++)
		x[k] = 1.0f;
	for (int i = 0; i < MOST && largest > 1e-4 && largest < 1e4; i += workers)
		for (int k = 0; k < workers; k++) {
			x[k] = answer(&s, k, (float)a * x[k]);
			largest = fmax(k ? largest : 0.0, fabs((double)x[k]));
		}
	script_close(&s);
	if (largest > 1e-4 && largest < 1e4)
		fail_msg("%s: %g after %d updates", algo, largest, MOST);
	return largest <= 1e-4;
}

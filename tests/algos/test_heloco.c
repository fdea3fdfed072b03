/* The server of HeLoCo by hand: corrected updates, tensor by tensor or not, and the answer. */
#include "core/pool/pool.h"
#include "core/problem.h"
#include "tests/support/check.h"
#include "tests/support/script.h"

#include <math.h>
#include <stdio.h>

static const struct blob halves[2] = { { .offset = 0, .count = 1 }, { .offset = 1, .count = 1 } };
static const struct problem two_tensors = { .dim = 2, .nblobs = 2, .blobs = halves };

/* A server with the momentum m, which the first update 2 m leaves; X is 0 again. */
static void open_with(struct script *s, const char *options, float m0, float m1)
{
	char text[256];

	snprintf(text, sizeof(text), "heloco:rho=1,outer_lr=1,outer_momentum=0.5%s", options);
	script_open(s, text, 1, SERVER, 1.0, 0.0f, 0.0f);
	script_msg(s, 0, 0, 0, 2.0f * m0, 2.0f * m1);
	script_next(s);
	s->nd.x[0] = s->nd.x[1] = 0.0f;
}

/* With eta = 1 and mu = 1/2, X moves from 0 by -(D + mu m'), where m' = (m + D) / 2. */
static void assert_corrected(const char *options, const struct problem *problem, const float *m,
			     const float *d, double c0, double c1)
{
	struct pool pool = { .problem = problem };
	struct script s;

	open_with(&s, options, m[0], m[1]);
	s.run.pool = problem ? &pool : NULL;
	script_msg(&s, 0, 0, 1, d[0], d[1]);
	assert_near(-((double)s.nd.x[0] + 0.25 * (double)m[0]) / 1.25, c0, 2e-6);
	assert_near(-((double)s.nd.x[1] + 0.25 * (double)m[1]) / 1.25, c1, 2e-6);
	script_close(&s);
}

#define F(x, y) ((const float[]){ x, y })

static void updates_are_turned(void **state)
{
	assert_corrected("", NULL, F(1, 0), F(-3, 4), -2.4375, 4.0);
	assert_corrected("", NULL, F(1, 0), F(0, 3), 0.948683, 2.846050);
	assert_corrected("", NULL, F(2, 0), F(-4, 0), -3.2, 0.0);
	assert_corrected("", NULL, F(1, 0), F(3, 4), 3.0, 4.0);
	assert_corrected("", NULL, F(0, 0), F(3, 4), 3.0, 4.0);
	assert_corrected("", NULL, F(1, 0), F(0, 0), 0.0, 0.0);
	assert_corrected(",correct=none", NULL, F(1, 0), F(-3, 4), -3.0, 4.0);
	assert_corrected(",most=0.1", NULL, F(1, 0), F(-3, 4), -2.7, 4.0);
}

/* l is k_d (1 - c) f = 1/2 where the code has 1/4, and not 0 just below c_ok. */
static void the_printed_schedule_turns_further(void **state)
{
	const double half = 3.0 * sqrt(0.5);

	assert_corrected(",schedule=printed", NULL, F(1, 0), F(0, 3), half, half);
	assert_corrected(",aligned=0.6000001", NULL, F(1, 0), F(3, 4), 3.0, 4.0);
	/* l = 0.4 * 5/8; w = (0.6 * 0.75 + 0.25, 0.8 * 0.75), and the norm stays 5 */
	assert_corrected(",schedule=printed,aligned=0.6000001", NULL, F(1, 0), F(3, 4),
			 5.0 * 0.7 / sqrt(0.49 + 0.36), 5.0 * 0.6 / sqrt(0.49 + 0.36));
}

/* Two tensors of one float: the first is opposite to its momentum, the second along it. */
static void tensors_are_corrected_apart(void **state)
{
	const double f = 5.0 / (5.0 + 3.0 * sqrt(2.0)), c = 1.0 / (5.0 * sqrt(2.0));
	const double l = (1.0 - (c + 0.2) / 0.4) * f;
	const double w0 = -0.6 * (1.0 - l) + l / sqrt(2.0), w1 = 0.8 * (1.0 - l) + l / sqrt(2.0);
	const double norm = sqrt(w0 * w0 + w1 * w1);

	assert_corrected("", &two_tensors, F(1, 1), F(-3, 4), -2.25, 4.0);
	assert_corrected(",correct=flat", &two_tensors, F(1, 1), F(-3, 4), 5.0 * w0 / norm,
			 5.0 * w1 / norm);
	assert_corrected("", NULL, F(1, 1), F(-3, 4), 5.0 * w0 / norm, 5.0 * w1 / norm);
}

static void answers_look_ahead_twice(void **state)
{
	struct script s;

	open_with(&s, "", 1.0f, 0.0f);
	script_msg(&s, 0, 0, 1, -3.0f, 4.0f);
	assert_near((double)s.nd.x[0], 2.796875, 1e-6);
	assert_near((double)s.nd.x[1], -5.0, 1e-6);
	script_sends(&s, 0, 2, 3.15625, -6.0);
	script_close(&s);
	open_with(&s, ",shift=false", 1.0f, 0.0f);
	script_msg(&s, 0, 0, 1, -3.0f, 4.0f);
	script_sends(&s, 0, 2, 2.796875, -5.0);
	script_close(&s);
}

/* rho is 1/2 for four workers, and with discount also divided by sqrt(1 + 3). */
static void updates_are_scaled(void **state)
{
	for (int discount = 0; discount <= 1; discount++) {
		struct script s;

		script_open(&s, discount ? "heloco:outer_lr=1,outer_momentum=0,discount=true" :
					   "heloco:outer_lr=1,outer_momentum=0", 4, SERVER, 1.0,
			    0.0f, 0.0f);
		s.nd.step = 3;
		script_msg(&s, 2, 0, 0, 8.0f, -4.0f);
		script_sends(&s, 2, 4, discount ? -2.0 : -4.0, discount ? 1.0 : 2.0);
		script_close(&s);
	}
}

RUN_ALL(updates_are_turned, the_printed_schedule_turns_further, tensors_are_corrected_apart,
	answers_look_ahead_twice, updates_are_scaled)

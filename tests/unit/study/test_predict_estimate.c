/* Means of rounds, their intervals, and the sentence that is made of them. */
#include "study/predict.h"

#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void intervals_are_students(void **state)
{
	const struct prediction p = { .predicted = { 1.0, 1.1, 0.9 }, .measured = { 2, 2, 2 },
				      .rounds = 3 };
	const double half = 4.302653 * 0.1 / sqrt(3.0);        /* two degrees of freedom */

	assert_near(prediction_predicted(&p).mean, 1.0, 1e-12);
	assert_near(prediction_predicted(&p).half, half, 1e-5);
	assert_near(prediction_measured(&p).mean, 2.0, 0);
	assert_near(prediction_measured(&p).half, 0.0, 0);
	assert_near(prediction_off(&p).mean, -50.0, 1e-9);
	assert_near(prediction_off(&p).half, 100 * 0.5 * half, 1e-3);
}

static void verdict_within(const struct prediction *p, double within, const char *begin)
{
	char *verdict = prediction_verdict(p, within);

	if (strncmp(verdict, begin, strlen(begin)) != 0)
		fail_msg("'%s' does not begin with '%s'", verdict, begin);
	free(verdict);
}

static void verdict_is(const struct prediction *p, const char *begin)
{
	verdict_within(p, 0.0, begin);
}

static void verdicts_are_sentences(void **state)
{
	struct prediction p = { .predicted = { 1.0, 1.01, 0.99 }, .measured = { 1.0, 1.1, 0.95 },
				.rounds = 3 };

	verdict_is(&p, "agrees: the difference of -1.6 % is within the scatter of 3 rounds (");
	p = (struct prediction){ .predicted = { 0.5, 0.51, 0.49 }, .measured = { 1.0, 1.01, 0.99 },
				 .rounds = 3 };
	verdict_is(&p, "too fast by 50.0 % (");
	p = (struct prediction){ .predicted = { 0.1, 0.1, 0.1 }, .measured = { 1.0, 1.9, 0.9 },
				 .rounds = 3 };
	verdict_is(&p, "too fast by 92.1 % (83.6 to 100.0)");
	/* An interval that contains 0 and much else tells nothing. */
	p = (struct prediction){ .predicted = { 120, 121, 119 }, .measured = { 60, 120, 95 },
				 .rounds = 3 };
	verdict_is(&p, "undecided: 3 rounds scatter too much (-7");
	p = (struct prediction){ .predicted = { 100, 101, 99 }, .measured = { 97, 105, 100 },
				 .rounds = 3 };
	verdict_is(&p, "agrees: the difference of -0.7 %");
	verdict_within(&p, 5.0, "undecided: 3 rounds scatter too much (");
	verdict_within(&p, 20.0, "agrees: ");
	p = (struct prediction){ .predicted = { 30, 31 }, .measured = { 20, 120 }, .rounds = 2 };
	verdict_is(&p, "undecided: 2 rounds scatter too much (-100.0 to +");
	p = (struct prediction){ .predicted = { 1.2 }, .measured = { 1.0 }, .rounds = 1 };
	verdict_is(&p, "too slow by 20.0 %; one round gives no interval");
	assert_true(isnan(prediction_off(&p).half));
	p.diverged = 7;
	verdict_is(&p, "diverged after 7 gradients");
	assert_true(isnan(prediction_measured(&p).mean));
}

RUN_ALL(intervals_are_students, verdicts_are_sentences)

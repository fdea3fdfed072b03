/* Ringmaster: gradients of R steps of age and more are left out, or stopped. */
#include "algos/common/server/serve.h"
#include "tests/support/check.h"
#include "tests/support/served.h"

#include <math.h>

static void three_steps(struct script *s)
{
	for (int i = 0; i < 3; i++) {
		script_msg(s, 0, SERVE_GRAD, i, 2.0f, 0.0f);
		served_model(s, 0, i + 1, -1.0f - (float)i, 0.0f);
	}
}

/* R = 3: of staleness 2 it counts, of 3 it does not. */
static void the_threshold_is_exclusive(void **state)
{
	struct script s;

	script_open(&s, "ringmaster:threshold=3", 3, SERVER, 0.5, 0.0f, 0.0f);
	three_steps(&s);
	script_msg(&s, 1, SERVE_GRAD, 0, 8.0f, 8.0f);
	served_model(&s, 1, 3, -3.0f, 0.0f);
	assert_int_equal(s.nd.ledger.dropped, 1);
	assert_int_equal(s.nd.step, 3);
	script_msg(&s, 2, SERVE_GRAD, 1, 0.0f, 8.0f);
	served_model(&s, 2, 4, -3.0f, -4.0f);
	served_nothing(&s);
	script_close(&s);
}

/* The third step makes what workers 1 and 2 compute too old: they are given the model. */
static void the_old_are_stopped(void **state)
{
	struct script s;

	script_open(&s, "ringmaster:threshold=3,stop=true", 3, SERVER, 0.5, 0.0f, 0.0f);
	three_steps(&s);
	served_model(&s, 1, 3, -3.0f, 0.0f);
	served_model(&s, 2, 3, -3.0f, 0.0f);

	script_msg(&s, 1, SERVE_GRAD, 0, 8.0f, 8.0f);   /* it was on its way, and is answered */
	served_nothing(&s);
	assert_int_equal(s.nd.ledger.dropped, 1);
	script_msg(&s, 2, SERVE_GRAD, 3, 0.0f, 8.0f);
	served_model(&s, 2, 4, -3.0f, -4.0f);
	served_nothing(&s);
	script_close(&s);
}

static void a_stopped_worker_starts_over(void **state)
{
	struct script s;

	script_open(&s, "ringmaster:stop=true", 3, 1, 0.5, 1.0f, 1.0f);
	works_at(&s, 1.0f, 1.0f);
	script_msg(&s, SERVER, SERVE_MODEL, 3, 3.0f, 4.0f);
	assert_int_equal(script_next(&s)->what, ASK_CANCEL);
	works_at(&s, 3.0f, 4.0f);
	script_close(&s);
}

/* Steps of the learning rate's length along the mean: (3, 4) / 5, then (2.75, -0.5) / 2.795. */
static void steps_of_one_length(void **state)
{
	struct script s;

	script_open(&s, "ringmaster:lmo=euclidean,alpha=0.5", 3, SERVER, 0.5, 0.0f, 0.0f);
	script_msg(&s, 0, SERVE_GRAD, 0, 3.0f, 4.0f);
	assert_near((double)s.nd.x[0], -0.3, 1e-6);
	assert_near((double)s.nd.x[1], -0.4, 1e-6);
	script_msg(&s, 0, SERVE_GRAD, 1, 4.0f, -3.0f);
	assert_near((double)s.nd.x[0], -0.3 - 0.5 * 2.75 / sqrt(7.8125), 1e-6);
	assert_near((double)s.nd.x[1], -0.4 + 0.5 * 0.5 / sqrt(7.8125), 1e-6);
	script_close(&s);
	script_open(&s, "ringmaster:lmo=euclidean", 3, SERVER, 0.5, 1.0f, 0.0f);
	script_msg(&s, 0, SERVE_GRAD, 0, 0.0f, 0.0f);           /* has no direction */
	served_model(&s, 0, 1, 1.0f, 0.0f);
	script_close(&s);
	script_open(&s, "ringmaster:alpha=0.5", 3, SERVER, 0.5, 0.0f, 0.0f);
	script_msg(&s, 0, SERVE_GRAD, 0, 3.0f, 4.0f);
	served_model(&s, 0, 1, -0.75f, -1.0f);
	script_close(&s);
}

RUN_ALL(the_threshold_is_exclusive, the_old_are_stopped, a_stopped_worker_starts_over,
	steps_of_one_length)

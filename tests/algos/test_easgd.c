/* Workers and centres of elastic averaging, event by event. */
#include "algos/algos.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/script.h"

enum { ASK_CENTRE, FORCE };

static const struct asked *sent(struct script *s, int to, int tag, int64_t stamp)
{
	const struct asked *a = script_next(s);

	assert_int_equal(a->what, ASK_SEND);
	assert_int_equal(a->to, to);
	assert_int_equal(a->msg.tag, tag);
	assert_int_equal(a->msg.stamp, stamp);
	return a;
}

static void computes_at(struct script *s, float x0, float x1)
{
	const struct asked *a = script_next(s);

	assert_int_equal(a->what, ASK_GRAD);
	assert_true(a->vec[0] == x0 && a->vec[1] == x1);
	assert_int_equal(script_next(s)->what, ASK_NONE);
}

/* Asked for, stretched and sent before the step; taken from x after it. */
static void worker_in_the_order_of_the_authors(void **state)
{
	struct script s;
	const struct asked *a;

	script_open(&s, "easgd:alpha=0.25,tau=2", 3, 1, 0.5, 4.0f, 0.0f);
	assert_int_equal(sent(&s, SERVER, ASK_CENTRE, 0)->msg.n, 0);
	assert_int_equal(script_next(&s)->what, ASK_NONE);

	script_msg(&s, SERVER, 1, 3, 0.0f, -4.0f);
	a = sent(&s, SERVER, FORCE, 3);
	assert_true(a->vec[0] == 1.0f && a->vec[1] == 1.0f);
	assert_false(a->msg.codes);
	computes_at(&s, 4.0f, 0.0f);

	script_grad(&s, 2.0f, 0.0f);
	computes_at(&s, 2.0f, -1.0f);
	script_grad(&s, 0.0f, 2.0f);
	assert_true(s.nd.x[0] == 2.0f && s.nd.x[1] == -2.0f);
	sent(&s, SERVER, ASK_CENTRE, 0);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	script_close(&s);
}

/* A force of before an absence is completed with the old model, and lost with a fresh one. */
static void a_force_is_of_the_model_that_it_was_sent_for(void **state)
{
	struct script s;

	script_open(&s, "easgd:alpha=0.25,tau=2", 3, 1, 0.5, 4.0f, 0.0f);
	sent(&s, SERVER, ASK_CENTRE, 0);
	script_msg(&s, SERVER, 1, 3, 0.0f, -4.0f);
	sent(&s, SERVER, FORCE, 3);
	computes_at(&s, 4.0f, 0.0f);
	s.nd.role->back(&s.nd, NULL);
	computes_at(&s, 4.0f, 0.0f);
	s.nd.role->back(&s.nd, &(struct msg){ .from = SERVER, .stamp = 9,
					      .vec = (float[]){ 8.0f, 8.0f }, .n = 2 });
	sent(&s, SERVER, ASK_CENTRE, 0);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	script_msg(&s, SERVER, 1, 9, 8.0f, 8.0f);
	sent(&s, SERVER, FORCE, 9);
	computes_at(&s, 8.0f, 8.0f);
	script_grad(&s, 2.0f, 0.0f);
	computes_at(&s, 7.0f, 8.0f);
	script_close(&s);
}

static void alpha_is_nine_tenths_over_workers(void **state)
{
	struct script s;

	script_open(&s, "easgd", 6, 1, 0.5, 10.0f, 0.0f);
	sent(&s, SERVER, ASK_CENTRE, 0);
	script_msg(&s, SERVER, 1, 0, 0.0f, 0.0f);
	assert_near((double)sent(&s, SERVER, FORCE, 0)->vec[0], 1.5, 1e-6);
	script_close(&s);
}

/* What the centre gains is what the worker loses, to the bit. */
static void forces_are_conserved(void **state)
{
	struct script s, centre;
	const struct asked *a;

	script_open(&s, "easgd:alpha=0.3", 3, 1, 0.5, 0.7f, -1.3f);
	script_open(&centre, "easgd:alpha=0.3", 3, SERVER, 0.5, 0.1f, 0.9f);
	sent(&s, SERVER, ASK_CENTRE, 0);
	script_msg(&s, SERVER, 1, 0, 0.1f, 0.9f);
	a = sent(&s, SERVER, FORCE, 0);
	script_msg(&centre, 1, FORCE, 0, a->vec[0], a->vec[1]);
	script_grad(&s, 0.0f, 0.0f);
	for (int i = 0; i < SCRIPT_DIM; i++) {
		const float x = i ? -1.3f : 0.7f, c = i ? 0.9f : 0.1f, u = a->vec[i];

		assert_near((double)u, 0.3 * ((double)x - (double)c), 1e-7);
		assert_true(s.nd.x[i] == x - u && centre.nd.x[i] == c + u);
	}
	script_close(&s);
	script_close(&centre);
}

static void gets_centre(struct script *s, int to, int64_t stamp, float v0, float v1)
{
	const struct asked *a = sent(s, to, 1, stamp);

	assert_true(a->vec[0] == v0 && a->vec[1] == v1);
}

static void async_centre_moves_with_each_force(void **state)
{
	struct script s;

	script_open(&s, "easgd", 3, SERVER, 0.5, 1.0f, 1.0f);
	script_msg(&s, 2, ASK_CENTRE, 0, 0.0f, 0.0f);
	gets_centre(&s, 2, 0, 1.0f, 1.0f);
	script_msg(&s, 2, FORCE, 0, 1.0f, -1.0f);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	script_msg(&s, 0, ASK_CENTRE, 0, 0.0f, 0.0f);
	gets_centre(&s, 0, 1, 2.0f, 0.0f);
	script_close(&s);
}

/* All workers get the centre of the round; the next one is there when all forces are. */
static void sync_centre_moves_once_for_all(void **state)
{
	struct script s;

	script_open(&s, "easgd:form=sync", 2, SERVER, 0.5, 1.0f, 1.0f);
	for (int round = 0; round < 2; round++) {
		const float c0 = 1.0f + (float)round, c1 = 1.0f + 2.0f * (float)round;

		if (round == 0)
			script_msg(&s, 0, ASK_CENTRE, 0, 0.0f, 0.0f);
		gets_centre(&s, 0, round, c0, c1);
		script_msg(&s, 0, FORCE, round, 1.0f, 0.0f);
		script_msg(&s, 0, ASK_CENTRE, 0, 0.0f, 0.0f);
		assert_int_equal(script_next(&s)->what, ASK_NONE);
		script_msg(&s, 1, ASK_CENTRE, 0, 0.0f, 0.0f);
		gets_centre(&s, 1, round, c0, c1);
		script_msg(&s, 1, FORCE, round, 0.0f, 2.0f);
		assert_int_equal(s.nd.step, round + 1);
	}
	gets_centre(&s, 0, 2, 3.0f, 5.0f);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	script_close(&s);
}

static void with_optimiser(struct script *s, const char *text)
{
	assert_int_equal(choice_parse(&s->optim, optim_table, "optimiser", text), 0);
	s->run.optim_conf = s->optim.conf;
}

/*
 * The authors' code: w = 4, v = 0; force 2; w <- 4 - 0.5 * 2 = 3, v <- -1; w <- 3 - 2 = 1.
 * Our x looks ahead: 1 + 0.5 * -1 = 0.5. The next force is half of w, not of x.
 */
static void eamsgd_stretches_after_the_look_ahead(void **state)
{
	struct script s;

	script_open(&s, "eamsgd:alpha=0.5,tau=1", 2, 0, 0.5, 4.0f, 0.0f);
	with_optimiser(&s, "sgd:momentum=0.5,weight_decay=0");
	sent(&s, SERVER, ASK_CENTRE, 0);
	script_msg(&s, SERVER, 1, 0, 0.0f, 0.0f);
	assert_true(sent(&s, SERVER, FORCE, 0)->vec[0] == 2.0f);
	computes_at(&s, 4.0f, 0.0f);
	script_grad(&s, 2.0f, 0.0f);
	assert_true(s.nd.x[0] == 0.5f);
	sent(&s, SERVER, ASK_CENTRE, 0);
	script_msg(&s, SERVER, 1, 0, 0.0f, 0.0f);
	assert_true(sent(&s, SERVER, FORCE, 0)->vec[0] == 0.5f);
	script_close(&s);
}

static int check_of(const char *algo, int workers, const char *optim)
{
	struct script s;
	int rc;

	script_open(&s, algo, workers, SERVER, 0.5, 0.0f, 0.0f);
	with_optimiser(&s, optim);
	rc = s.run.algo->check(&s.run);
	script_close(&s);
	return rc;
}

static void senseless_settings_are_refused(void **state)
{
	capture_start();
	assert_int_equal(check_of("eamsgd", 2, "sgd"), 0);
	assert_int_equal(check_of("easgd", 2, "sgd:momentum=0"), 0);
	assert_int_equal(check_of("easgd", 2, "sgd"), 0);
	assert_int_equal(check_of("easgd:alpha=0.5", 100, "sgd"), 0);
	assert_int_equal(check_of("easgd:form=sync", 100, "sgd"), 0);
	assert_int_equal(check_of("easgd:form=sync,alpha=0.5", 3, "sgd"), 0);
	assert_string_equal(capture_text(), "");
	assert_int_equal(check_of("easgd:form=sync,alpha=0.5", 4, "sgd"), -1);
	assert_said("at most 2 / (workers + 1) = 0.4");
	assert_int_equal(check_of("eamsgd", 2, "sgd:momentum=0"), -1);
	assert_said("or easgd");
	assert_int_equal(check_of("eamsgd", 2, "sgd:nesterov=false"), -1);
	capture_stop();
}

RUN_ALL(worker_in_the_order_of_the_authors, a_force_is_of_the_model_that_it_was_sent_for,
	alpha_is_nine_tenths_over_workers, forces_are_conserved,
	async_centre_moves_with_each_force, sync_centre_moves_once_for_all,
	eamsgd_stretches_after_the_look_ahead, senseless_settings_are_refused)

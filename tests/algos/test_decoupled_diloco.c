/* The server and a worker of Decoupled DiLoCo, event by event. */
#include "core/pool/pool.h"
#include "core/problem.h"
#include "tests/support/check.h"
#include "tests/support/script.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char one[] = "decoupled-diloco:fragments=1,outer_lr=1,outer_momentum=0.5";

static void open_server(struct script *s, const char *options, int workers)
{
	char text[256];

	snprintf(text, sizeof(text), "%s%s", one, options);
	script_open(s, text, workers, SERVER, 1.0, 0.0f, 0.0f);
}

/* The worker's x = -D, after that number of steps from the model with that clock. */
static void update(struct script *s, int from, int64_t stamp, float steps, float d0, float d1)
{
	script_vec(s, from, stamp, 3, (float[]){ s->nd.x[0] - d0, s->nd.x[1] - d1, steps });
}

/* The merged model goes to all workers, in some order. */
static void assert_merged(struct script *s, int64_t stamp, double x0, double x1)
{
	bool has[8] = { false };

	for (int i = 0; i < s->nd.workers; i++) {
		const struct asked *a = script_next(s);

		assert_int_equal(a->what, ASK_SEND);
		assert_int_equal(a->msg.stamp, stamp);
		assert_near((double)a->vec[0], x0, 1e-6);
		assert_near((double)a->vec[1], x1, 1e-6);
		assert_false(has[a->to]);
		has[a->to] = true;
	}
	assert_int_equal(script_next(s)->what, ASK_NONE);
}

/* X <- -(1 + mu) D from 0 with eta = 1 and mu = 1/2, by updates of two workers. */
static void assert_average(const char *options, const float *d, float steps, const float *e,
			   float other, double d0, double d1)
{
	struct script s;

	open_server(&s, options, 2);
	update(&s, 1, 0, steps, d[0], d[1]);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	update(&s, 0, 0, other, e[0], e[1]);
	assert_merged(&s, 1, -1.5 * d0, -1.5 * d1);
	script_close(&s);
}

#define F(x, y) ((const float[]){ x, y })

static void lengths_and_directions_are_averaged(void **state)
{
	assert_average(",quorum=0", F(5, 0), 3, F(0, 5), 4, 3.0, 4.0);
	assert_average(",quorum=0,average=mean", F(5, 0), 3, F(0, 5), 4, 2.142857, 2.857143);
	assert_average(",quorum=0,weights=equal", F(3, 0), 3, F(0, 4), 4, 2.474874, 2.474874);
	assert_average(",quorum=0", F(1, 0), 3, F(-3, 0), 1, 1.5, 0.0);
	assert_average(",quorum=0,average=mean", F(1, 0), 3, F(-3, 0), 1, 0.0, 0.0);
	assert_average(",quorum=0", F(1, 0), 3, F(-1, 0), 3, 0.0, 0.0);
	/* without a direction, the mean; a vector of zeros has a length and no direction */
	assert_average(",quorum=0", F(1, 0), 2, F(-3, 0), 2, -1.0, 0.0);
	assert_average(",quorum=0", F(0, 0), 2, F(3, 4), 2, 1.5, 2.0);
	assert_average(",quorum=0", F(2, 1), 0, F(4, 4), 0, 0.0, 0.0);
}

/* 100 tokens in 10 steps weigh 100 * 100 / 10 = 1000, 50 in 5 steps of as many tokens 500. */
static void weights_are_tokens_by_tokens_a_step(void **state)
{
	assert_average(",quorum=0,average=mean", F(3, 0), 10, F(0, 3), 5, 2.0, 1.0);
}

/* The parts of each tensor are averaged on their own. */
static void tensors_are_averaged_apart(void **state)
{
	static const struct blob halves[2] = { { .offset = 0, .count = 1 },
					       { .offset = 1, .count = 1 } };
	static const struct problem two = { .dim = 2, .nblobs = 2, .blobs = halves };
	struct pool pool = { .problem = &two };
	struct script s;

	open_server(&s, ",quorum=0", 2);
	s.run.pool = &pool;
	update(&s, 0, 0, 3, 1.0f, 2.0f);
	update(&s, 1, 0, 1, -3.0f, 2.0f);
	assert_merged(&s, 1, -1.5 * 1.5, -1.5 * 2.0);
	script_close(&s);
}

/* A table of embeddings takes the mean, the tensor after it the mean length and direction. */
static void embeddings_take_the_mean(void **state)
{
	static const struct blob tensors[2] = { { .offset = 0, .count = 1, .embedding = true },
						{ .offset = 1, .count = 1 } };
	static const struct problem two = { .dim = 2, .nblobs = 2, .blobs = tensors };
	struct pool pool = { .problem = &two };
	static const char *const options[2] = { ",quorum=0", ",quorum=0,embeddings=rda" };

	for (int i = 0; i < 2; i++) {
		struct script s;

		open_server(&s, options[i], 2);
		s.run.pool = &pool;
		update(&s, 0, 0, 3, 1.0f, 1.0f);
		update(&s, 1, 0, 1, -2.0f, -2.0f);
		assert_merged(&s, 1, -1.5 * (i == 0 ? 0.25 : 1.25), -1.5 * 1.25);
		script_close(&s);
	}
}

/* The second outer step from (-4.5, -6) along (2, 0): m = (3.5, 2). */
static void outer_steps_have_momentum(void **state)
{
	struct script s;

	open_server(&s, "", 1);
	update(&s, 0, 0, 1, 3.0f, 4.0f);
	assert_merged(&s, 1, -4.5, -6.0);
	update(&s, 0, 1, 1, 2.0f, 0.0f);
	assert_merged(&s, 2, -4.5 - 2.0 - 1.75, -6.0 - 1.0);
	script_close(&s);
}

static void late_updates_are_dropped(void **state)
{
	struct script s;

	open_server(&s, ",grace=0", 3);
	update(&s, 2, 0, 1, 3.0f, 4.0f);
	assert_merged(&s, 1, -4.5, -6.0);
	update(&s, 0, 0, 1, 1.0f, 1.0f);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	assert_int_equal(s.nd.ledger.late, 1);
	assert_near((double)s.nd.x[0], -4.5, 0.0);
	update(&s, 0, 1, 1, 2.0f, 0.0f);
	assert_merged(&s, 2, -8.25, -7.0);
	script_close(&s);
}

/* What a worker sends again before the round ends replaces its first update. */
static void newer_updates_replace_older_ones(void **state)
{
	struct script s;

	open_server(&s, ",quorum=2", 3);
	update(&s, 2, 0, 1, 30.0f, 40.0f);
	update(&s, 2, 0, 2, 3.0f, 4.0f);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	update(&s, 0, 0, 1, 3.0f, 4.0f);
	assert_merged(&s, 1, -4.5, -6.0);
	script_close(&s);
}

/*
 * Turns of 24 steps of 1 s, T = 2: half of 2 s less the wait for the quorum; then the timer merges,
 * and one of an earlier round does nothing.
 */
static void grace_is_a_part_of_the_idle_time(void **state)
{
	const struct asked *a;
	struct script s;
	int token;

	open_server(&s, "", 3);
	s.now = 24.0;
	update(&s, 0, 0, 24, 3.0f, 4.0f);
	a = script_next(&s);
	assert_int_equal(a->what, ASK_TIMER);
	assert_near(a->seconds, 1.0, 1e-12);
	token = a->token;
	s.now = 24.5;
	update(&s, 1, 0, 24, 3.0f, 4.0f);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	s.now = 25.0;
	s.nd.role->timer(&s.nd, token);
	assert_merged(&s, 1, -4.5, -6.0);
	s.nd.role->timer(&s.nd, token);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	script_close(&s);

	/* q = 1.5 s of 2 s; the cap is shorter than half of the rest; all end it */
	open_server(&s, ",quorum=2,cap=0.125", 3);
	s.now = 24.0;
	update(&s, 0, 0, 24, 3.0f, 4.0f);
	s.now = 25.5;
	update(&s, 1, 0, 24, 3.0f, 4.0f);
	a = script_next(&s);
	assert_int_equal(a->what, ASK_TIMER);
	assert_near(a->seconds, 0.125, 1e-12);
	update(&s, 2, 0, 24, 3.0f, 4.0f);
	assert_merged(&s, 1, -4.5, -6.0);
	script_close(&s);
}

static void endless_grace_waits_for_all(void **state)
{
	struct script s;

	open_server(&s, ",grace=inf", 2);
	s.now = 24.0;
	update(&s, 0, 0, 24, 3.0f, 4.0f);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	update(&s, 1, 0, 24, 3.0f, 4.0f);
	assert_merged(&s, 1, -4.5, -6.0);
	script_close(&s);
}

/* ---- a worker ---- */

static void assert_sends(struct script *s, int p, int64_t stamp, double x, double steps)
{
	const struct asked *a = script_next(s);

	assert_int_equal(a->what, ASK_SEND);
	assert_int_equal(a->to, SERVER);
	assert_int_equal(a->msg.tag, p);
	assert_int_equal(a->msg.stamp, stamp);
	assert_int_equal(a->msg.n, 2);
	assert_near((double)a->vec[0], x, 1e-6);
	assert_near((double)a->vec[1], steps, 0.0);
}

static void receive(struct script *s, int p, int64_t stamp, float x)
{
	s->nd.role->msg(&s->nd, &(struct msg){ .tag = p, .from = SERVER, .stamp = stamp,
					       .vec = &x, .n = 1 });
}

/* Two fragments of one float, turns of two steps, each of which adds 1; T = 1. */
static void workers_do_not_wait(void **state)
{
	struct script s;

	script_open(&s, "decoupled-diloco:period=4,fragments=2,delay=1", 2, 1, 1.0, 0.0f, 0.0f);
	script_grads(&s, 0.0, 0.0);
	script_grad(&s, -1.0f, -1.0f);
	script_grads(&s, 1.0, 1.0);
	script_grad(&s, -1.0f, -1.0f);
	assert_sends(&s, 0, 0, 2.0, 2.0);
	script_grads(&s, 2.0, 2.0);
	receive(&s, 0, 1, 10.0f);               /* used one step after it was sent */
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	script_grad(&s, -1.0f, -1.0f);
	script_grads(&s, 10.0, 3.0);
	script_grad(&s, -1.0f, -1.0f);
	assert_sends(&s, 1, 0, 4.0, 4.0);
	script_grads(&s, 11.0, 4.0);
	script_grad(&s, -1.0f, -1.0f);
	script_grads(&s, 12.0, 5.0);
	script_grad(&s, -1.0f, -1.0f);
	assert_sends(&s, 0, 1, 13.0, 3.0);      /* steps count from the merge */
	script_grads(&s, 13.0, 6.0);
	receive(&s, 1, 2, 20.0f);               /* late: at the next step */
	script_grad(&s, -1.0f, -1.0f);
	script_grads(&s, 14.0, 20.0);
	/* others merged fragment 1 again, just before it is due here: nothing to send */
	receive(&s, 1, 4, 30.0f);
	script_grad(&s, -1.0f, -1.0f);
	script_grads(&s, 15.0, 30.0);
	script_close(&s);
}

static void without_delay_they_wait(void **state)
{
	struct script s;

	script_open(&s, "decoupled-diloco:period=2,fragments=2,delay=0,quorum=0", 2, 1, 1.0, 0.0f,
		    0.0f);
	script_grads(&s, 0.0, 0.0);
	script_grad(&s, -1.0f, -1.0f);
	assert_sends(&s, 0, 0, 1.0, 1.0);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	receive(&s, 0, 1, 10.0f);
	script_grads(&s, 10.0, 1.0);
	script_close(&s);
}

/* With its own model it asks for all fragments; else it has that of the message. */
static void returning_workers_have_all_fragments(void **state)
{
	const float fresh[2] = { 7.0f, 8.0f };
	const struct asked *a;
	struct script s;

	script_open(&s, "decoupled-diloco:period=2,fragments=2,delay=1", 2, 1, 1.0, 0.0f, 0.0f);
	script_grads(&s, 0.0, 0.0);
	s.nd.role->back(&s.nd, NULL);
	a = script_next(&s);
	assert_int_equal(a->what, ASK_SEND);
	assert_int_equal(a->msg.tag, 2);
	assert_int_equal(a->msg.n, 0);
	script_grads(&s, 0.0, 0.0);
	s.nd.role->back(&s.nd, &(struct msg){ .from = SERVER, .stamp = 9, .vec = fresh, .n = 2 });
	script_grads(&s, 7.0, 8.0);
	script_grad(&s, -1.0f, -1.0f);
	assert_sends(&s, 0, 9, 8.0, 1.0);
	script_close(&s);

	script_open(&s, "decoupled-diloco:period=2,fragments=2,delay=1", 2, SERVER, 1.0, 3.0f,
		    4.0f);
	s.nd.role->msg(&s.nd, &(struct msg){ .tag = 2, .from = 1 });
	for (int p = 0; p < 2; p++) {
		a = script_next(&s);
		assert_int_equal(a->to, 1);
		assert_int_equal(a->msg.tag, p);
		assert_near((double)a->vec[0], 3.0 + p, 0.0);
	}
	script_close(&s);
}

/*
 * Two fragments, turns of two steps of 1 s. Fragment 1 of another worker came at 4 s, after step 4
 * of its cycle; at 5 s the returning worker, which has made one step, is to go on after step 1.
 */
static void returning_workers_join_the_others_turns(void **state)
{
	const float fresh[2] = { 7.0f, 8.0f };
	struct script s;

	for (int own = 0; own < 2; own++) {
		script_open(&s, own ? "decoupled-diloco:period=4,fragments=2,delay=1,rejoin=own"
				    : "decoupled-diloco:period=4,fragments=2,delay=1", 2, SERVER,
			    1.0, 0.0f, 0.0f);
		s.nd.role->fetch(&s.nd, 1);
		assert_int_equal(script_next(&s)->msg.tag, 0);
		for (int p = 0; p < 2; p++) {
			s.now = 2.0 * (p + 1);
			s.nd.role->msg(&s.nd, &(struct msg){ .tag = p, .from = 0, .n = 2,
							     .vec = fresh });
			while (script_next(&s)->what != ASK_NONE)
				;
		}
		s.now = 5.0;
		s.nd.role->fetch(&s.nd, 1);
		assert_int_equal(script_next(&s)->msg.tag, own ? 0 : 1);
		script_close(&s);
	}

	script_open(&s, "decoupled-diloco:period=4,fragments=2,delay=1", 2, 1, 1.0, 0.0f, 0.0f);
	script_grads(&s, 0.0, 0.0);
	for (int i = 0; i < 3; i++)
		script_grad(&s, 0.0f, 0.0f);
	while (script_next(&s)->what != ASK_NONE)
		;
	s.nd.role->back(&s.nd, &(struct msg){ .tag = 3, .from = SERVER, .stamp = 9, .vec = fresh,
					      .n = 2 });
	script_grads(&s, 7.0, 8.0);
	script_grad(&s, -1.0f, -1.0f);          /* step 4 of the cycle: fragment 1 */
	assert_sends(&s, 1, 9, 9.0, 1.0);
	script_grads(&s, 8.0, 9.0);
	script_grad(&s, -1.0f, -1.0f);
	script_grads(&s, 9.0, 10.0);
	script_grad(&s, -1.0f, -1.0f);          /* step 2 of the next one: fragment 0 */
	assert_sends(&s, 0, 9, 10.0, 3.0);
	script_close(&s);
}

static void bad_settings_are_refused(void **state)
{
	static const char *const bad[][2] = {
		{ "quorum=5", "quorum = 5 of 2 workers: at most quorum=2" },
		{ "fragments=5", "fragments = 5 does not divide period = 24" },
		{ "delay=24", "at most 23" },
		{ "delay=0", "they could wait for each other forever" },
		{ "fragments=3", "the model has 2 floats" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		char text[128];
		struct script s;

		snprintf(text, sizeof(text), "decoupled-diloco:%s%s",
			 strncmp(bad[i][0], "fragments", 9) ? "fragments=1," : "", bad[i][0]);
		script_open(&s, text, 2, 0, 1.0, 0.0f, 0.0f);
		script_refuses(&s, bad[i][1]);
		script_close(&s);
	}
}

RUN_ALL(lengths_and_directions_are_averaged, weights_are_tokens_by_tokens_a_step,
	tensors_are_averaged_apart, embeddings_take_the_mean, outer_steps_have_momentum,
	late_updates_are_dropped, newer_updates_replace_older_ones,
	grace_is_a_part_of_the_idle_time, endless_grace_waits_for_all, workers_do_not_wait,
	without_delay_they_wait, returning_workers_have_all_fragments,
	returning_workers_join_the_others_turns, bad_settings_are_refused)

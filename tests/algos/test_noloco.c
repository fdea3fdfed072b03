/* A worker of NoLoCo, event by event. */
#include "tests/support/check.h"
#include "tests/support/script.h"

/* Our X = (1, 2), x - X = (-2, 0); theirs (3, 2) and (0, 2). */
static void meets_one_peer(void **state)
{
	static const float theirs[4] = { 3.0f, 2.0f, 0.0f, 2.0f };
	static const float next[4] = { 1.0f, 2.5f, 0.0f, 0.0f };
	const struct asked *a;
	struct script s;

	script_open(&s, "noloco:period=1,outer_lr=0.5,outer_momentum=0.5", 2, 1, 1.0, 1.0f, 2.0f);
	script_grads(&s, 1.0, 2.0);
	script_grad(&s, 2.0f, 0.0f);
	a = script_next(&s);
	assert_int_equal(a->what, ASK_SEND);
	assert_int_equal(a->to, 0);
	assert_int_equal(a->msg.n, 4);
	assert_memory_equal(a->vec, ((float[]){ 1.0f, 2.0f, -2.0f, 0.0f }), 4 * sizeof(float));
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	script_vec(&s, 0, 0, 4, theirs);        /* m = 0.5 (-1, 1) + 0.5 (1, 0) */
	script_grads(&s, 1.0, 2.5);

	/* what comes before we are there waits */
	script_vec(&s, 0, 1, 4, next);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	script_grad(&s, 0.0f, 1.0f);
	assert_int_equal(script_next(&s)->what, ASK_SEND);
	script_grads(&s, 1.0, 2.5);             /* m = (0, 0.25) + 0.5 (0, -0.5) */
	script_close(&s);
}

/* Every worker has one peer, which has it; of three, one is alone, and not always the same. */
static void odd_ones_stay_alone(void **state)
{
	int alone = 0;

	for (int rank = 0; rank < 3; rank++) {
		struct script s;

		script_open(&s, "noloco:period=1,outer_lr=1,outer_momentum=0", 3, rank, 1.0, 1.0f,
			    2.0f);
		script_grads(&s, 1.0, 2.0);
		script_grad(&s, 1.0f, 0.0f);
		alone += script_next(&s)->what == ASK_GRAD;
		script_close(&s);
	}
	assert_int_equal(alone, 1);
}

/* Whom a worker of 16 sends to in its first round, in a run of that seed. */
static int first_peer(int rank, uint64_t seed)
{
	const struct asked *a;
	struct script s;
	int to;

	script_open(&s, "noloco:period=1", 16, rank, 1.0, 1.0f, 2.0f);
	s.run.seed = seed;
	script_grads(&s, 1.0, 2.0);
	script_grad(&s, 1.0f, 0.0f);
	a = script_next(&s);
	assert_int_equal(a->what, ASK_SEND);
	to = a->to;
	script_close(&s);
	return to;
}

static void the_runs_seed_draws_the_pairs(void **state)
{
	int others = 0;

	for (int rank = 0; rank < 16; rank++) {
		const int peer = first_peer(rank, 1);

		assert_int_not_equal(peer, rank);
		assert_int_equal(first_peer(peer, 1), rank);
		others += first_peer(rank, 2) != peer;
	}
	assert_true(others >= 8);
}

RUN_ALL(meets_one_peer, odd_ones_stay_alone, the_runs_seed_draws_the_pairs)

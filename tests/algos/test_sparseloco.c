/* A worker of SparseLoCo, event by event: what it sends, keeps and adds. */
#include "tests/support/check.h"
#include "tests/support/script.h"

#include <string.h>

/* The bits of a word of a message. */
static uint32_t word_of(float x)
{
	uint32_t word;

	memcpy(&word, &x, sizeof(word));
	return word;
}

/* The worker's model and the message that it sends, after a step by g with rate 1. */
static const struct asked *step(struct script *s, float g0, float g1)
{
	const struct asked *a;

	script_grad(s, g0, g1);
	a = script_next(s);
	assert_int_equal(a->what, ASK_SEND);
	return a;
}

/* The message of the other worker, which makes the same steps in a node of its own. */
static void exchange(struct script *a, struct script *b, const struct asked *from_a,
		     const struct asked *from_b)
{
	const struct asked one = *from_a, other = *from_b;

	script_vec(a, b->nd.rank, other.msg.stamp, other.msg.n, other.vec);
	script_vec(b, a->nd.rank, one.msg.stamp, one.msg.n, one.vec);
}

/* Floats as they are, k = 1 of a chunk of 2: one value, and a word with its position. */
static void assert_sent(const struct asked *a, uint32_t position, double value)
{
	assert_int_equal(a->msg.n, 2);
	assert_near((double)a->vec[0], value, 1e-6);
	assert_int_equal(word_of(a->vec[1]), position);
}

/* beta = 1/2; D = (4, 1) and (2, 3), then (1, 1) and (2, 2). */
static void memory_decays_by_half(void **state)
{
	static const char text[] = "sparseloco:period=1,chunk=2,top=1,bits=32,decay=0.5";
	const struct asked *sent[2];
	struct script s[2];

	for (int i = 0; i < 2; i++) {
		script_open(&s[i], text, 2, i, 1.0, 0.0f, 0.0f);
		script_grads(&s[i], 0.0, 0.0);
	}
	sent[0] = step(&s[0], 4.0f, 1.0f);
	sent[1] = step(&s[1], 2.0f, 3.0f);
	assert_sent(sent[0], 0, 4.0);
	assert_sent(sent[1], 1, 3.0);
	exchange(&s[0], &s[1], sent[0], sent[1]);
	for (int i = 0; i < 2; i++)
		script_grads(&s[i], -2.0, -1.5);
	sent[0] = step(&s[0], 1.0f, 1.0f);
	sent[1] = step(&s[1], 2.0f, 2.0f);
	assert_sent(sent[0], 1, 1.5);           /* e was (0, 1) */
	assert_sent(sent[1], 0, 3.0);           /* e was (2, 0) */
	exchange(&s[0], &s[1], sent[0], sent[1]);
	for (int i = 0; i < 2; i++)
		script_grads(&s[i], -3.5, -2.25);
	/* e is (1, 0) and (0, 2) */
	sent[0] = step(&s[0], 0.0f, 0.0f);
	sent[1] = step(&s[1], 0.0f, 0.0f);
	assert_sent(sent[0], 0, 0.5);
	assert_sent(sent[1], 1, 1.0);
	for (int i = 0; i < 2; i++)
		script_close(&s[i]);
}

/* A message for the next round comes before ours for this one is complete. */
static void messages_of_the_next_round_wait(void **state)
{
	const float one[2] = { 1.0f, 0.0f }, two[2] = { 2.0f, 0.0f };
	struct script s;

	script_open(&s, "sparseloco:period=1,chunk=2,top=1,bits=32", 2, 0, 1.0, 0.0f, 0.0f);
	script_grads(&s, 0.0, 0.0);
	script_vec(&s, 1, 0, 2, one);
	assert_int_equal(script_next(&s)->what, ASK_NONE);
	step(&s, 3.0f, 0.0f);
	script_grads(&s, -2.0, 0.0);
	script_vec(&s, 1, 1, 2, two);
	step(&s, 4.0f, 0.0f);
	script_grads(&s, -5.0, 0.0);
	script_close(&s);
}

/*
 * Both values of a chunk of 2 in 2 bits: mean 2, deviation sqrt(2), bins of 1.5 sqrt(2), so 3 and 1
 * are in bin 2 (0.47 and -0.47 from it), whose mean is 2; the other bins are empty.
 */
static void values_of_a_bin_are_its_mean(void **state)
{
	const struct asked *a;
	struct script s;

	script_open(&s, "sparseloco:period=1,chunk=2,top=2,decay=1", 2, 0, 1.0, 0.0f, 0.0f);
	script_grads(&s, 0.0, 0.0);
	a = step(&s, 3.0f, 1.0f);
	assert_int_equal(a->msg.n, 5);
	for (int k = 0; k < 4; k++)
		assert_near((double)a->vec[k], 2.0, 1e-6);
	/* position 0 and bin 2, position 1 and bin 2, from the lowest bit on: 0 01 1 01 */
	assert_int_equal(word_of(a->vec[4]), 0 | 2u << 1 | 1u << 3 | 2u << 4);
	/* X moves by (2, 2) / 2, and what the bins left out, (1, -1), is kept */
	script_vec(&s, 1, 0, 5, (float[5]){ 0.0f });
	script_grads(&s, -1.0, -1.0);
	a = step(&s, 0.0f, 0.0f);
	assert_near((double)a->vec[2], 0.0, 1e-6);
	script_close(&s);
}

/* With 3 bits the bins are half as wide: 3 and 1 are 0.94 of one from the mean, bins 5 and 3. */
static void more_bits_are_finer(void **state)
{
	const struct asked *a;
	struct script s;

	script_open(&s, "sparseloco:period=1,chunk=2,top=2,bits=3", 2, 0, 1.0, 0.0f, 0.0f);
	script_grads(&s, 0.0, 0.0);
	a = step(&s, 3.0f, 1.0f);
	assert_int_equal(a->msg.n, 9);
	assert_near((double)a->vec[3], 1.0, 1e-6);
	assert_near((double)a->vec[5], 3.0, 1e-6);
	script_close(&s);
}

/* A damaged message has positions beyond the chunk; these are left out. */
static void damaged_messages_do_no_harm(void **state)
{
	float words[2] = { 8.0f, 0.0f };
	const uint32_t all = 0xffffffffu;
	struct script s;

	memcpy(&words[1], &all, sizeof(all));
	script_open(&s, "sparseloco:period=1,chunk=4,top=1,bits=32", 2, 0, 1.0, 0.0f, 0.0f);
	script_grads(&s, 0.0, 0.0);
	step(&s, 3.0f, 0.0f);
	script_vec(&s, 1, 0, 2, words);
	script_grads(&s, -1.5, 0.0);
	script_close(&s);
}

static void bad_settings_are_refused(void **state)
{
	struct script s;

	script_open(&s, "sparseloco:chunk=32", 2, 0, 1.0, 0.0f, 0.0f);
	script_refuses(&s, "top = 64 of the 32 floats of a chunk (chunk). Choose 32 at most.");
	script_close(&s);
	script_open(&s, "sparseloco:bits=16", 2, 0, 1.0, 0.0f, 0.0f);
	script_refuses(&s, "bits = 16 (expected 1 to 8, or 32 for floats)");
	script_close(&s);
}

RUN_ALL(memory_decays_by_half, messages_of_the_next_round_wait, values_of_a_bin_are_its_mean,
	more_bits_are_finer, damaged_messages_do_no_harm, bad_settings_are_refused)

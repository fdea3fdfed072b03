/* A worker of SparseLoCo, event by event: what it sends, keeps and adds. */
#include "core/codec.h"
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

/* A worker at whose codec we look: nd.residual is its error memory, e. */
struct sender {
	struct script s;
	float e[4];
	float codes[16];
	size_t words;
};

static void sender_open(struct sender *w, const char *text, size_t dim)
{
	memset(w, 0, sizeof(*w));
	script_open(&w->s, text, 2, 0, 1.0, 0.0f, 0.0f);
	w->s.run.dim = dim;
	w->s.nd.residual = w->e;
	w->words = codec_bytes(&w->s.run) / sizeof(float);
	assert_int_equal(codec_memory(&w->s.run), dim);
}

/* codes <- the message of the round that changed X by -d[dim]; out[dim] <- what it stands for. */
static void sender_sends(struct sender *w, const float *d, float *out)
{
	const size_t n = w->s.run.dim;

	codec_pack(&w->s.nd, n, d, w->codes);
	codec_unpack(&w->s.run, n, w->codes, out);
}

/* beta = 1/2, k = 1 of a chunk of 2, floats as they are: a value, and a word with its position. */
static void memory_decays_by_half(void **state)
{
	static const struct {
		float d[2][2], sent[2][2], e[2][2];
		double x[2];
	} round[] = {
		{ { { 4, 1 }, { 2, 3 } }, { { 4, 0 }, { 0, 3 } }, { { 0, 1 }, { 2, 0 } },
		  { -2.0, -1.5 } },
		{ { { 1, 1 }, { 2, 2 } }, { { 0, 1.5f }, { 3, 0 } }, { { 1, 0 }, { 0, 2 } },
		  { -3.5, -2.25 } },
	};
	struct sender w[2];

	for (int i = 0; i < 2; i++) {
		sender_open(&w[i], "sparseloco:period=1,chunk=2,top=1,bits=32,decay=0.5", 2);
		assert_int_equal(w[i].words, 2);
		script_grads(&w[i].s, 0.0, 0.0);
	}
	for (int r = 0; r < 2; r++) {
		float sum[2] = { 0.0f, 0.0f };

		for (int i = 0; i < 2; i++) {
			float out[2];

			sender_sends(&w[i], round[r].d[i], out);
			assert_memory_equal(out, round[r].sent[i], sizeof(out));
			assert_memory_equal(w[i].e, round[r].e[i], sizeof(out));
			assert_int_equal(word_of(w[i].codes[1]), out[1] > 0.0f);
			sum[0] += out[0];
			sum[1] += out[1];
		}
		for (int i = 0; i < 2; i++) {
			struct script *s = &w[i].s;

			script_grad(s, round[r].d[i][0], round[r].d[i][1]);
			script_allreduces(s, 2, (double[]){ (double)round[r].d[i][0],
							    (double)round[r].d[i][1] });
			script_allreduce(s, sum[0], sum[1]);
			script_grads(s, round[r].x[0], round[r].x[1]);
		}
	}
	for (int i = 0; i < 2; i++)
		script_close(&w[i].s);
}

/*
 * Both values of a chunk of 2 in 2 bits: mean 2, deviation sqrt(2), bins of 1.5 sqrt(2), so 3 and 1
 * are in bin 2 (0.47 and -0.47 from it), whose mean is 2; the other bins are empty.
 */
static void values_of_a_bin_are_its_mean(void **state)
{
	struct sender w;
	float out[2];

	sender_open(&w, "sparseloco:chunk=2,top=2,decay=1", 2);
	assert_int_equal(w.words, 5);
	sender_sends(&w, (float[]){ 3.0f, 1.0f }, out);
	for (int k = 0; k < 4; k++)
		assert_near((double)w.codes[k], 2.0, 1e-6);
	/* position 0 and bin 2, position 1 and bin 2, from the lowest bit on: 0 01 1 01 */
	assert_int_equal(word_of(w.codes[4]), 0 | 2u << 1 | 1u << 3 | 2u << 4);
	for (int k = 0; k < 2; k++) {
		assert_near((double)out[k], 2.0, 1e-6);
		assert_near((double)w.e[k], k ? -1.0 : 1.0, 1e-6);
	}
	script_close(&w.s);
}

/* With 3 bits the bins are half as wide: 3 and 1 are 0.94 of one from the mean, bins 5 and 3. */
static void more_bits_are_finer(void **state)
{
	struct sender w;
	float out[2];

	sender_open(&w, "sparseloco:chunk=2,top=2,bits=3", 2);
	assert_int_equal(w.words, 9);
	sender_sends(&w, (float[]){ 3.0f, 1.0f }, out);
	assert_near((double)w.codes[3], 1.0, 1e-6);
	assert_near((double)w.codes[5], 3.0, 1e-6);
	script_close(&w.s);
}

/* Three floats in chunks of 2: the last chunk has one, whose message is as short. */
static void last_chunk_is_shorter(void **state)
{
	struct sender w;
	float out[3];

	sender_open(&w, "sparseloco:chunk=2,top=2,bits=32", 3);
	assert_int_equal(w.words, 3 + 2);
	sender_sends(&w, (float[]){ 1.0f, -5.0f, 3.0f }, out);
	assert_memory_equal(out, ((float[]){ 1.0f, -5.0f, 3.0f }), sizeof(out));
	script_close(&w.s);
}

/* A damaged message has positions beyond the chunk; these are left out. */
static void damaged_messages_do_no_harm(void **state)
{
	const uint32_t all = 0xffffffffu;
	struct sender w;
	float out[3];

	sender_open(&w, "sparseloco:chunk=4,top=1,bits=32", 3);
	w.codes[0] = 8.0f;
	memcpy(&w.codes[1], &all, sizeof(all));
	codec_unpack(&w.s.run, 3, w.codes, out);
	for (int k = 0; k < 3; k++)
		assert_near((double)out[k], 0.0, 0.0);
	script_close(&w.s);
}

/* A worker that was away begins a round from a member's X, with its own error memory. */
static void returns_to_the_common_model(void **state)
{
	const float model[4] = { 5.0f, 6.0f };  /* and the momentum */
	struct sender w;

	sender_open(&w, "sparseloco:period=1,chunk=2,top=1,bits=32", 2);
	w.e[1] = 7.0f;
	script_grads(&w.s, 0.0, 0.0);
	script_grad(&w.s, 1.0f, 1.0f);
	script_next(&w.s);
	w.s.nd.role->back(&w.s.nd, &(struct msg){ .stamp = 9, .vec = model, .n = 4 });
	script_grads(&w.s, 5.0, 6.0);
	assert_int_equal(w.s.nd.step, 9);
	assert_near((double)w.e[1], 7.0, 0.0);
	w.s.nd.role->fetch(&w.s.nd, 1);
	script_sends(&w.s, 1, 9, 5.0, 6.0);
	script_close(&w.s);
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

RUN_ALL(memory_decays_by_half, values_of_a_bin_are_its_mean, more_bits_are_finer,
	last_chunk_is_shorter, damaged_messages_do_no_harm, returns_to_the_common_model,
	bad_settings_are_refused)

/* Codes of a few bits: onebit, terngrad, qsgd, e3m0, by hand and on the average. */
#include "core/math/rng.h"
#include "tests/support/check.h"
#include "tests/support/coded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static float number(const struct coded *k, size_t i)
{
	float x;

	memcpy(&x, k->codes + i, sizeof(x));
	return x;
}

static void assert_decodes(const struct coded *k, const float *want)
{
	float out[64];

	assert_true(k->p.n <= 64);
	coded_decode(k, out);
	for (size_t i = 0; i < k->p.n; i++)
		if (out[i] != want[i])
			fail_msg("float %zu is %g, not %g", i, (double)out[i], (double)want[i]);
}

/* Two layers, of 3 and 2 floats; the second has none that is not below 0. */
static void a_bit_stands_for_its_sides_mean(void **state)
{
	static const struct blob layers[2] = { { .offset = 0, .count = 3 },
					       { .offset = 3, .count = 2 } };
	const float v[5] = { 1.0f, 3.0f, -2.0f, -1.0f, -5.0f };
	const float want[5] = { 2.0f, 2.0f, -2.0f, -3.0f, -3.0f };
	struct coded k;

	coded_layers(&k, "onebit", 5, 2, layers);
	assert_int_equal(k.words, 4 + 1);
	coded_encode(&k, v);
	assert_true(number(&k, 0) == -2.0f && number(&k, 1) == 2.0f);
	assert_true(number(&k, 2) == -3.0f && number(&k, 3) == 0.0f);
	assert_int_equal(k.codes[4], 0x3);
	assert_decodes(&k, want);
	coded_close(&k);
}

/* Layers that end within blocks and words, one of them empty, against sums by hand. */
static void layers_need_not_end_with_words(void **state)
{
	enum { N = 5000, LAYERS = 5 };
	static const struct blob layers[LAYERS] = { { .offset = 0 }, { .offset = 37 },
						    { .offset = 37 }, { .offset = 4100 },
						    { .offset = 4999 } };
	static float v[N], out[N];
	struct coded k;

	for (size_t i = 0; i < N; i++)
		v[i] = (float)((int)(i * 7 % 13) - 6);
	coded_layers(&k, "onebit", N, LAYERS, layers);
	assert_int_equal(k.words, 2 * LAYERS + (N + 31) / 32);
	coded_encode(&k, v);
	coded_decode(&k, out);
	for (size_t l = 0; l < LAYERS; l++) {
		const size_t first = layers[l].offset, end = codec_layer_end(&k.p, l);
		double sum[2] = { 0.0 }, n[2] = { 0.0 };

		for (size_t i = first; i < end; i++) {
			sum[v[i] >= 0.0f] += (double)v[i];
			n[v[i] >= 0.0f] += 1.0;
		}
		for (size_t i = first; i < end; i++)
			assert_near((double)out[i], sum[v[i] >= 0.0f] / n[v[i] >= 0.0f], 1e-6);
	}
	coded_close(&k);
}

/* Floats that are 0 or the largest leave nothing to chance. */
static void three_values_and_their_scale(void **state)
{
	const float v[4] = { 4.0f, -4.0f, 0.0f, 4.0f };
	struct coded k;

	coded_open(&k, "terngrad:clip=0", 4);
	assert_int_equal(k.words, 2);
	for (int draw = 0; draw < 100; draw++) {
		coded_encode(&k, v);
		assert_true(number(&k, 0) == 4.0f);
		assert_int_equal(k.codes[1], 0x49);
		assert_decodes(&k, v);
	}
	coded_close(&k);
}

/* The root mean square is 2.5. */
static void outliers_are_clipped(void **state)
{
	const float v[16] = { [3] = -10.0f }, want[16] = { [3] = -6.25f };
	struct coded k;

	coded_open(&k, "terngrad", 16);
	coded_encode(&k, v);
	assert_decodes(&k, want);
	coded_close(&k);
}

/* Four levels of a norm of 2: halves are level 2, and nothing is left to chance. */
static void levels_of_the_norm(void **state)
{
	const float v[7] = { 1.0f, -1.0f, 1.0f, -1.0f, 0.0f, -8.0f, 0.0f };
	struct coded k;

	coded_open(&k, "qsgd:levels=4,bucket=4", 7);
	assert_int_equal(k.words, 2 + 1);
	coded_encode(&k, v);
	assert_true(number(&k, 0) == 2.0f && number(&k, 1) == 8.0f);
	assert_int_equal(k.codes[2], 0x00c0a2a2);
	assert_decodes(&k, v);
	coded_close(&k);
}

/* Powers of two below the largest, to the nearest; from 2^-7 on they are not 0. */
static void signs_and_exponents(void **state)
{
	const float v[9] = { 1.0f, -0.5f, 0.74f, 0.75f, 0x1p-7f, 0.007f, -1.0f, 0.1f, -3.0f };
	const float want[9] = { 1.0f, -0.5f, 0.5f, 1.0f, 0x1p-6f, 0.0f, -1.0f, 0.125f, -3.0f };
	struct coded k;

	coded_open(&k, "e3m0:bucket=8", 9);
	assert_int_equal(k.words, 2 + 2);
	coded_encode(&k, v);
	assert_true(number(&k, 0) == 1.0f && number(&k, 1) == 3.0f);
	assert_int_equal(k.codes[2], 0x4f0176e7);
	assert_int_equal(k.codes[3], 0xf);
	assert_decodes(&k, want);
	coded_close(&k);
}

static void codes_do_not_straddle_words(void **state)
{
	static const struct {
		const char *codec;
		size_t words;
	} all[] = {
		{ "qsgd:levels=1,bucket=1000", 1 + 63 },        /* 2 bits: 16 in a word */
		{ "qsgd:levels=3,bucket=1000", 1 + 100 },       /* 3 bits: 10 */
		{ "qsgd:levels=7,bucket=512", 2 + 125 },        /* 4 bits: 8 */
		{ "qsgd:levels=15,bucket=1", 1000 + 167 },      /* 5 bits: 6 */
		{ "qsgd:levels=31,bucket=999", 2 + 200 },       /* 6 bits: 5 */
		{ "qsgd:levels=63,bucket=1e6", 1 + 250 },       /* 7 bits: 4 */
		{ "qsgd:levels=127,bucket=1000", 1 + 250 },     /* 8 bits: 4 */
		{ "terngrad", 1 + 63 }, { "onebit", 2 + 32 }, { "topk:ratio=0.0501", 2 * 50 },
		{ "topk:ratio=1e-9", 2 }, { "fp16", 500 }, { "bf16", 500 },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct coded k;

		coded_open(&k, all[i].codec, 1000);
		assert_int_equal(k.words, all[i].words);
		coded_close(&k);
	}
}

/*
 * Mean of many draws, within five of its standard errors. Floats are not near 0, where it would
 * take more draws to see one.
 */
static void assert_unbiased(const char *codec, size_t n)
{
	enum { DRAWS = 4000 };
	struct coded k;
	struct rng r;
	float *v = calloc(n, sizeof(*v)), *out = calloc(n, sizeof(*out));
	double *sum = calloc(n, sizeof(*sum)), *squares = calloc(n, sizeof(*squares));

	rng_at(&r, 1, RNG_DATA, 0, 0);
	for (size_t i = 0; i < n; i++) {
		v[i] = (float)rng_normal(&r);
		v[i] += v[i] < 0.0f ? -0.5f : 0.5f;
	}
	coded_open(&k, codec, n);
	for (int d = 0; d < DRAWS; d++) {
		coded_encode(&k, v);
		coded_decode(&k, out);
		for (size_t i = 0; i < n; i++) {
			sum[i] += (double)out[i];
			squares[i] += (double)out[i] * (double)out[i];
		}
	}
	for (size_t i = 0; i < n; i++) {
		const double mean = sum[i] / DRAWS;
		const double deviation = sqrt(fmax(squares[i] / DRAWS - mean * mean, 0.0));

		if (fabs(mean - (double)v[i]) > 5.0 * deviation / sqrt(DRAWS) + 1e-6)
			fail_msg("%s: float %zu is %g, its mean %g", codec, i, (double)v[i], mean);
	}
	coded_close(&k);
	free(v);
	free(out);
	free(sum);
	free(squares);
}

static void rounding_at_random_is_unbiased(void **state)
{
	assert_unbiased("terngrad:clip=0", 100);
	assert_unbiased("qsgd", 600);
	assert_unbiased("qsgd:levels=1,bucket=7", 50);
	assert_unbiased("qsgd:levels=100,bucket=64", 64);
}

/* Random numbers are at an address: they follow seed, rank and count, and nothing else. */
static void draws_are_addressed(void **state)
{
	enum { N = 5000 };
	static float v[N];
	struct coded k;
	uint32_t first[N], other[N];

	for (size_t i = 0; i < N; i++)
		v[i] = (float)(i % 17) - 8.0f;
	coded_open(&k, "terngrad", N);
	coded_encode(&k, v);
	memcpy(first, k.codes, k.words * sizeof(*first));
	coded_encode(&k, v);
	memcpy(other, k.codes, k.words * sizeof(*other));
	assert_memory_not_equal(first, other, k.words * sizeof(*first));
	/* the second block does not repeat the first */
	assert_memory_not_equal(first + 1, first + 1 + 128, 64);
	k.p.count = 0;
	coded_encode(&k, v);
	assert_memory_equal(first, k.codes, k.words * sizeof(*first));
	k.p.count = 0;
	k.p.rank = 2;
	coded_encode(&k, v);
	assert_memory_not_equal(first, k.codes, k.words * sizeof(*first));
	coded_close(&k);
}

static void filling_is_drawing(void **state)
{
	struct rng r;
	uint32_t words[11];

	rng_fill(5, RNG_CODEC, 3, 77, 11, words);
	rng_at(&r, 5, RNG_CODEC, 3, 77);
	for (int i = 0; i < 11; i++)
		assert_int_equal(words[i], rng_u32(&r));
}

RUN_ALL(a_bit_stands_for_its_sides_mean, layers_need_not_end_with_words,
	three_values_and_their_scale, outliers_are_clipped, levels_of_the_norm, signs_and_exponents,
	codes_do_not_straddle_words, rounding_at_random_is_unbiased, draws_are_addressed,
	filling_is_drawing)

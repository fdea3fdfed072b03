/* The largest floats by hand, error feedback, and vectors and codes of any bits. */
#include "core/base/mem.h"
#include "core/math/rng.h"
#include "tests/support/check.h"
#include "tests/support/coded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const codecs[] = { "fp16", "bf16", "onebit", "terngrad", "terngrad:clip=0",
				      "qsgd", "qsgd:levels=127,bucket=3", "qsgd:levels=2",
				      "topk", "topk:ratio=0.3", "topk:ratio=1", "e3m0",
				      "e3m0:bucket=3" };

enum { CODECS = sizeof(codecs) / sizeof(codecs[0]), N = 1000 };

/* Three are equal, and the first two of them go. */
static void the_largest_go_with_their_indices(void **state)
{
	const float v[5] = { 1.0f, -3.0f, 2.0f, 3.0f, -3.0f };
	const float want[5] = { 0.0f, -3.0f, 0.0f, 3.0f, 0.0f };
	const float values[2] = { -3.0f, 3.0f };
	struct coded k;
	float out[5];

	coded_open(&k, "topk:ratio=0.4", 5);
	assert_int_equal(k.words, 4);
	coded_encode(&k, v);
	assert_int_equal(k.codes[0], 1);
	assert_int_equal(k.codes[1], 3);
	assert_memory_equal(k.codes + 2, values, sizeof(values));
	coded_decode(&k, out);
	assert_memory_equal(out, want, sizeof(want));
	coded_close(&k);
}

/* As many as the decimal digits say, which 0.29 * 100 in binary does not; a part of one is none. */
static void a_ratio_is_of_decimal_digits(void **state)
{
	static const struct {
		const char *codec;
		size_t n, kept;
	} all[] = {
		{ "topk:ratio=0.29", 100, 29 }, { "topk:ratio=0.57", 100, 57 },
		{ "topk:ratio=0.0506", 1000, 50 },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct coded k;

		coded_open(&k, all[i].codec, all[i].n);
		assert_int_equal(k.words, 2 * all[i].kept);
		coded_close(&k);
	}
}

static int by_magnitude(const void *a, const void *b)
{
	const float x = fabsf(*(const float *)a), y = fabsf(*(const float *)b);

	return (x < y) - (x > y);
}

/* Magnitudes that differ in high bits, in low ones, and not at all. */
static void selection_is_that_of_a_sort(void **state)
{
	float v[N], sorted[N], out[N];
	struct coded k;
	struct rng r;

	rng_at(&r, 4, RNG_DATA, 0, 0);
	coded_open(&k, "topk:ratio=0.137", N);
	for (int round = 0; round < 60; round++) {
		size_t kept = 0;

		for (size_t i = 0; i < N; i++)
			v[i] = round % 3 == 0   ? (float)exp(20.0 * rng_normal(&r))
			       : round % 3 == 1 ? (float)(1.0 + 1e-6 * rng_normal(&r))
						: (float)rng_below(&r, 4) - 2.0f;
		memcpy(sorted, v, sizeof(v));
		qsort(sorted, N, sizeof(*sorted), by_magnitude);
		coded_encode(&k, v);
		coded_decode(&k, out);
		for (size_t i = 0; i < N; i++) {
			kept += out[i] != 0.0f;
			if (fabsf(v[i]) > fabsf(sorted[137]))
				assert_true(out[i] == v[i]);
			if (fabsf(v[i]) < fabsf(sorted[136]))
				assert_true(out[i] == 0.0f);
		}
		assert_int_equal(kept, 137);
	}
	coded_close(&k);
}

/* What was sent and what is left add up to the gradients, and what is left stays bounded. */
static void assert_nothing_is_lost(const char *text)
{
	struct problem problem = { .dim = N };
	struct pool pool = { .problem = &problem };
	struct coded k;
	struct rng r;
	double given[N] = { 0.0 }, sent[N] = { 0.0 };
	float g[N], out[N], residual[N] = { 0.0f };

	coded_open(&k, text, N);

	const struct run run = { .dim = N, .seed = 1, .pool = &pool, .codec = k.codec,
				 .codec_conf = k.choice.conf };
	struct node nd = { .rank = 2, .dim = N, .run = &run, .residual = residual };

	assert_int_equal(codec_memory(&run), N);
	assert_int_equal(codec_bytes(&run), 4 * k.words);
	rng_at(&r, 6, RNG_DATA, 0, 0);
	for (int step = 0; step < 300; step++) {
		for (size_t i = 0; i < N; i++)
			given[i] += (double)(g[i] = (float)rng_normal(&r) + 0.25f);
		codec_pack(&nd, N, g, k.codes);
		codec_unpack(&run, N, k.codes, out);
		for (size_t i = 0; i < N; i++)
			sent[i] += (double)out[i];
	}
	assert_int_equal(nd.packed, 300);
	for (size_t i = 0; i < N; i++) {
		assert_near(sent[i] + (double)residual[i], given[i], 2e-3);
		assert_true(fabsf(residual[i]) < 60.0f);
	}
	coded_close(&k);
}

static void errors_are_fed_back(void **state)
{
	assert_nothing_is_lost("onebit");
	assert_nothing_is_lost("topk:ratio=0.1");
}

static void others_remember_nothing(void **state)
{
	for (int i = 0; i < CODECS; i++) {
		struct coded k;

		coded_open(&k, codecs[i], 1);

		const struct run run = { .dim = 7, .codec = k.codec, .codec_conf = k.choice.conf };

		assert_int_equal(codec_memory(&run), k.codec->feedback ? 7 : 0);
		assert_true(k.codec->feedback == !strncmp(codecs[i], "topk", 4) ||
			    !strcmp(codecs[i], "onebit"));
		coded_close(&k);
	}
}

/* Floats of any bits; and nothing of them is left in what comes next. */
static void any_float_can_be_packed(void **state)
{
	struct rng r;
	float v[N], out[N];

	rng_at(&r, 8, RNG_DATA, 0, 0);
	for (int i = 0; i < CODECS; i++)
		for (size_t n = 1; n < N; n += 37) {
			struct coded k;

			coded_open(&k, codecs[i], n);
			for (size_t j = 0; j < n; j++) {
				const uint32_t bits = rng_u32(&r);

				memcpy(&v[j], &bits, sizeof(bits));
			}
			coded_encode(&k, v);
			coded_decode(&k, out);
			memset(v, 0, sizeof(v));
			coded_encode(&k, v);
			coded_decode(&k, out);
			for (size_t j = 0; j < n; j++)
				assert_true(out[j] == 0.0f);
			coded_close(&k);
		}
}

/* A gradient that is not finite does not become one that is. */
static void what_is_not_finite_is_seen(void **state)
{
	const float bad[] = { NAN, INFINITY, -INFINITY };

	for (int i = 0; i < CODECS; i++)
		for (int b = 0; b < 3; b++) {
			float v[8] = { 1.0f, 2.0f, bad[b], -1.0f }, out[8];
			struct coded k;
			bool seen = false;

			coded_open(&k, codecs[i], 8);
			coded_encode(&k, v);
			coded_decode(&k, out);
			for (int j = 0; j < 8; j++)
				seen |= !isfinite(out[j]);
			assert_true(seen);
			coded_close(&k);
		}
}

/* Codes of any bits leave what lies around the vector alone, and nothing else is read. */
static void any_codes_can_be_added(void **state)
{
	struct rng r;

	rng_at(&r, 10, RNG_DATA, 0, 0);
	for (int i = 0; i < CODECS; i++)
		for (size_t n = 1; n < 200; n += 7) {
			float *v = xcalloc(n, sizeof(*v));
			struct coded k;

			coded_open(&k, codecs[i], n);
			for (size_t w = 0; w < k.words; w++)
				k.codes[w] = rng_u32(&r);
			coded_decode(&k, v);
			coded_close(&k);
			free(v);
		}
}

/* Adding with a = -1 takes away exactly what a = 1 adds. */
static void adding_can_be_undone(void **state)
{
	struct rng r;
	float v[N], out[N];

	rng_at(&r, 12, RNG_DATA, 0, 0);
	for (size_t i = 0; i < N; i++)
		v[i] = (float)rng_normal(&r);
	for (int i = 0; i < CODECS; i++) {
		struct coded k;

		coded_open(&k, codecs[i], N);
		coded_encode(&k, v);
		coded_decode(&k, out);
		k.codec->add(k.choice.conf, &k.p, k.codes, -1.0f, out);
		for (size_t j = 0; j < N; j++)
			assert_true(out[j] == 0.0f);
		coded_close(&k);
	}
}

RUN_ALL(the_largest_go_with_their_indices, a_ratio_is_of_decimal_digits,
	selection_is_that_of_a_sort, errors_are_fed_back,
	others_remember_nothing, any_float_can_be_packed, what_is_not_finite_is_seen,
	any_codes_can_be_added, adding_can_be_undone)

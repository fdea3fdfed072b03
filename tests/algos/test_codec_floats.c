/* fp16 and bf16, by hand. */
#include "tests/support/check.h"
#include "tests/support/coded.h"

#include <float.h>
#include <math.h>

struct rounding {
	float x;
	unsigned code;
};

static uint16_t code_at(const struct coded *k, size_t i)
{
	return ((const uint16_t *)(const void *)k->codes)[i];
}

static void assert_codes(const char *codec, const struct rounding *all, size_t n)
{
	struct coded k;
	float v[64];

	assert_true(n <= 64);
	coded_open(&k, codec, n);
	for (size_t i = 0; i < n; i++)
		v[i] = all[i].x;
	coded_encode(&k, v);
	for (size_t i = 0; i < n; i++)
		if (code_at(&k, i) != all[i].code)
			fail_msg("%s: %.9g becomes %04x, not %04x", codec, (double)all[i].x,
				 code_at(&k, i), all[i].code);
	coded_close(&k);
}

static void half_precision_rounds_to_even(void **state)
{
	static const struct rounding all[] = {
		{ 0.0f, 0x0000 }, { -0.0f, 0x8000 }, { 1.0f, 0x3c00 }, { -2.0f, 0xc000 },
		{ 0.1f, 0x2e66 }, { 65504.0f, 0x7bff },
		{ 0x1.002p0f, 0x3c00 }, { 0x1.006p0f, 0x3c02 }, { 0x1.002002p0f, 0x3c01 },
		/* the largest; what rounds to more, or is more, stays there */
		{ 65519.0f, 0x7bff }, { 65520.0f, 0x7bff }, { -65536.0f, 0xfbff },
		{ FLT_MAX, 0x7bff }, { INFINITY, 0x7c00 }, { -INFINITY, 0xfc00 }, { NAN, 0x7e00 },
		/* subnormal */
		{ 0x1p-14f, 0x0400 }, { 0x1.ff8p-15f, 0x03ff }, { 0x1.ffcp-15f, 0x0400 },
		{ 0x1p-24f, 0x0001 }, { -0x1p-24f, 0x8001 }, { 0x1p-25f, 0x0000 },
		{ 0x1.000002p-25f, 0x0001 }, { 0x1.8p-24f, 0x0002 }, { 0x1p-149f, 0x0000 },
	};

	assert_codes("fp16", all, sizeof(all) / sizeof(all[0]));
}

static void bfloat_rounds_to_even(void **state)
{
	static const struct rounding all[] = {
		{ 0.0f, 0x0000 }, { 1.0f, 0x3f80 }, { -2.0f, 0xc000 },
		{ 0x1.01p0f, 0x3f80 }, { 0x1.03p0f, 0x3f82 }, { 0x1.010002p0f, 0x3f81 },
		{ FLT_MAX, 0x7f7f }, { -FLT_MAX, 0xff7f }, { INFINITY, 0x7f80 },
		{ -INFINITY, 0xff80 }, { NAN, 0x7fc0 },
		{ 0x1p-126f, 0x0080 }, { 0x1p-133f, 0x0001 }, { 0x1p-134f, 0x0000 },
		{ 0x1.8p-133f, 0x0002 }, { 0x1p-149f, 0x0000 },
	};

	assert_codes("bf16", all, sizeof(all) / sizeof(all[0]));
}

/* All 65,536 codes but those of NaN stand for numbers that have them. */
static void every_code_comes_back(void **state)
{
	static const char *const codecs[] = { "fp16", "bf16" };
	static float v[65536];

	for (size_t c = 0; c < 2; c++) {
		struct coded k;

		coded_open(&k, codecs[c], 65536);
		for (size_t i = 0; i < 65536; i++)
			((uint16_t *)(void *)k.codes)[i] = (uint16_t)i;
		coded_decode(&k, v);
		coded_encode(&k, v);
		for (size_t i = 0; i < 65536; i++)
			if (i != 0x8000 && !isnan(v[i]))
				assert_int_equal(code_at(&k, i), i);
		coded_close(&k);
	}
}

/* An odd length is filled up with zeros to a whole word. */
static void two_bytes_a_float(void **state)
{
	const float v[3] = { 1.0f, 2.0f, -1.5f };
	struct coded k;
	float out[3];

	coded_open(&k, "fp16", 3);
	assert_int_equal(k.words, 2);
	coded_encode(&k, v);
	assert_int_equal(k.codes[1] >> 16, 0);
	coded_decode(&k, out);
	assert_memory_equal(v, out, sizeof(v));
	coded_close(&k);
}

RUN_ALL(half_precision_rounds_to_even, bfloat_rounds_to_even, every_code_comes_back,
	two_bytes_a_float)

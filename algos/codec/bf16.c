/*
 * bf16.c - bfloat16: the upper half of a float, 8 bits of exponent, 7 of fraction.
 *
 * Rounded to nearest, and to even in the middle. A finite number that would round to infinity
 * becomes the largest number, 3.39e38; infinities and NaN are unchanged.
 */
#include "core/codec.h"
#include "core/math/bits.h"
#include "core/math/wide.h"

enum { BF16_F32_INF = 255 << 23, BF16_NAN = 0x7fc0, BF16_MAX = 0x7f7f };

static inline uint16_t round_to_bf16(float x)
{
	const uint32_t all = float_bits(x), bits = all & 0x7fffffff;
	const uint32_t even = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
	const uint32_t finite = even > BF16_MAX ? BF16_MAX : even;
	const uint32_t rest = bits > BF16_F32_INF ? BF16_NAN :
			      bits == BF16_F32_INF ? BF16_F32_INF >> 16 : finite;

	return (uint16_t)(rest | (all >> 16 & 0x8000));
}

static inline float bf16_widen(uint16_t upper)
{
	return float_of_bits((uint32_t)upper << 16);
}

static size_t bf16_words(const void *conf, size_t n, size_t nlayers)
{
	(void)conf, (void)nlayers;
	return (n + 1) / 2;
}

WIDE static void bf16_encode(const void *conf, const struct codec_input *p, const float *v,
			     void *codes)
{
	uint16_t *upper = codes;

	(void)conf;
	for (size_t i = 0; i < p->n; i++)
		upper[i] = round_to_bf16(v[i]);
	if (p->n % 2)
		upper[p->n] = 0;
}

WIDE static void bf16_add(const void *conf, const struct codec_input *p, const void *codes, float a,
			  float *v)
{
	const uint16_t *upper = codes;

	(void)conf;
	for (size_t i = 0; i < p->n; i++)
		v[i] += a * bf16_widen(upper[i]);
}

const struct codec codec_bf16 = {
	.plugin = { .name = "bf16", .brief = "2 bytes a float: bfloat16, the range of f32",
		    .also = "bfloat16",
		    .cite = "Wang, Kanwar 2019 (bfloat16)" },
	.keeps_norms = true, .float_bytes = 2,
	.words = bf16_words, .encode = bf16_encode, .add = bf16_add,
};

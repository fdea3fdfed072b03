/*
 * fp16.c - IEEE 754 half precision: 5 bits of exponent, 10 of fraction.
 *
 * Rounded to nearest, and to even in the middle, subnormal numbers too. A finite number beyond
 * 65504, the largest one, becomes 65504; infinities and NaN are unchanged.
 */
#include "core/codec.h"
#include "core/math/bits.h"
#include "core/math/wide.h"

enum {
	FP16_F32_INF = 255 << 23,
	F16_INF = 0x7c00,
	F16_NAN = 0x7e00,
	F16_MAX = 0x7bff,
	NORMAL = 113 << 23,    /* 2^-14, f16's smallest normal number, as f32 */
	TOO_LARGE = 143 << 23, /* 2^16 */
	HALF = 126 << 23,      /* 0.5, whose last bit is worth f16's smallest number */
	REBIAS = 112 << 23     /* difference of the exponents' biases */
};

/* All ones if `so` is 1, else 0. */
static inline uint32_t fp16_mask(int so)
{
	return -(uint32_t)so;
}

/* Computes all cases and selects one by masks, so that loops over it have no branches. */
static inline uint16_t round_to_half(float x)
{
	const uint32_t all = float_bits(x), bits = all & 0x7fffffff;
	const uint32_t small = float_bits(float_of_bits(bits) + float_of_bits(HALF)) - HALF;
	const uint32_t even = (bits - REBIAS + 0xfff + (bits >> 13 & 1)) >> 13;
	const uint32_t normal = even > F16_MAX ? F16_MAX : even;
	const uint32_t large = bits > FP16_F32_INF  ? F16_NAN :
			       bits == FP16_F32_INF ? F16_INF :
						      F16_MAX;
	const uint32_t is_small = fp16_mask(bits < NORMAL), is_large = fp16_mask(bits >= TOO_LARGE);

	return (uint16_t)((small & is_small) | (normal & ~(is_small | is_large)) |
			  (large & is_large) | (all >> 16 & 0x8000));
}

static inline float fp16_widen(uint16_t half)
{
	const uint32_t rest = half & 0x7fff, sign = (uint32_t)(half & 0x8000) << 16;
	const uint32_t finite = float_bits(float_of_bits(rest << 13) * 0x1p112f);

	return float_of_bits(finite | (fp16_mask(rest >= F16_INF) & FP16_F32_INF) | sign);
}

static size_t fp16_words(const void *conf, size_t n, size_t nlayers)
{
	(void)conf, (void)nlayers;
	return (n + 1) / 2;
}

WIDE static void fp16_encode(const void *conf, const struct codec_input *p, const float *v,
			     void *codes)
{
	uint16_t *half = codes;

	(void)conf;
	for (size_t i = 0; i < p->n; i++)
		half[i] = round_to_half(v[i]);
	if (p->n % 2)
		half[p->n] = 0;
}

WIDE static void fp16_add(const void *conf, const struct codec_input *p, const void *codes, float a,
			  float *v)
{
	const uint16_t *half = codes;

	(void)conf;
	for (size_t i = 0; i < p->n; i++)
		v[i] += a * fp16_widen(half[i]);
}

const struct codec codec_fp16 = {
	.plugin = { .name = "fp16", .brief = "2 bytes a float: half precision, to 65504",
		    .also = "half, float16",
		    .cite = "IEEE 754-2008, binary16" },
	.keeps_norms = true, .float_bytes = 2,
	.words = fp16_words, .encode = fp16_encode, .add = fp16_add,
};

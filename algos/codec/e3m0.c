/*
 * e3m0.c - 4 bits a float: a sign and 3 bits of exponent, below the largest of its bucket.
 *
 *     s = max |g_i| of the bucket;   C(g)_i = sign(g_i) s 2^(e - 7),  e = 1 ... 7, or 0 for e = 0
 *
 * Each float becomes the nearest of these values, of two equally near the larger. All of a bucket
 * becomes NaN if one of its floats is not finite. Codes are decoded before they are added.
 *
 * Paper: Douillard et al. 2025 (E3M0 for outer gradients); the bucket's scale is ours.
 */
#include "algos/codec/fixed.h"
#include "core/math/wide.h"

#include <math.h>

enum { WIDTH = 4, TOP = 7, SIGN = 8 };  /* bits of a code; largest e; the bit of the sign */

struct e3m0_conf {
	int64_t bucket;
};

static void e3m0_measure(const void *conf, size_t n, const float *v, float *numbers)
{
	float most = 0.0f;

	(void)conf;
	for (size_t i = 0; i < n; i++) {
		const float size = fixed_size_of(v[i]);

		most = isfinite(size) && isfinite(most) ? fmaxf(size, most) : NAN;
	}
	numbers[0] = most;
}

/*
 * Codes |v| by e, the number of midpoints between neighbouring values (s 2^-7, s 3 2^-7 ... s 3
 * 2^-2) that are not above |v|.
 */
WIDE static void e3m0_round(size_t n, float s, const float *v, uint8_t *code)
{
	for (size_t i = 0; i < n; i++) {
		const float size = fixed_size_of(v[i]);
		uint32_t e = size > 0.0f && size >= s * 0x1p-7f;

		for (int k = 1; k < TOP; k++)
			e += size >= s * (0.75f * (float)(1 << k) * 0x1p-6f);
		code[i] = (uint8_t)(e | (float_bits(v[i]) >> 31 ? SIGN : 0u));
	}
}

static void e3m0_quantise(const void *conf, const float *numbers, size_t n, const float *v,
			  const float *u, uint8_t *code)
{
	(void)conf, (void)u;
	e3m0_round(n, numbers[0], v, code);
}

static void e3m0_values(const void *conf, const float *numbers, float *value)
{
	(void)conf;
	for (int e = 0; e <= TOP; e++) {
		value[e] = e == 0 ? 0.0f * numbers[0] : ldexpf(numbers[0], e - TOP);
		value[e | SIGN] = -value[e];
	}
}

static const struct fixed e3m0_fixed = {
	.numbers = 1,
	.measure = e3m0_measure,
	.quantise = e3m0_quantise,
	.values = e3m0_values,
};

static struct fixed_form e3m0_form(const void *conf)
{
	const struct e3m0_conf *c = conf;

	return (struct fixed_form){ .width = WIDTH, .stretch = (size_t)c->bucket };
}

static size_t e3m0_words(const void *conf, size_t n, size_t nlayers)
{
	return fixed_words(&e3m0_fixed, e3m0_form(conf), n, nlayers);
}

static void e3m0_encode(const void *conf, const struct codec_input *p, const float *v, void *codes)
{
	fixed_encode(&e3m0_fixed, e3m0_form(conf), conf, p, v, codes);
}

static void e3m0_add(const void *conf, const struct codec_input *p, const void *codes, float a,
		     float *v)
{
	fixed_add(&e3m0_fixed, e3m0_form(conf), conf, p, codes, a, v);
}

static const struct opt e3m0_opts[] = { OPT_NUMBER(struct e3m0_conf, bucket, "512",
						   "floats that share a scale", "N", 1, 1 << 30),
					{ 0 } };

const struct codec codec_e3m0 = {
	.plugin = { .name = "e3m0",
		    .brief = "4 bits a float: a sign and a power of two below the bucket's largest",
		    .cite = "Douillard et al. 2025, arXiv 2501.18512",
		    .opts = e3m0_opts,
		    .conf_size = sizeof(struct e3m0_conf) },
	.words = e3m0_words, .encode = e3m0_encode, .add = e3m0_add,
};

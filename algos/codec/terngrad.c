/*
 * terngrad.c - every float becomes 0 or plus or minus its layer's scale, at random.
 *
 *     c_i = g_i, clipped to [-clip sigma, clip sigma];   s = max_i |c_i|  of the layer
 *     C(g)_i = s sign(g_i) b_i,   b_i = 1 with probability |c_i| / s, else 0
 *
 * so that the mean of C(g) is c. sigma is the root mean square of the layer's g, which is its
 * deviation if its mean is 0. The first and the last layer are packed like the others; each worker
 * has its own scales.
 *
 * Paper: Wen, Xu, Yan, Wu, Wang, Chen, Li 2017, arXiv 1705.07878.
 */
#include "algos/codec/fixed.h"
#include "core/math/wide.h"

#include <math.h>
#include <string.h>

enum { ZERO, PLUS, MINUS, CODES };

struct terngrad_conf {
	double clip;
};

/* Largest magnitude, compared by the bits without the sign, whose order puts NaN after infinity. */
WIDE static float largest(size_t n, const float *v)
{
	uint32_t most = 0;
	float x;

	for (size_t i = 0; i < n; i++) {
		const uint32_t bits = float_bits(v[i]) & 0x7fffffff;

		most = bits > most ? bits : most;
	}
	memcpy(&x, &most, sizeof(x));
	return x;
}

/* The scale is NaN, and so is all that is decoded, if a float is not finite. */
static void terngrad_measure(const void *conf, size_t n, const float *v, float *numbers)
{
	const struct terngrad_conf *c = conf;
	const float most = largest(n, v);
	const double limit = n ? c->clip * sqrt(fixed_squares(n, v) / (double)n) : 0.0;

	numbers[0] = !isfinite(most) ? NAN
		     : c->clip > 0.0 && limit < (double)most ? (float)limit : most;
}

/* A value of |v| >= s is clipped to the scale s: its code is never 0, because |v| / s >= 1 > u. */
WIDE static void terngrad_quantise(const void *conf, const float *numbers, size_t n, const float *v,
				   const float *u, uint8_t *code)
{
	const float s = numbers[0];

	(void)conf;
	for (size_t i = 0; i < n; i++) {
		const uint32_t sign = float_bits(v[i]) >> 31;
		const uint32_t goes = u[i] < fixed_size_of(v[i]) / s;

		code[i] = (uint8_t)(-goes & (PLUS + sign));
	}
}

static void terngrad_values(const void *conf, const float *numbers, float *value)
{
	(void)conf;
	value[ZERO] = value[CODES] = 0.0f * numbers[0];
	value[PLUS] = numbers[0];
	value[MINUS] = -numbers[0];
}

static const struct fixed terngrad_fixed = {
	.numbers = 1,
	.draws = true,
	.measure = terngrad_measure,
	.quantise = terngrad_quantise,
	.values = terngrad_values,
};
static const struct fixed_form terngrad_form = { .width = 2 };

static size_t terngrad_words(const void *conf, size_t n, size_t nlayers)
{
	(void)conf;
	return fixed_words(&terngrad_fixed, terngrad_form, n, nlayers);
}

static void terngrad_encode(const void *conf, const struct codec_input *p, const float *v,
			    void *codes)
{
	fixed_encode(&terngrad_fixed, terngrad_form, conf, p, v, codes);
}

static void terngrad_add(const void *conf, const struct codec_input *p, const void *codes, float a,
			 float *v)
{
	fixed_add(&terngrad_fixed, terngrad_form, conf, p, codes, a, v);
}

static const struct opt terngrad_opts[] = {
	OPT_NUMBER(struct terngrad_conf, clip, "2.5",
		   "floats are clipped to so many deviations of their layer; 0: they are not",
		   "SIGMAS", 0, 1e6),
	{ 0 }
};

const struct codec codec_terngrad = {
	.plugin = { .name = "terngrad",
		    .brief = "2 bits a float: 0 or +- its layer's scale, at random",
		    .cite = "Wen et al. 2017, arXiv 1705.07878",
		    .opts = terngrad_opts,
		    .conf_size = sizeof(struct terngrad_conf) },
	.words = terngrad_words, .encode = terngrad_encode, .add = terngrad_add,
};

/*
 * onebit.c - one bit for each float: its sign.
 *
 * For each layer two numbers are sent too: the mean of its floats below 0, and the mean of the
 * others. A decoded bit has one of these values:
 *
 *     C(e)_i = mean of the e_j >= 0 of the layer, if e_i >= 0, else that of the e_j < 0
 *
 * with error feedback; the sign bit tells the sides, so that -0 is below. Paper: Seide, Fu,
 * Droppo, Li, Yu 2014, where each column of a matrix has two numbers of its own; here every
 * layer (parameter tensor) has.
 */
#include "algos/codec/fixed.h"
#include "core/math/wide.h"

enum { BELOW, ABOVE, ONEBIT_LANES = 8 };

struct sides {                  /* floats on either side of 0 */
	double sum[2];
	size_t n[2];
};

/* x where the mask is all ones, else 0. */
static inline double onebit_masked(float x, uint32_t mask)
{
	return (double)float_of_bits(float_bits(x) & mask);
}

/* Eight partial sums, which fit in a vector register. */
WIDE static struct sides add_sides(size_t n, const float *v)
{
	double above[ONEBIT_LANES] = { 0.0 }, below[ONEBIT_LANES] = { 0.0 };
	struct sides s = { { 0.0 }, { 0 } };
	const size_t whole = n / ONEBIT_LANES * ONEBIT_LANES;
	uint32_t negative[ONEBIT_LANES] = { 0 };

	for (size_t i = 0; i < whole; i += ONEBIT_LANES)
		for (size_t j = 0; j < ONEBIT_LANES; j++) {
			const uint32_t sign = float_bits(v[i + j]) >> 31;

			above[j] += onebit_masked(v[i + j], sign - 1);
			below[j] += onebit_masked(v[i + j], -sign);
			negative[j] += sign;
		}
	for (size_t i = whole; i < n; i++) {
		const uint32_t sign = float_bits(v[i]) >> 31;

		s.sum[sign ? BELOW : ABOVE] += (double)v[i];
		s.n[BELOW] += sign;
	}
	for (size_t j = 0; j < ONEBIT_LANES; j++) {
		s.sum[ABOVE] += above[j];
		s.sum[BELOW] += below[j];
		s.n[BELOW] += negative[j];
	}
	s.n[ABOVE] = n - s.n[BELOW];
	return s;
}

static void onebit_measure(const void *conf, size_t n, const float *v, float *numbers)
{
	const struct sides s = add_sides(n, v);

	(void)conf;
	for (int side = BELOW; side <= ABOVE; side++)
		numbers[side] = s.n[side] ? (float)(s.sum[side] / (double)s.n[side]) : 0.0f;
}

WIDE static void onebit_quantise(const void *conf, const float *numbers, size_t n, const float *v,
				 const float *u, uint8_t *code)
{
	(void)conf, (void)numbers, (void)u;
	for (size_t i = 0; i < n; i++)
		code[i] = (uint8_t)(ABOVE - (float_bits(v[i]) >> 31));
}

static void onebit_values(const void *conf, const float *numbers, float *value)
{
	(void)conf;
	value[BELOW] = numbers[BELOW];
	value[ABOVE] = numbers[ABOVE];
}

static const struct fixed onebit_fixed = {
	.numbers = 2, .measure = onebit_measure, .quantise = onebit_quantise,
	.values = onebit_values,
};
static const struct fixed_form onebit_form = { .width = 1 };

static size_t onebit_words(const void *conf, size_t n, size_t nlayers)
{
	(void)conf;
	return fixed_words(&onebit_fixed, onebit_form, n, nlayers);
}

static void onebit_encode(const void *conf, const struct codec_input *p, const float *v,
			  void *codes)
{
	fixed_encode(&onebit_fixed, onebit_form, conf, p, v, codes);
}

static void onebit_add(const void *conf, const struct codec_input *p, const void *codes, float a,
		       float *v)
{
	fixed_add(&onebit_fixed, onebit_form, conf, p, codes, a, v);
}

const struct codec codec_onebit = {
	.plugin = { .name = "onebit",
		    .brief = "1 bit a float, two values a layer, error feedback: 1-bit SGD",
		    .also = "1bit, signsgd",
		    .cite = "Seide, Fu, Droppo, Li, Yu 2014" },
	.feedback = true, .words = onebit_words, .encode = onebit_encode, .add = onebit_add,
};

/*
 * qsgd.c - every float becomes one of a few levels of its bucket's norm, at random.
 *
 *     r = s |g_i| / ||g||_2  of its bucket;   l_i = floor(r), or one more with probability
 *     r - floor(r);   C(g)_i = ||g||_2 sign(g_i) l_i / s
 *
 * so that the mean of C(g) is g. Codes have a fixed width: a sign and a level. The paper's Elias
 * coding is left out: its length depends on the values, which a timing-only run does not have.
 *
 * Paper: Alistarh, Grubic, Li, Tomioka, Vojnovic 2017, arXiv 1610.02132.
 */
#include "algos/codec/fixed.h"
#include "core/math/wide.h"

#include <math.h>

enum { QSGD_LEVELS = 127 }; /* at most: with the sign, they fill a byte */

struct qsgd_conf {
	int64_t levels, bucket;
};

/* Codes below 1 << bits are levels; with that bit set, they are negative. */
static int qsgd_bits_of(const struct qsgd_conf *c)
{
	int bits = 1;

	while (1 << bits <= c->levels)
		bits++;
	return bits;
}

static void qsgd_measure(const void *conf, size_t n, const float *v, float *numbers)
{
	(void)conf;
	numbers[0] = (float)sqrt(fixed_squares(n, v));
}

WIDE static void round_at_random(size_t n, float norm, float s, int bits, const float *v,
				 const float *u, uint8_t *code)
{
	for (size_t i = 0; i < n; i++) {
		const float r = fixed_size_of(v[i]) / norm * s;
		const float most = r < s ? r : s;       /* s for NaN, too */
		const int level = (int)most;
		const int more = u[i] < most - (float)level;
		const uint32_t sign = float_bits(v[i]) >> 31;

		code[i] = (uint8_t)(sign << bits | (uint32_t)(level + more));
	}
}

static void qsgd_quantise(const void *conf, const float *numbers, size_t n, const float *v,
			  const float *u, uint8_t *code)
{
	const struct qsgd_conf *c = conf;

	round_at_random(n, numbers[0], (float)c->levels, qsgd_bits_of(c), v, u, code);
}

static void qsgd_values(const void *conf, const float *numbers, float *value)
{
	const struct qsgd_conf *c = conf;
	const int minus = 1 << qsgd_bits_of(c);
	const float unit = numbers[0] / (float)c->levels;

	for (int level = 0; level < minus; level++) {
		value[level] = unit * (float)level;
		value[level + minus] = -value[level];
	}
}

static const struct fixed qsgd_fixed = {
	.numbers = 1,
	.draws = true,
	.measure = qsgd_measure,
	.quantise = qsgd_quantise,
	.values = qsgd_values,
};

static struct fixed_form form_of(const struct qsgd_conf *c)
{
	return (struct fixed_form){ .width = qsgd_bits_of(c) + 1, .stretch = (size_t)c->bucket };
}

static size_t qsgd_words(const void *conf, size_t n, size_t nlayers)
{
	return fixed_words(&qsgd_fixed, form_of(conf), n, nlayers);
}

static void qsgd_encode(const void *conf, const struct codec_input *p, const float *v, void *codes)
{
	fixed_encode(&qsgd_fixed, form_of(conf), conf, p, v, codes);
}

static void qsgd_add(const void *conf, const struct codec_input *p, const void *codes, float a,
		     float *v)
{
	fixed_add(&qsgd_fixed, form_of(conf), conf, p, codes, a, v);
}

static const struct opt qsgd_opts[] = {
	OPT_NUMBER(struct qsgd_conf, levels, "7",
		   "s: levels above 0; 1, 3, 7, 15, ... fill the bits of a code", "N", 1,
		   QSGD_LEVELS),
	OPT_NUMBER(struct qsgd_conf, bucket, "512", "floats that share a norm", "N", 1, 1 << 30),
	{ 0 }
};

const struct codec codec_qsgd = {
	.plugin = { .name = "qsgd",
		    .brief = "levels of the bucket's norm, at random and unbiased: 4 bits a float",
		    .also = "int8, quantize",
		    .cite = "Alistarh et al. 2017, arXiv 1610.02132",
		    .opts = qsgd_opts,
		    .conf_size = sizeof(struct qsgd_conf) },
	.words = qsgd_words, .encode = qsgd_encode, .add = qsgd_add,
};

/*
 * topk.c - only the floats of the largest magnitude, each with its index.
 *
 *     C(e)_i = e_i, if |e_i| is among the k = max(1, floor(ratio n)) largest, else 0
 *
 * with error feedback: what is left out is added to later gradients. Of equal magnitudes the first
 * ones are taken. The k floats are the largest of the whole gradient, not of each layer.
 *
 * Papers: Aji, Heafield 2017, arXiv 1704.05021 (who drop by a ratio, and keep the rest);
 * Stich, Cordonnier, Jaggi 2018, arXiv 1809.07599 (which proves that it converges).
 */
#include "core/codec.h"

#include <string.h>

enum { DIGIT = 11, DIGITS = 1 << DIGIT };       /* a magnitude's 31 bits are three digits */

struct topk_conf {
	double ratio;
};

static size_t count_kept(const struct topk_conf *c, size_t n)
{
	const size_t k = (size_t)(c->ratio * (double)n);

	return k < 1 ? (n > 0) : k < n ? k : n;
}

static size_t topk_words(const void *conf, size_t n, size_t nlayers)
{
	(void)nlayers;
	return 2 * count_kept(conf, n);
}

/*
 * x| as an integer with the same order; NaN is after infinity.
 */
static uint32_t topk_key_of(float x)
{
	uint32_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits & 0x7fffffff;
}

/* count[] <- frequency of each value of a digit, among keys whose higher bits equal `prefix`. */
static void count_digits(size_t n, const float *v, int shift, uint32_t prefix, size_t *count)
{
	const int above = shift + DIGIT;

	memset(count, 0, DIGITS * sizeof(*count));
	for (size_t i = 0; i < n; i++) {
		const uint32_t key = topk_key_of(v[i]);

		if ((uint64_t)key >> above == (uint64_t)prefix >> above)
			count[key >> shift & (DIGITS - 1)]++;
	}
}

/*
 * The k-th largest key of v[n], found digit by digit; *equal: how many floats with that key are
 * kept.
 */
static uint32_t topk_find_key(size_t n, const float *v, size_t k, size_t *equal)
{
	uint32_t key = 0;

	for (int shift = 2 * DIGIT; shift >= 0; shift -= DIGIT) {
		size_t count[DIGITS];
		uint32_t digit = DIGITS - 1;

		count_digits(n, v, shift, key, count);
		while (count[digit] < k)
			k -= count[digit--];
		key |= digit << shift;
	}
	*equal = k;
	return key;
}

static void topk_encode(const void *conf, const struct codec_input *p, const float *v, void *codes)
{
	const size_t kept = count_kept(conf, p->n);
	uint32_t *index = codes;
	float *value = (float *)codes + kept;
	size_t equal = 0, done = 0;
	const uint32_t least = topk_find_key(p->n, v, kept, &equal);

	for (size_t i = 0; i < p->n && done < kept; i++) {
		const uint32_t key = topk_key_of(v[i]);

		if (key < least || (key == least && equal == 0))
			continue;
		equal -= key == least;
		index[done] = (uint32_t)i;
		value[done++] = v[i];
	}
}

static void topk_add(const void *conf, const struct codec_input *p, const void *codes, float a,
		     float *v)
{
	const size_t kept = count_kept(conf, p->n);
	const uint32_t *index = codes;
	const float *value = (const float *)codes + kept;

	for (size_t j = 0; j < kept; j++)
		if (index[j] < p->n)
			v[index[j]] += a * value[j];
}

static const struct opt topk_opts[] = { OPT_NUMBER(struct topk_conf, ratio, "0.01",
						   "of the gradient's floats that are sent",
						   "RATIO", 1e-9, 1),
					{ 0 } };

const struct codec codec_topk = {
	.plugin = { .name = "topk",
		    .brief = "the floats of the largest magnitude, error feedback: 8 bytes each",
		    .also = "dgc, sparse",
		    .cite = "Aji, Heafield 2017, arXiv 1704.05021; Stich et al. 2018, "
			    "arXiv 1809.07599",
		    .opts = topk_opts,
		    .conf_size = sizeof(struct topk_conf) },
	.feedback = true, .words = topk_words, .encode = topk_encode, .add = topk_add,
};

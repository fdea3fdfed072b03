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
#include "algos/common/largest.h"
#include "core/codec.h"

struct topk_conf {
	double ratio;
};

static size_t count_kept(const struct topk_conf *c, size_t n)
{
	const size_t k = (size_t)(c->ratio * (double)n * (1 + 1e-12));  /* 0.29 * 100 < 29 */

	return k < 1 ? (n > 0) : k < n ? k : n;
}

static size_t topk_words(const void *conf, size_t n, size_t nlayers)
{
	(void)nlayers;
	return 2 * count_kept(conf, n);
}

static void topk_encode(const void *conf, const struct codec_input *p, const float *v, void *codes)
{
	const size_t kept = count_kept(conf, p->n);
	uint32_t *index = codes;
	float *value = (float *)codes + kept;

	largest_select(p->n, v, kept, index);
	for (size_t j = 0; j < kept; j++)
		value[j] = v[index[j]];
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
						   "share of the gradient's floats that is sent",
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

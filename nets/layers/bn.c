/* bn.c - batch normalisation: each channel over all pixels of the batch (Ioffe, Szegedy 2015). */
#include "nets/layers/layers.h"

#include <math.h>

static const struct opt bn_opts[] = { SETTING_EPS, SETTING_DECAY, { .name = NULL } };

static int bn_shape(struct graph *g, struct layer *l, const char *where)
{
	l->weights = l->biases = (size_t)l->is.c;
	return layer_keep_shape(g, l, where);
}

void bn_add_scales(struct graph *g, struct layer *l)
{
	graph_add_blob(g, l, "gamma", l->decay, 1, (int[4]){ l->os.c });
	if (l->biases)
		graph_add_blob(g, l, "beta", l->decay && l->bias_decay, 1, (int[4]){ l->os.c });
}

static void bn_blobs(struct graph *g, struct layer *l)
{
	bn_add_scales(g, l);
	l->stats = g->stats_dim;
	g->stats_dim += 2 * (size_t)l->os.c;
}

static int bn_detail(const struct layer *l, char *text, size_t size)
{
	return snprintf(text, size, "eps %g", l->eps);
}

const struct layer_type layer_bn = {
	.name = "bn", .ins = 1, .opts = bn_opts, .shape = bn_shape, .add_blobs = bn_blobs,
	.scales = true, .detail = bn_detail, .shown = (const char *const[]){ "eps", NULL },
	.joins = true,
};

/*
 * mean = mean_k m_k;  variance = mean_k (v_k + m_k^2) - mean^2, so within batches and between them.
 */
static void stats_merge_channel(int n, const float *const *each, size_t mean, size_t var,
				float *stats)
{
	double m = 0.0, square = 0.0;

	for (int k = 0; k < n; k++) {
		double mk = (double)each[k][mean];

		m += mk;
		square += (double)each[k][var] + mk * mk;
	}
	m /= n;
	square /= n;
	stats[mean] = (float)m;
	stats[var] = (float)fmax(square - m * m, 0.0);
}

void graph_merge_stats(const struct graph *g, int n, const float *const *each, float *stats)
{
	for (int i = 0; i < g->n; i++) {
		const struct layer *l = &g->layers[i];
		const size_t channels = (size_t)l->os.c;

		for (size_t c = 0; l->kind == LAYER_BN && c < channels; c++)
			stats_merge_channel(n, each, l->stats + c, l->stats + channels + c, stats);
	}
}

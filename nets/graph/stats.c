/* stats.c - batch-norm statistics of several batches, taken together. */
#include "nets/graph/graph.h"

#include <math.h>

/*
 * mean = mean_k m_k;  variance = mean_k (v_k + m_k^2) - mean^2: within the batches and between.
 */
static void merge_channel(int n, const float *const *each, size_t mean, size_t var, float *stats)
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

		if (l->kind != LAYER_BN)
			continue;
		for (size_t c = 0; c < channels; c++)
			merge_channel(n, each, l->stats + c, l->stats + channels + c, stats);
	}
}

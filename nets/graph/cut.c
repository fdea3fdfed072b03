/* Where the fully connected layers of a net can be parted from the others. */
#include "nets/nets.h"

/* Layers after the d-th's input read nothing from before it, and only the d-th reads that. */
static bool graph_cut_is_clean(const struct graph *g, int d)
{
	const int c = g->layers[d].in[0];

	for (int i = c + 1; i < g->n; i++)
		for (int k = 0; k < 2; k++) {
			const int in = g->layers[i].in[k];

			if (in >= 0 && (in < c || (in == c && i != d)))
				return false;
		}
	return true;
}

static int64_t graph_cut_macs(const struct graph *g, int from)
{
	int64_t macs = 0;

	for (int i = from; i < g->n; i++)
		macs += g->layers[i].macs;
	return macs;
}

int graph_cut(const struct graph *g, struct cut *cut)
{
	*cut = (struct cut){ 0 };
	for (int d = 1; d < g->n; d++) {
		const struct layer *l = &g->layers[d];

		if (l->kind != LAYER_DENSE || !graph_cut_is_clean(g, d))
			continue;
		if (!l->weight)
			return 0;
		*cut = (struct cut){
			.at = l->weight,
			.width = (size_t)l->is.h * (size_t)l->is.w * (size_t)l->is.c,
			.share = (double)graph_cut_macs(g, d) / (double)graph_macs(g),
		};
		return d;
	}
	return 0;
}

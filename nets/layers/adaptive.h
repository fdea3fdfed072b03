/*
 * adaptive.h - clusters of tokens in an adaptive softmax, and in the table that it shares.
 *
 * Tokens below the first cutoff belong to the head; cluster k, 1 .. clusters, has those from its
 * cutoff to the next. The head's columns are its tokens, then the clusters in reverse order, as in
 * the Transformer-XL code. With div > 1 the rows of cluster k (0: the head) have width / div^k
 * values, and a projection [width][width / div^k] makes them as wide as the net.
 *
 * The functions accept an embed layer or an adaptive layer.
 */
#ifndef NETS_LAYERS_ADAPTIVE_H
#define NETS_LAYERS_ADAPTIVE_H

#include "nets/graph/graph.h"

/* First token of cluster k, and its number of tokens; k = 0: the head. */
static inline size_t adaptive_first(const struct layer *l, int k)
{
	return k ? (size_t)l->cutoffs[k - 1] : 0;
}

static inline size_t adaptive_count(const struct layer *l, int k)
{
	const int end = k < l->clusters ? l->cutoffs[k] : l->vocabulary;

	return (size_t)end - adaptive_first(l, k);
}

/* Number of the head's columns; column of cluster k. */
static inline size_t adaptive_head(const struct layer *l)
{
	return adaptive_count(l, 0) + (size_t)l->clusters;
}

static inline size_t adaptive_column(const struct layer *l, int k)
{
	return adaptive_head(l) - (size_t)k;
}

/* Tokens of the largest cluster; 0: there is none. */
static inline size_t adaptive_largest(const struct layer *l)
{
	size_t most = 0;

	for (int k = 1; k <= l->clusters; k++)
		most = adaptive_count(l, k) > most ? adaptive_count(l, k) : most;
	return most;
}

/* The cluster of a token; 0: the head. */
static inline int adaptive_cluster(const struct layer *l, int32_t token)
{
	int k = 0;

	while (k < l->clusters && token >= l->cutoffs[k])
		k++;
	return k;
}

/* Channels of the net; values in a row of cluster k's table. */
static inline size_t adaptive_channels(const struct layer *l)
{
	return (size_t)(l->kind == LAYER_EMBED ? l->os.c : l->is.c);
}

static inline size_t adaptive_width(const struct layer *l, int k)
{
	size_t width = adaptive_channels(l);

	while (k--)
		width /= (size_t)l->div;
	return width;
}

/* Floats of the tables before cluster k's; of the projections before cluster k's. */
static inline size_t adaptive_table_at(const struct layer *l, int k)
{
	size_t at = 0;

	for (int j = 0; j < k; j++)
		at += adaptive_count(l, j) * adaptive_width(l, j);
	return at;
}

static inline size_t adaptive_projection_at(const struct layer *l, int k)
{
	size_t at = 0;

	for (int j = 0; j < k; j++)
		at += adaptive_channels(l) * adaptive_width(l, j);
	return at;
}

/* Offsets in x of the table and the projection of cluster k, for an embed layer with div > 1. */
static inline size_t embed_table(const struct layer *l, int k)
{
	return l->weight + adaptive_table_at(l, k);
}

static inline size_t embed_projection(const struct layer *l, int k)
{
	return embed_table(l, l->clusters + 1) + adaptive_projection_at(l, k);
}

/*
 * Offsets in x of the table and the projection of cluster k, for an adaptive layer, which shares
 * all but the head's projection.
 */
static inline size_t adaptive_table(const struct graph *g, const struct layer *l, int k)
{
	return g->layers[l->tied].weight + adaptive_table_at(l, k);
}

static inline size_t adaptive_projection(const struct graph *g, const struct layer *l, int k)
{
	return k ? embed_projection(&g->layers[l->tied], k)
		 : l->weight + (size_t)l->clusters * adaptive_channels(l);
}

#endif

/*
 * adaptive.h - which tokens are where in an adaptive softmax.
 *
 * Tokens below the first cutoff are the head's; cluster k, 1 .. clusters, has those from its cutoff
 * to the next. The head's columns are its tokens, then the clusters in reverse order, as
 * Transformer-XL's authors have them.
 */
#ifndef NETS_ADAPTIVE_H
#define NETS_ADAPTIVE_H

#include "nets/graph.h"

/* The first token of cluster k, and how many it has; k = 0: the head's. */
static inline size_t adaptive_first(const struct layer *l, int k)
{
	return k ? (size_t)l->cutoffs[k - 1] : 0;
}

static inline size_t adaptive_count(const struct layer *l, int k)
{
	const int end = k < l->clusters ? l->cutoffs[k] : l->vocabulary;

	return (size_t)end - adaptive_first(l, k);
}

/* Columns of the head, and which one is cluster k's. */
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

/* Where the table that it shares begins. */
static inline size_t adaptive_table(const struct graph *g, const struct layer *l)
{
	return g->layers[l->tied].weight;
}

#endif

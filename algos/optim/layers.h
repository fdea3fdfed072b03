/*
 * layers.h - offsets of the layers in x, for optimisers that treat each layer apart.
 *
 * Weights and biases of a layer count as two layers. A model whose layers are not known is one
 * layer.
 */
#ifndef ALGOS_OPTIM_LAYERS_H
#define ALGOS_OPTIM_LAYERS_H

#include "core/optim.h"
#include "core/problem.h"

#include <math.h>

struct layer {
	size_t at, n;           /* floats */
	bool decay;             /* weight decay applies */
};

static inline size_t layers(const struct stepping *s)
{
	return s->nblobs ? s->nblobs : 1;
}

/* The i-th layer of a model of dim floats. */
static inline struct layer layer_at(const struct stepping *s, size_t dim, size_t i)
{
	const struct blob *b = s->blobs;

	return s->nblobs ? (struct layer){ b[i].offset, b[i].count, b[i].decay }
			 : (struct layer){ 0, dim, true };
}

/*
 * Ratio of norms up / down that scales a layer's step: 1 if either is 0, or the ratio is not
 * finite.
 */
static inline double trust(double up, double down)
{
	return up > 0.0 && down > 0.0 && isfinite(up / down) ? up / down : 1.0;
}

#endif

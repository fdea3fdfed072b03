/*
 * fragments.h - a model cut into fragments, which are exchanged one after the other.
 *
 * The model's floats are cut into count * stripes stretches, equal to one float, and stretch j
 * belongs to fragment j mod count. With one stripe a fragment is a contiguous part of the model;
 * with more, it has layers of all depths. In the order of fragments, fragment by fragment, each is
 * contiguous: that is how X and its momentum lie in a vector.
 */
#ifndef ALGOS_COMMON_FRAGMENTS_H
#define ALGOS_COMMON_FRAGMENTS_H

#include <stddef.h>

struct fragments {
	size_t dim;             /* floats of the model */
	size_t count, stripes;
};

/* Fragment k begins `*from` floats into that order. Returns its length. */
size_t fragment_at(const struct fragments *f, size_t k, size_t *from);

/* v[length] <- fragment k of x[dim], and back. Vectors may be NULL, as in vec.h. */
void fragment_get(const struct fragments *f, size_t k, const float *x, float *v);
void fragment_put(const struct fragments *f, size_t k, const float *v, float *x);

#endif

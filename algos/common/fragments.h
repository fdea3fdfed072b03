/*
 * fragments.h - a model cut into fragments, which are exchanged one after the other.
 *
 * The model's floats are cut into count * stripes stretches, whose lengths differ by at most one
 * float. Stretch j belongs to fragment j mod count. With one stripe, a fragment is a contiguous
 * part of the model; with more, it has layers of all depths. The outer model X and its momentum are
 * stored fragment by fragment, so that each fragment is contiguous there.
 */
#ifndef ALGOS_COMMON_FRAGMENTS_H
#define ALGOS_COMMON_FRAGMENTS_H

#include <stddef.h>

struct blob;

struct fragments {
	size_t dim;             /* floats of the model */
	size_t count, stripes;
};

/* *from <- offset of fragment k in a vector stored fragment by fragment. Returns its length. */
size_t fragment_at(const struct fragments *f, size_t k, size_t *from);

/* Floats of the largest fragment. */
size_t fragment_largest(const struct fragments *f);

/*
 * Floats of fragment k from its float `at` on, up to the end of the stretch or of the tensor of the
 * model that has it; *of <- that tensor. tensors[ntensors] are in the order of the model; 0: it is
 * one tensor, and *of is NULL.
 */
size_t fragment_piece(const struct fragments *f, size_t k, size_t at, size_t ntensors,
		      const struct blob *tensors, const struct blob **of);

/* v[length] <- fragment k of x[dim], and the reverse. Vectors may be NULL, as in vec.h. */
void fragment_get(const struct fragments *f, size_t k, const float *x, float *v);
void fragment_put(const struct fragments *f, size_t k, const float *v, float *x);

#endif

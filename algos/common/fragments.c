/* Bounds of a model's fragments, and copies between a model and a fragment. */
#include "algos/common/fragments.h"

#include "core/math/vec.h"
#include "core/problem.h"

/* Offset in the model, in floats, at which stretch j begins. */
static size_t fragments_cut(const struct fragments *f, size_t j)
{
	const size_t stretches = f->count * f->stripes;

	return f->dim / stretches * j + f->dim % stretches * j / stretches;
}

static size_t fragments_length(const struct fragments *f, size_t k)
{
	size_t n = 0;

	for (size_t j = k; j < f->count * f->stripes; j += f->count)
		n += fragments_cut(f, j + 1) - fragments_cut(f, j);
	return n;
}

size_t fragment_at(const struct fragments *f, size_t k, size_t *from)
{
	*from = 0;
	for (size_t i = 0; i < k; i++)
		*from += fragments_length(f, i);
	return fragments_length(f, k);
}

size_t fragment_largest(const struct fragments *f)
{
	size_t most = 0;

	for (size_t k = 0; k < f->count; k++) {
		const size_t n = fragments_length(f, k);

		most = n > most ? n : most;
	}
	return most;
}

size_t fragment_piece(const struct fragments *f, size_t k, size_t at, size_t ntensors,
		      const struct blob *tensors, const struct blob **of)
{
	size_t j = k, end, x;

	while (at >= fragments_cut(f, j + 1) - fragments_cut(f, j)) {
		at -= fragments_cut(f, j + 1) - fragments_cut(f, j);
		j += f->count;
	}
	x = fragments_cut(f, j) + at;
	end = fragments_cut(f, j + 1);
	*of = NULL;
	for (size_t i = 0; i < ntensors && tensors[i].offset < end; i++) {
		if (tensors[i].offset > x)
			end = tensors[i].offset;
		else
			*of = &tensors[i];
	}
	return end - x;
}

void fragment_get(const struct fragments *f, size_t k, const float *x, float *v)
{
	for (size_t j = k; j < f->count * f->stripes; j += f->count) {
		const size_t from = fragments_cut(f, j), n = fragments_cut(f, j + 1) - from;

		vec_copy(n, x ? x + from : NULL, v);
		v = x ? v + n : NULL;
	}
}

void fragment_put(const struct fragments *f, size_t k, const float *v, float *x)
{
	for (size_t j = k; j < f->count * f->stripes; j += f->count) {
		const size_t from = fragments_cut(f, j), n = fragments_cut(f, j + 1) - from;

		vec_copy(n, v, x ? x + from : NULL);
		v = x ? v + n : NULL;
	}
}

/* Bounds of a model's fragments, and copies between a model and a fragment. */
#include "algos/common/fragments.h"

#include "core/math/vec.h"

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

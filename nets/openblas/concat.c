/* The channels of one layer, then those of another. */
#include "core/math/wide.h"
#include "nets/openblas/openblas.h"

#include <string.h>

static size_t concat_rows(const struct layer *l, const struct ob_part *p)
{
	return p->n * (size_t)(l->os.h * l->os.w);
}

/* Channels of the k-th input, and where they begin. */
static size_t part_width(const struct ob *c, const struct layer *l, int k, size_t *from)
{
	*from = k ? (size_t)l->is.c : 0;
	return (size_t)c->g->layers[l->in[k]].os.c;
}

static void concat_forward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	float *y = ob_y(c, i, p);
	const size_t rows = concat_rows(l, p), all = (size_t)l->os.c;

	for (int k = 0; k < 2; k++) {
		size_t from, width = part_width(c, l, k, &from);
		const float *x = ob_y(c, l->in[k], p);

		for (size_t r = 0; r < rows; r++)
			memcpy(y + r * all + from, x + r * width, width * sizeof(*x));
	}
}

/* dx[rows][width] <- (or +=) dy[rows][all] */
WIDE static void take_rows(size_t rows, size_t width, size_t all, const float *restrict dy,
			   bool add, float *restrict dx)
{
	for (size_t r = 0; r < rows; r++, dy += all, dx += width)
		for (size_t k = 0; k < width; k++)
			dx[k] = add ? dx[k] + dy[k] : dy[k];
}

static void concat_backward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];

	for (int k = 0; k < 2; k++) {
		size_t from, width = part_width(c, l, k, &from);
		bool add;
		float *dx = ob_dx(c, i, k, p, &add);

		if (dx)
			take_rows(concat_rows(l, p), width, (size_t)l->os.c,
				  ob_dy(c, i, p) + from, add, dx);
	}
}

const struct ob_op ob_concat = { .forward = concat_forward, .backward = concat_backward };

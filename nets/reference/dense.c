/* dense.c - the reference's layers of which every output is a sum of weighted inputs. */
#include "nets/reference/layers.h"
#include "nets/reference/product.h"

void reference_bias(struct state *s, int i, bool back)
{
	const struct view v = view_of(s, i);
	const size_t width = (size_t)v.y->c, rows = tensor_count(v.y) / width;

	for (size_t r = 0; r < rows; r++)
		for (size_t c = 0; c < width; c++)
			if (back)
				s->grad[v.l->beta + c] += pixel(v.dy, r)[c];
			else
				pixel(v.y, r)[c] += s->x[v.l->beta + c];
}

/* The inputs are rows of `in` values, one after the other. */
static void dense_rows(struct state *s, int i, size_t rows, bool back)
{
	const struct view v = view_of(s, i);
	struct linear product = { .rows = rows, .in = tensor_count(v.x) / rows,
				  .out = (size_t)v.y->c, .w = s->x + v.l->weight, .x = v.x->v,
				  .y_row = (size_t)v.y->c };

	if (back) {
		product.dy = v.dy->v;
		product.dw = s->grad + v.l->weight;
		product.dx = v.dx->v;
		reference_linear_backward(&product);
	} else {
		product.y = v.y->v;
		reference_linear_forward(&product);
	}
	if (v.l->bias)
		reference_bias(s, i, back);
}

/* All values of a sample are one row. */
void reference_dense(struct state *s, int i, bool back)
{
	dense_rows(s, i, (size_t)s->y[i].n, back);
}

/* A token is one. */
void reference_linear(struct state *s, int i, bool back)
{
	dense_rows(s, i, tensor_count(&s->y[i]) / (size_t)s->y[i].c, back);
}

void reference_unembed(struct state *s, int i, bool back)
{
	reference_linear(s, i, back);
}

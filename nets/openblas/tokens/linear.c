/*
 * linear.c - at each token y[out] = weight[out][in] x[in] + bias, and unembed, the same with the
 * table of an embed layer.
 *
 * The weights' gradient is added by one partition after the other, each right after its own
 * product.
 */
#include "nets/openblas/openblas.h"

#include "core/math/wide.h"

#include <string.h>

static void linear_forward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	const size_t in = (size_t)l->is.c, out = (size_t)l->os.c;
	float *y = ob_y(c, i, p);

	for (size_t r = 0; l->bias && r < p->n; r++)
		memcpy(y + r * out, c->x + l->beta, out * sizeof(*y));
	ob_multiply(c, p, false, true, p->n, out, in, ob_y(c, l->in[0], p), in, c->x + l->weight,
		    in, l->bias ? 1.0f : 0.0f, y, out);
}

WIDE static void linear_sum_rows(size_t rows, size_t n, const float *dy, float *sum)
{
	for (size_t r = 0; r < rows; r++, dy += n)
		for (size_t k = 0; k < n; k++)
			sum[k] += dy[k];
}

/*
 * grad <- dy^T x, and the sum of dy. += after the first partition; and where a relative layer has
 * put the terms of its memory there, after which this one comes.
 */
static void linear_gradient(struct ob *c, int i, const struct ob_part *p, const float *dy)
{
	const struct layer *l = &c->g->layers[i];
	const size_t in = (size_t)l->is.c, out = (size_t)l->os.c;
	const bool adds = p->k || (l->kind == LAYER_LINEAR && l->tied);

	ob_wait(c, i, p);
	ob_multiply(c, p, true, false, out, in, p->n, dy, out, ob_y(c, l->in[0], p), in,
		    adds ? 1.0f : 0.0f, c->grad + l->weight, in);
	if (l->bias && !p->k)
		memset(c->grad + l->beta, 0, out * sizeof(*c->grad));
	if (l->bias)
		linear_sum_rows(p->n, out, dy, c->grad + l->beta);
	ob_pass(c, i);
}

static void linear_backward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	const size_t in = (size_t)l->is.c, out = (size_t)l->os.c;
	const float *dy = ob_dy(c, i, p);
	bool add;
	float *dx = ob_dx(c, i, 0, p, &add);

	linear_gradient(c, i, p, dy);
	if (dx)
		ob_multiply(c, p, false, false, p->n, in, out, dy, out, c->x + l->weight, in,
			    add ? 1.0f : 0.0f, dx, in);
}

const struct ob_op ob_linear = { .forward = linear_forward, .backward = linear_backward };

/* Its gradient is the first term of the table's, to which embed adds the other. */
const struct ob_op ob_unembed = { .forward = linear_forward, .backward = linear_backward };

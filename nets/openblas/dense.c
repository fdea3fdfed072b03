/*
 * dense.c - y[n][out] = x[n][in] weight[out][in]^T + bias
 *
 * Over the whole batch, in panels: of outputs forward; of outputs for the gradient of
 * the weights, then of inputs for that of x.
 */
#include "nets/openblas/openblas.h"

#include <string.h>

enum { PANELS = 16, WEIGHTS = 512 * 1024 };     /* most of them; least weights of one */

static int dense_panels(const struct layer *l)
{
	const size_t n = l->weights / WEIGHTS;

	return n < 1 ? 1 : n > PANELS ? PANELS : (int)n;
}

struct panel {
	size_t first, n;
};

/* A task's share of `all` columns. */
static struct panel panel_of(const struct ob_part *p, size_t all)
{
	const size_t at = (size_t)p->k, of = (size_t)p->of, first = all * at / of;

	return (struct panel){ first, all * (at + 1) / of - first };
}

static void dense_forward(struct ob *c, int i, const struct ob_part *part)
{
	const struct layer *l = &c->g->layers[i];
	const size_t in = l->fan_in, out = (size_t)l->os.c;
	const struct panel p = panel_of(part, out);
	float *y = ob_y(c, i, part) + p.first;

	for (size_t r = 0; l->bias && r < c->n; r++)
		memcpy(y + r * out, c->x + l->beta + p.first, p.n * sizeof(*y));
	ob_gemm(false, true, c->n, p.n, in, ob_y(c, l->in[0], part), in,
		c->x + l->weight + p.first * in, in, l->bias ? 1.0f : 0.0f, y, out);
}

static void add_bias(struct ob *c, int i, const struct ob_part *part, struct panel p)
{
	const struct layer *l = &c->g->layers[i];
	const float *dy = ob_dy(c, i, part);

	for (size_t k = p.first; k < p.first + p.n; k++) {
		double sum = 0.0;

		for (size_t r = 0; r < c->n; r++)
			sum += (double)dy[r * (size_t)l->os.c + k];
		c->grad[l->beta + k] = (float)sum;
	}
}

static void dense_backward(struct ob *c, int i, const struct ob_part *part)
{
	const struct layer *l = &c->g->layers[i];
	const size_t in = l->fan_in, out = (size_t)l->os.c;
	const float *x = ob_y(c, l->in[0], part), *dy = ob_dy(c, i, part);
	const struct panel o = panel_of(part, out), x_panel = panel_of(part, in);
	bool add;
	float *dx = ob_dx(c, i, 0, part, &add);

	ob_gemm(true, false, o.n, in, c->n, dy + o.first, out, x, in, 0.0f,
		c->grad + l->weight + o.first * in, in);
	if (l->bias)
		add_bias(c, i, part, o);
	if (dx)
		ob_gemm(false, false, c->n, x_panel.n, out, dy, out,
			c->x + l->weight + x_panel.first, in, add ? 1.0f : 0.0f,
			dx + x_panel.first, in);
}

const struct ob_op ob_dense = {
	.panels = dense_panels, .forward = dense_forward, .backward = dense_backward,
};

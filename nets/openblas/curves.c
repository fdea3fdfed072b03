/* curves.c - see curves.h; and their layers in the openblas backend. */
#include "nets/openblas/curves.h"

#include "core/math/wide.h"
#include "nets/openblas/lanes/table.h"
#include "nets/openblas/openblas.h"

void curve_up(const struct layer *l, size_t n, const float *x, float *y, float *slope)
{
	lanes_best()->curve(l->kind, l->form, n, x, y, slope);
}

/* ---- layers: training keeps the slope, so that the backward pass is a product ---- */

WIDE static void curve_down(size_t n, const float *dy, const float *slope, bool add, float *dx)
{
	for (size_t k = 0; k < n; k++) {
		const float d = dy[k] * slope[k];

		dx[k] = add ? dx[k] + d : d;
	}
}

static void curve_forward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];

	curve_up(l, p->n * ob_width(c, i), ob_y(c, l->in[0], p), ob_y(c, i, p), ob_kept(c, i, p));
}

static void curve_backward(struct ob *c, int i, const struct ob_part *p)
{
	bool add;
	float *dx = ob_dx(c, i, 0, p, &add);

	if (dx)
		curve_down(p->n * ob_width(c, i), ob_dy(c, i, p), ob_kept(c, i, p), add, dx);
}

#define CURVE { .save = ob_save_output, .keeps_in_input = true, \
		.forward = curve_forward, .backward = curve_backward }
const struct ob_op ob_gelu = CURVE, ob_tanh = CURVE, ob_sigmoid = CURVE, ob_silu = CURVE;

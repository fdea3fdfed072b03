/*
 * gelu.c - x Phi(x), and the form with tanh: x sigmoid(2 c (x + 0.044715 x^3)).
 *
 * Training keeps the slope, so that the backward pass is a product.
 */
#include "core/math/wide.h"
#include "nets/layers.h"
#include "nets/openblas/openblas.h"
#include "nets/openblas/vmath.h"

WIDE static void gelu_erf(size_t n, const float *x, float *y, float *slope)
{
	for (size_t k = 0; k < n; k++) {
		float density;
		const float share = vnormal(x[k], &density);

		slope[k] = share + x[k] * density;
		y[k] = x[k] * share;
	}
}

/* With s = sigmoid(2 u): y = x s, dy/dx = s + x s (1 - s) 2 u'. */
WIDE static void gelu_tanh(size_t n, const float *x, float *y, float *slope)
{
	const float c = 1.5957691216f;          /* 2 sqrt(2 / pi) */

	for (size_t k = 0; k < n; k++) {
		const float square = 0.044715f * x[k] * x[k];
		const float share = 1.0f / (1.0f + vexp(-c * (x[k] + x[k] * square)));

		slope[k] = share + x[k] * share * (1.0f - share) * c * (1.0f + 3.0f * square);
		y[k] = x[k] * share;
	}
}

WIDE static void gelu_down(size_t n, const float *dy, const float *slope, bool add, float *dx)
{
	for (size_t k = 0; k < n; k++) {
		const float d = dy[k] * slope[k];

		dx[k] = add ? dx[k] + d : d;
	}
}

static float *gelu_slope(const struct ob *c, int i, const struct ob_part *p)
{
	return (float *)c->save[i] + p->first * ob_width(c, i);
}

static void gelu_forward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	const size_t n = p->n * ob_width(c, i);
	const float *x = ob_y(c, l->in[0], p);

	(l->tanh ? gelu_tanh : gelu_erf)(n, x, ob_y(c, i, p), gelu_slope(c, i, p));
}

static void gelu_backward(struct ob *c, int i, const struct ob_part *p)
{
	bool add;
	float *dx = ob_dx(c, i, 0, p, &add);

	if (dx)
		gelu_down(p->n * ob_width(c, i), ob_dy(c, i, p), gelu_slope(c, i, p), add, dx);
}

const struct ob_op ob_gelu = {
	.save = ob_save_output, .forward = gelu_forward, .backward = gelu_backward,
};

/*
 * gelu.c - x Phi(x), and the form with tanh: x sigmoid(2 c (x + 0.044715 x^3)).
 *
 * Training keeps the slope, so that the backward pass is a product.
 */
#include "core/math/wide.h"
#include "nets/openblas/openblas.h"
#include "nets/openblas/vmath.h"

LANES_INLINE void gelu_erf(const lanes *x, lanes *y, lanes *slope)
{
	lanes share, density;

	lanes_normal(x, &share, &density);
	*slope = share + *x * density;
	*y = *x * share;
}

/* With s = sigmoid(2 u): y = x s, dy/dx = s + x s (1 - s) 2 u'. */
LANES_INLINE void gelu_tanh(const lanes *x, lanes *y, lanes *slope)
{
	const float c = 1.5957691216f;          /* 2 sqrt(2 / pi) */
	const lanes square = 0.044715f * *x * *x;
	lanes share = -c * (*x + *x * square);

	lanes_exp(&share);
	share = 1.0f / (1.0f + share);
	*slope = share + *x * share * (1.0f - share) * c * (1.0f + 3.0f * square);
	*y = *x * share;
}

WIDE static void gelu_up(bool tanh, size_t n, const float *x, float *y, float *slope)
{
	lanes v, to, s;

	for (size_t k = 0; k < n; k += LANES, x += LANES, y += LANES, slope += LANES) {
		const size_t left = lanes_left(n, k);

		lanes_load(left, x, 0.0f, &v);
		if (tanh)
			gelu_tanh(&v, &to, &s);
		else
			gelu_erf(&v, &to, &s);
		lanes_store(left, &to, y);
		lanes_store(left, &s, slope);
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

	gelu_up(l->form == GELU_TANH, n, x, ob_y(c, i, p), gelu_slope(c, i, p));
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

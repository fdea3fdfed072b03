/* curves.c - see curves.h; and their layers in the openblas backend. */
#include "nets/openblas/curves.h"

#include "core/base/error.h"
#include "core/math/wide.h"
#include "nets/openblas/lanes.h"
#include "nets/openblas/openblas.h"

enum { AHEAD = 512 };           /* floats: lines this far ahead are fetched, to be written */

/* ---- gelu: x Phi(x), and the form with tanh: x sigmoid(2 c (x + 0.044715 x^3)) ---- */

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

/* ---- sigmoid, silu, tanh ---- */

LANES_INLINE void sigmoid_lanes(const lanes *x, lanes *y)
{
	lanes e = -*x;

	lanes_exp(&e);
	*y = 1.0f / (1.0f + e);
}

/*
 * 1 - 2 / (1 + exp(2 x)); for |x| < 1/4, where that cancels, x times a series in x^2, whose next
 * term is below 1e-8.
 */
LANES_INLINE void tanh_lanes(const lanes *x, lanes *y)
{
	const lanes v = *x, q = v * v, size = (lanes)((lanes_bits)v & 0x7fffffff);
	const lanes_bits small = size < 0.25f;
	lanes e = 2.0f * v, series = (lanes){ 0 } + 62.0f / 2835.0f;

	lanes_exp(&e);
	*y = 1.0f - 2.0f / (1.0f + e);
	series = series * q - 17.0f / 315.0f;
	series = series * q + 2.0f / 15.0f;
	series = series * q - 1.0f / 3.0f;
	series = v + v * q * series;
	lanes_choose(&small, &series, y);
}

/* *y, *slope <- the function of a kind of layer. */
LANES_INLINE void curve_lanes(enum layer_kind kind, int form, const lanes *x, lanes *y,
			      lanes *slope)
{
	lanes s;

	switch (kind) {
	case LAYER_TANH:
		tanh_lanes(x, y);
		*slope = 1.0f - *y * *y;
		break;
	case LAYER_SIGMOID:
		sigmoid_lanes(x, y);
		*slope = *y * (1.0f - *y);
		break;
	case LAYER_SILU:
		sigmoid_lanes(x, &s);
		*slope = s + *x * s * (1.0f - s);
		*y = *x * s;
		break;
	case LAYER_GELU:
		if (form == GELU_TANH)
			gelu_tanh(x, y, slope);
		else
			gelu_erf(x, y, slope);
		break;
	default:
		BUG("layers of kind %d are no functions of one value", (int)kind);
	}
}

WIDE_FUSED static void curve_all(enum layer_kind kind, int form, size_t n, const float *x, float *y,
			   float *slope)
{
	lanes v, to, s;

	for (size_t k = 0; k < n; k += LANES, x += LANES, y += LANES, slope += LANES) {
		const size_t left = lanes_left(n, k);

		__builtin_prefetch(y + AHEAD, 1);
		__builtin_prefetch(slope + AHEAD, 1);
		lanes_load(left, x, 0.0f, &v);
		curve_lanes(kind, form, &v, &to, &s);
		lanes_store(left, &to, y);
		lanes_store(left, &s, slope);
	}
}

void curve_up(const struct layer *l, size_t n, const float *x, float *y, float *slope)
{
	curve_all(l->kind, l->form, n, x, y, slope);
}

LANES_INLINE void curve_map(void (*curve)(const lanes *, lanes *), size_t n, const float *x,
			    float *y)
{
	lanes v, to;

	for (size_t k = 0; k < n; k += LANES) {
		const size_t left = lanes_left(n, k);

		lanes_load(left, x + k, 0.0f, &v);
		curve(&v, &to);
		lanes_store(left, &to, y + k);
	}
}

WIDE_FUSED void curve_sigmoid(size_t n, float *x)
{
	curve_map(sigmoid_lanes, n, x, x);
}

WIDE_FUSED void curve_tanh(size_t n, const float *x, float *y)
{
	curve_map(tanh_lanes, n, x, y);
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

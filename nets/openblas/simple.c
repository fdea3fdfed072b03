/*
 * simple.c - layers that look at one value at a time.
 *
 * y may be x, and then dx is dy: each loop reads an element before it writes it.
 */
#include "core/math/wide.h"
#include "nets/openblas/openblas.h"

#include <string.h>

static size_t openblas_simple_total(const struct ob *c, int i, const struct ob_part *p)
{
	return p->n * ob_width(c, i);
}

/* dx <- (or +=) dy, unless they are one. */
static void pass_on(size_t n, const float *dy, bool add, float *dx)
{
	if (!dx || dx == dy)
		return;
	if (add)
		ob_add_into(n, dy, dx);
	else
		memcpy(dx, dy, n * sizeof(*dx));
}

/* ---- relu: NaN stays NaN ---- */

WIDE static void relu_up(size_t n, const float *x, float *y)
{
	for (size_t k = 0; k < n; k++)
		y[k] = x[k] <= 0.0f ? 0.0f : x[k];
}

WIDE static void relu_down(size_t n, const float *y, const float *dy, bool add, float *dx)
{
	for (size_t k = 0; k < n; k++) {
		float d = y[k] <= 0.0f ? 0.0f : dy[k];

		dx[k] = add ? dx[k] + d : d;
	}
}

static void relu_forward(struct ob *c, int i, const struct ob_part *p)
{
	relu_up(openblas_simple_total(c, i, p), ob_y(c, c->g->layers[i].in[0], p), ob_y(c, i, p));
}

static void relu_backward(struct ob *c, int i, const struct ob_part *p)
{
	bool add;
	float *dx = ob_dx(c, i, 0, p, &add);

	if (dx)
		relu_down(openblas_simple_total(c, i, p), ob_y(c, i, p), ob_dy(c, i, p), add, dx);
}

const struct ob_op ob_relu = {
	.forward = relu_forward, .backward = relu_backward,
	.inplace = true, .keeps_sign = true, .reads_sign = true,
};

/* ---- dropout: keeps the mask ---- */

WIDE static void mask_up(size_t n, const float *x, const float *mask, float *y)
{
	for (size_t k = 0; k < n; k++)
		y[k] = x[k] * mask[k];
}

WIDE static void mask_down(size_t n, const float *dy, const float *mask, bool add, float *dx)
{
	for (size_t k = 0; k < n; k++) {
		float d = dy[k] * mask[k];

		dx[k] = add ? dx[k] + d : d;
	}
}

size_t ob_save_output(const struct layer *l, size_t n)
{
	return n * shape_count(l->os);
}

static bool openblas_simple_drops(const struct ob *c, int i)
{
	return c->pass == PASS_TRAIN && c->use && c->g->layers[i].rate > 0.0;
}

static float *mask_of(const struct ob *c, int i, const struct ob_part *p)
{
	return (float *)c->save[i] + p->first * ob_width(c, i);
}

/* A partition may begin or end within a sample. */
static void draw_masks(const struct ob *c, int i, const struct ob_part *p, float *mask)
{
	const size_t width = ob_width(c, i);

	for (size_t r = p->first, n; r < p->first + p->n; r += n, mask += n * width) {
		const size_t sample = r / c->rows, row = r % c->rows, left = p->first + p->n - r;

		n = c->rows - row < left ? c->rows - row : left;
		dropout_units(row * width, n * width, c->g->layers[i].rate, c->seed, (uint32_t)i,
			      c->use[sample], mask);
	}
}

static void dropout_forward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	const float *x = ob_y(c, l->in[0], p);
	float *mask = mask_of(c, i, p);

	if (!openblas_simple_drops(c, i)) {
		pass_on(openblas_simple_total(c, i, p), x, false, ob_y(c, i, p));
		return;
	}
	draw_masks(c, i, p, mask);
	mask_up(openblas_simple_total(c, i, p), x, mask, ob_y(c, i, p));
}

static void dropout_backward(struct ob *c, int i, const struct ob_part *p)
{
	bool add;
	float *dx = ob_dx(c, i, 0, p, &add);

	if (!openblas_simple_drops(c, i))
		pass_on(openblas_simple_total(c, i, p), ob_dy(c, i, p), add, dx);
	else if (dx)
		mask_down(openblas_simple_total(c, i, p), ob_dy(c, i, p), mask_of(c, i, p), add,
			  dx);
}

const struct ob_op ob_dropout = {
	.save = ob_save_output, .forward = dropout_forward, .backward = dropout_backward,
	.inplace = true, .keeps_sign = true,
};

/* ---- add ---- */

static void add_forward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];

	pass_on(openblas_simple_total(c, i, p), ob_y(c, l->in[0], p), false, ob_y(c, i, p));
	ob_add_into(openblas_simple_total(c, i, p), ob_y(c, l->in[1], p), ob_y(c, i, p));
}

static void add_backward(struct ob *c, int i, const struct ob_part *p)
{
	for (int k = 0; k < 2; k++) {
		bool add;
		float *dx = ob_dx(c, i, k, p, &add);

		pass_on(openblas_simple_total(c, i, p), ob_dy(c, i, p), add, dx);
	}
}

const struct ob_op ob_add = {
	.forward = add_forward, .backward = add_backward, .inplace = true,
};

/* ---- shortcut: every stride-th pixel, zero channels appended ---- */

/* The input pixel that output pixel r of the batch copies, in floats. */
static size_t openblas_simple_source(const struct layer *l, size_t r)
{
	size_t ow = (size_t)l->os.w, oh = (size_t)l->os.h, s = (size_t)l->stride;
	size_t ox = r % ow, oy = r / ow % oh, i = r / ow / oh;

	return ((i * (size_t)l->is.h + oy * s) * (size_t)l->is.w + ox * s) * (size_t)l->is.c;
}

static void shortcut_forward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	const size_t in = (size_t)l->is.c, out = (size_t)l->os.c;
	const size_t rows = p->n * (size_t)(l->os.h * l->os.w);
	const float *x = ob_y(c, l->in[0], p);
	float *y = ob_y(c, i, p);

	for (size_t r = 0; r < rows; r++, y += out) {
		memcpy(y, x + openblas_simple_source(l, r), in * sizeof(*y));
		memset(y + in, 0, (out - in) * sizeof(*y));
	}
}

static void shortcut_backward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	const size_t in = (size_t)l->is.c, out = (size_t)l->os.c;
	const size_t rows = p->n * (size_t)(l->os.h * l->os.w);
	const float *dy = ob_dy(c, i, p);
	bool add;
	float *dx = ob_dx(c, i, 0, p, &add);

	if (!dx)
		return;
	if (!add)
		memset(dx, 0, p->n * shape_count(l->is) * sizeof(*dx));
	for (size_t r = 0; r < rows; r++)
		ob_add_into(in, dy + r * out, dx + openblas_simple_source(l, r));
}

const struct ob_op ob_shortcut = { .forward = shortcut_forward, .backward = shortcut_backward };

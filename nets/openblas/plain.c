/*
 * plain.c - layers that are a few loops: on one value at a time, on channels, on windows of pixels.
 *
 * y may overwrite x, and dx dy: each loop reads an element before it writes it.
 */
#include "nets/openblas/openblas.h"

#include "core/math/wide.h"

#include <string.h>

static size_t plain_values(const struct ob *c, int i, const struct ob_part *p)
{
	return p->n * ob_width(c, i);
}

/* dx <- (or +=) dy, unless they are the same buffer. */
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
	relu_up(plain_values(c, i, p), ob_y(c, c->g->layers[i].in[0], p), ob_y(c, i, p));
}

static void relu_backward(struct ob *c, int i, const struct ob_part *p)
{
	bool add;
	float *dx = ob_dx(c, i, 0, p, &add);

	if (dx)
		relu_down(plain_values(c, i, p), ob_y(c, i, p), ob_dy(c, i, p), add, dx);
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

static void dropout_forward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	const size_t width = ob_width(c, i), end = p->first + p->n;
	const float *x = ob_y(c, l->in[0], p);
	float *mask = ob_kept(c, i, p);

	if (!ob_drops(c, i)) {
		pass_on(plain_values(c, i, p), x, false, ob_y(c, i, p));
		return;
	}
	/* A partition may begin or end within a sample. */
	for (size_t r = p->first, n; r < end; r += n) {
		const size_t sample = r / c->rows, row = r % c->rows;

		n = size_least(c->rows - row, end - r);
		dropout_units(row * width, n * width, l->rate, c->seed, (uint32_t)i,
			      c->use[sample], mask + (r - p->first) * width);
	}
	mask_up(plain_values(c, i, p), x, mask, ob_y(c, i, p));
}

static void dropout_backward(struct ob *c, int i, const struct ob_part *p)
{
	bool add;
	float *dx = ob_dx(c, i, 0, p, &add);

	if (!ob_drops(c, i))
		pass_on(plain_values(c, i, p), ob_dy(c, i, p), add, dx);
	else if (dx)
		mask_down(plain_values(c, i, p), ob_dy(c, i, p), ob_kept(c, i, p), add,
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

	pass_on(plain_values(c, i, p), ob_y(c, l->in[0], p), false, ob_y(c, i, p));
	ob_add_into(plain_values(c, i, p), ob_y(c, l->in[1], p), ob_y(c, i, p));
}

static void add_backward(struct ob *c, int i, const struct ob_part *p)
{
	for (int k = 0; k < 2; k++) {
		bool add;
		float *dx = ob_dx(c, i, k, p, &add);

		pass_on(plain_values(c, i, p), ob_dy(c, i, p), add, dx);
	}
}

const struct ob_op ob_add = {
	.forward = add_forward, .backward = add_backward, .inplace = true,
};

/* ---- shortcut: every stride-th pixel, zero channels appended ---- */

/* Offset of the input pixel that output pixel r of the batch copies, in floats. */
static size_t shortcut_source(const struct layer *l, size_t r)
{
	size_t ow = (size_t)l->os.w, oh = (size_t)l->os.h, s = (size_t)l->stride;
	size_t ox = r % ow, oy = r / ow % oh, i = r / ow / oh;

	return ((i * (size_t)l->is.h + oy * s) * (size_t)l->is.w + ox * s) * (size_t)l->is.c;
}

static void shortcut_forward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	const size_t in = (size_t)l->is.c, out = (size_t)l->os.c;
	const size_t rows = p->n * ob_pixels(l);
	const float *x = ob_y(c, l->in[0], p);
	float *y = ob_y(c, i, p);

	for (size_t r = 0; r < rows; r++, y += out) {
		memcpy(y, x + shortcut_source(l, r), in * sizeof(*y));
		memset(y + in, 0, (out - in) * sizeof(*y));
	}
}

static void shortcut_backward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	const size_t in = (size_t)l->is.c, out = (size_t)l->os.c;
	const size_t rows = p->n * ob_pixels(l);
	const float *dy = ob_dy(c, i, p);
	bool add;
	float *dx = ob_dx(c, i, 0, p, &add);

	if (!dx)
		return;
	if (!add)
		memset(dx, 0, p->n * shape_count(l->is) * sizeof(*dx));
	for (size_t r = 0; r < rows; r++)
		ob_add_into(in, dy + r * out, dx + shortcut_source(l, r));
}

const struct ob_op ob_shortcut = { .forward = shortcut_forward, .backward = shortcut_backward };

/* ---- concat ---- */

/* Channels of the k-th input; *from <- the first one in the output. */
static size_t concat_width(const struct ob *c, const struct layer *l, int k, size_t *from)
{
	*from = k ? (size_t)l->is.c : 0;
	return (size_t)c->g->layers[l->in[k]].os.c;
}

static void concat_forward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	float *y = ob_y(c, i, p);
	const size_t rows = p->n * ob_pixels(l), all = (size_t)l->os.c;

	for (int k = 0; k < 2; k++) {
		size_t from, width = concat_width(c, l, k, &from);
		const float *x = ob_y(c, l->in[k], p);

		for (size_t r = 0; r < rows; r++)
			memcpy(y + r * all + from, x + r * width, width * sizeof(*x));
	}
}

/* dx[rows][width] <- (or +=) dy[rows][all] */
WIDE static void concat_take(size_t rows, size_t width, size_t all, const float *restrict dy,
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
		size_t from, width = concat_width(c, l, k, &from);
		bool add;
		float *dx = ob_dx(c, i, k, p, &add);

		if (dx)
			concat_take(p->n * ob_pixels(l), width, (size_t)l->os.c,
				  ob_dy(c, i, p) + from, add, dx);
	}
}

const struct ob_op ob_concat = { .forward = concat_forward, .backward = concat_backward };

/* ---- pooling ---- */

/* The pixels [y0, y1) x [x0, x1) of the image that a window covers; at least one. */
struct window {
	int y0, y1, x0, x1;
};

static struct window window_at(const struct layer *l, int oy, int ox)
{
	int y = oy * l->stride - l->pad, x = ox * l->stride - l->pad;

	return (struct window){
		y < 0 ? 0 : y, y + l->kernel < l->is.h ? y + l->kernel : l->is.h,
		x < 0 ? 0 : x, x + l->kernel < l->is.w ? x + l->kernel : l->is.w,
	};
}

/* Function of one window, whose output pixel is at `to` of an image's output. */
typedef void (*window_fn)(const struct layer *l, struct window w, size_t to, const float *from,
			  float *into, int32_t *best);

/* Calls f for all windows of n images. `step_from`, `step_into`: floats of an image. */
static void each_window(const struct layer *l, size_t n, window_fn f, const float *from,
			size_t step_from, float *into, size_t step_into, int32_t *best)
{
	for (size_t i = 0; i < n; i++)
		for (int oy = 0; oy < l->os.h; oy++)
			for (int ox = 0; ox < l->os.w; ox++) {
				size_t to = (size_t)(oy * l->os.w + ox) * (size_t)l->os.c;

				f(l, window_at(l, oy, ox), to, from + i * step_from,
				  into + i * step_into,
				  best ? best + i * shape_count(l->os) : NULL);
			}
}

static size_t pool_pixel(const struct layer *l, int y, int x)
{
	return (size_t)(y * l->is.w + x) * (size_t)l->is.c;
}

/* ---- maxpool: keeps the position of each maximum ---- */

/* y[c] <- maximum of y and x, which is at position `at`; best[c] <- position of the maximum. */
static inline void pool_larger(size_t c, const float *restrict x, int32_t at,
					float *restrict y, int32_t *restrict best)
{
	for (size_t k = 0; k < c; k++) {
		const float a = x[k], b = y[k];
		const int32_t here = at + (int32_t)k, there = best[k];

		y[k] = a > b ? a : b;
		best[k] = a > b ? here : there;
	}
}

WIDE static void max_window(const struct layer *l, struct window w, size_t to, const float *x,
			    float *y, int32_t *best)
{
	const size_t c = (size_t)l->is.c, first = pool_pixel(l, w.y0, w.x0);

	memcpy(y + to, x + first, c * sizeof(*y));
	for (size_t k = 0; k < c; k++)
		best[to + k] = (int32_t)(first + k);
	for (int iy = w.y0; iy < w.y1; iy++)
		for (int ix = w.x0; ix < w.x1; ix++) {
			const size_t at = pool_pixel(l, iy, ix);

			pool_larger(c, x + at, (int32_t)at, y + to, best + to);
		}
}

static int32_t *best_of(const struct ob *c, int i, const struct ob_part *p)
{
	return (int32_t *)c->save[i] + p->first * shape_count(c->g->layers[i].os);
}

static void maxpool_forward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];

	each_window(l, p->n, max_window, ob_y(c, l->in[0], p), shape_count(l->is), ob_y(c, i, p),
		    shape_count(l->os), best_of(c, i, p));
}

static void maxpool_backward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	const size_t in = shape_count(l->is), out = shape_count(l->os);
	const int32_t *best = best_of(c, i, p);
	const float *dy = ob_dy(c, i, p);
	bool add;
	float *dx = ob_dx(c, i, 0, p, &add);

	if (!dx)
		return;
	if (!add)
		memset(dx, 0, p->n * in * sizeof(*dx));
	for (size_t k = 0; k < p->n; k++, dx += in, dy += out, best += out)
		for (size_t j = 0; j < out; j++)
			dx[best[j]] += dy[j];
}

const struct ob_op ob_maxpool = {
	.save = ob_save_output, .forward = maxpool_forward, .backward = maxpool_backward,
};

/* ---- avgpool ---- */

WIDE static void avg_window(const struct layer *l, struct window w, size_t to, const float *x,
			    float *y, int32_t *best)
{
	const float part = 1.0f / (float)((w.y1 - w.y0) * (w.x1 - w.x0));

	(void)best;
	y += to;
	memset(y, 0, (size_t)l->is.c * sizeof(*y));
	for (int iy = w.y0; iy < w.y1; iy++)
		for (int ix = w.x0; ix < w.x1; ix++)
			for (int k = 0; k < l->is.c; k++)
				y[k] += x[pool_pixel(l, iy, ix) + (size_t)k];
	for (int k = 0; k < l->is.c; k++)
		y[k] *= part;
}

WIDE static void avg_back_window(const struct layer *l, struct window w, size_t to,
				 const float *dy, float *dx, int32_t *best)
{
	const float part = 1.0f / (float)((w.y1 - w.y0) * (w.x1 - w.x0));

	(void)best;
	for (int iy = w.y0; iy < w.y1; iy++)
		for (int ix = w.x0; ix < w.x1; ix++)
			for (int k = 0; k < l->is.c; k++)
				dx[pool_pixel(l, iy, ix) + (size_t)k] +=
					part * dy[to + (size_t)k];
}

static void avgpool_forward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];

	each_window(l, p->n, avg_window, ob_y(c, l->in[0], p), shape_count(l->is), ob_y(c, i, p),
		    shape_count(l->os), NULL);
}

static void avgpool_backward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	bool add;
	float *dx = ob_dx(c, i, 0, p, &add);

	if (!dx)
		return;
	if (!add)
		memset(dx, 0, p->n * shape_count(l->is) * sizeof(*dx));
	each_window(l, p->n, avg_back_window, ob_dy(c, i, p), shape_count(l->os), dx,
		    shape_count(l->is), NULL);
}

const struct ob_op ob_avgpool = { .forward = avgpool_forward, .backward = avgpool_backward };

/* ---- globalpool ---- */

static void globalpool_forward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	const size_t pixels = (size_t)l->is.h * (size_t)l->is.w, ch = (size_t)l->is.c;
	const float *x = ob_y(c, l->in[0], p);
	float *y = ob_y(c, i, p);
	double *sums = ob_lane(c, p)->sums;

	for (size_t k = 0; k < p->n; k++) {
		ob_sum(pixels, ch, x + k * pixels * ch, sums);
		for (size_t j = 0; j < ch; j++)
			y[k * ch + j] = (float)(sums[j] / (double)pixels);
	}
}

static void globalpool_backward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	const size_t pixels = (size_t)l->is.h * (size_t)l->is.w, ch = (size_t)l->is.c;
	const float part = 1.0f / (float)pixels, *all = ob_dy(c, i, p);
	bool add;
	float *dx = ob_dx(c, i, 0, p, &add);

	for (size_t r = 0; dx && r < p->n * pixels; r++) {
		const float *dy = all + r / pixels * ch;

		for (size_t j = 0; j < ch; j++)
			dx[r * ch + j] = (add ? dx[r * ch + j] : 0.0f) + part * dy[j];
	}
}

const struct ob_op ob_globalpool = {
	.forward = globalpool_forward, .backward = globalpool_backward,
};

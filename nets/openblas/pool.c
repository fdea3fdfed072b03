/* Largest or mean pixel of a window, mean of the image. */
#include "core/math/wide.h"
#include "nets/openblas/openblas.h"

#include <string.h>

/* The pixels [y0, y1) x [x0, x1) of the image that a window covers: at least one. */
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

/* What is done with one window: its output pixel is at `to` of an image's output. */
typedef void (*window_fn)(const struct layer *l, struct window w, size_t to, const float *from,
			  float *into, int32_t *best);

/* Calls f for all windows of n images. `step_from`, `step_into`: floats an image. */
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

static size_t openblas_pool_pixel(const struct layer *l, int y, int x)
{
	return (size_t)(y * l->is.w + x) * (size_t)l->is.c;
}

/* ---- maxpool: keeps where in the image each largest value was ---- */

/* y[c] <- the larger of it and of x[c], which lies at `at`; best[c]: where that was. */
static inline void openblas_pool_larger(size_t c, const float *restrict x, int32_t at,
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
	const size_t c = (size_t)l->is.c, first = openblas_pool_pixel(l, w.y0, w.x0);

	memcpy(y + to, x + first, c * sizeof(*y));
	for (size_t k = 0; k < c; k++)
		best[to + k] = (int32_t)(first + k);
	for (int iy = w.y0; iy < w.y1; iy++)
		for (int ix = w.x0; ix < w.x1; ix++) {
			const size_t at = openblas_pool_pixel(l, iy, ix);

			openblas_pool_larger(c, x + at, (int32_t)at, y + to, best + to);
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

static float openblas_pool_share(struct window w)
{
	return 1.0f / (float)((w.y1 - w.y0) * (w.x1 - w.x0));
}

WIDE static void avg_window(const struct layer *l, struct window w, size_t to, const float *x,
			    float *y, int32_t *best)
{
	const float part = openblas_pool_share(w);

	(void)best;
	y += to;
	memset(y, 0, (size_t)l->is.c * sizeof(*y));
	for (int iy = w.y0; iy < w.y1; iy++)
		for (int ix = w.x0; ix < w.x1; ix++)
			for (int k = 0; k < l->is.c; k++)
				y[k] += x[openblas_pool_pixel(l, iy, ix) + (size_t)k];
	for (int k = 0; k < l->is.c; k++)
		y[k] *= part;
}

WIDE static void avg_back_window(const struct layer *l, struct window w, size_t to,
				 const float *dy, float *dx, int32_t *best)
{
	const float part = openblas_pool_share(w);

	(void)best;
	for (int iy = w.y0; iy < w.y1; iy++)
		for (int ix = w.x0; ix < w.x1; ix++)
			for (int k = 0; k < l->is.c; k++)
				dx[openblas_pool_pixel(l, iy, ix) + (size_t)k] +=
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

/*
 * layernorm.c - at each token y = (x - mean) r gamma + beta, r = 1 / sqrt(variance + eps).
 *
 * Sums over a token's channels are taken in LANES sums, which are then added in their order.
 * Training keeps mean and r of each token.
 */
#include "core/math/wide.h"
#include "nets/openblas/lanes.h"
#include "nets/openblas/openblas.h"

#include <math.h>
#include <string.h>

enum { KEPT = 2 };

LANES_INLINE float layernorm_sum(size_t n, const float *x)
{
	lanes s = { 0 }, v;

	for (size_t k = 0; k < n; k += LANES) {
		lanes_load(lanes_left(n, k), x + k, 0.0f, &v);
		s += v;
	}
	return lanes_sum(&s);
}

LANES_INLINE float layernorm_square(size_t n, const float *x, float mean)
{
	lanes s = { 0 }, v;

	for (size_t k = 0; k < n; k += LANES) {
		lanes_load(lanes_left(n, k), x + k, mean, &v);
		v -= mean;
		s += v * v;
	}
	return lanes_sum(&s);
}

/* beta NULL: none. */
LANES_INLINE void layernorm_row(size_t n, float mean, float r, const float *x, const float *gamma,
				const float *beta, float *y)
{
	lanes v, by, more;

	for (size_t k = 0; k < n; k += LANES) {
		const size_t left = lanes_left(n, k);

		lanes_load(left, x + k, 0.0f, &v);
		lanes_load(left, gamma + k, 0.0f, &by);
		v = (v - mean) * r * by;
		if (beta) {
			lanes_load(left, beta + k, 0.0f, &more);
			v += more;
		}
		lanes_store(left, &v, y + k);
	}
}

WIDE static void layernorm_rows(size_t rows, size_t n, float eps, const float *x,
				const float *gamma, const float *beta, float *y, float *kept)
{
	for (size_t i = 0; i < rows; i++, x += n, y += n, kept += KEPT) {
		const float mean = layernorm_sum(n, x) / (float)n;
		const float r = 1.0f / sqrtf(layernorm_square(n, x, mean) / (float)n + eps);

		kept[0] = mean;
		kept[1] = r;
		layernorm_row(n, mean, r, x, gamma, beta, y);
	}
}

static size_t layernorm_save(const struct layer *l, size_t n)
{
	return n * (size_t)(l->os.h * l->os.w) * KEPT;
}

static float *layernorm_kept(const struct ob *c, int i, const struct ob_part *p)
{
	return (float *)c->save[i] + p->first * KEPT;
}

static void layernorm_forward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];

	layernorm_rows(p->n, ob_width(c, i), (float)l->eps, ob_y(c, l->in[0], p),
		       c->x + l->weight, l->bias ? c->x + l->beta : NULL, ob_y(c, i, p),
		       layernorm_kept(c, i, p));
}

/*
 * With u = (x - mean) r and g = dy gamma: dx = r (g - mean of g - u mean of g u). dgamma += dy u,
 * dbeta += dy. dx NULL: none.
 */
LANES_INLINE void layernorm_row_back(size_t n, const float *x, const float *kept,
				     const float *gamma, const float *dy, bool add, float *dx)
{
	const float mean = kept[0], r = kept[1];
	lanes s = { 0 }, d = { 0 }, u, g, by;
	float sum, dot;

	for (size_t k = 0; k < n; k += LANES) {
		const size_t left = lanes_left(n, k);

		lanes_load(left, dy + k, 0.0f, &g);
		lanes_load(left, gamma + k, 0.0f, &by);
		lanes_load(left, x + k, mean, &u);
		g *= by;
		s += g;
		d += g * ((u - mean) * r);
	}
	sum = lanes_sum(&s) / (float)n;
	dot = lanes_sum(&d) / (float)n;
	for (size_t k = 0; k < n; k += LANES) {
		const size_t left = lanes_left(n, k);

		lanes_load(left, dy + k, 0.0f, &g);
		lanes_load(left, gamma + k, 0.0f, &by);
		lanes_load(left, x + k, mean, &u);
		g = r * (g * by - sum - (u - mean) * r * dot);
		if (add) {
			lanes_load(left, dx + k, 0.0f, &u);
			g = u + g;
		}
		lanes_store(left, &g, dx + k);
	}
}

WIDE static void layernorm_rows_back(size_t rows, size_t n, const float *x, const float *kept,
				     const float *gamma, const float *dy, bool add, float *dx)
{
	for (size_t i = 0; i < rows; i++)
		layernorm_row_back(n, x + i * n, kept + i * KEPT, gamma, dy + i * n, add,
				   dx + i * n);
}

WIDE static void layernorm_scales(size_t rows, size_t n, const float *x, const float *kept,
				  const float *dy, float *dgamma)
{
	for (size_t i = 0; i < rows; i++, x += n, dy += n, kept += KEPT)
		for (size_t k = 0; k < n; k++)
			dgamma[k] += dy[k] * ((x[k] - kept[0]) * kept[1]);
}

WIDE static void layernorm_shifts(size_t rows, size_t n, const float *dy, float *dbeta)
{
	for (size_t i = 0; i < rows; i++, dy += n)
		for (size_t k = 0; k < n; k++)
			dbeta[k] += dy[k];
}

/* The partitions add in their order. */
static void layernorm_gradient(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	const size_t n = ob_width(c, i);
	const float *dy = ob_dy(c, i, p);

	ob_wait(c, i, p);
	if (!p->k)
		memset(c->grad + l->weight, 0,
		       (l->weights + l->biases) * sizeof(*c->grad));
	layernorm_scales(p->n, n, ob_y(c, l->in[0], p), layernorm_kept(c, i, p), dy,
			 c->grad + l->weight);
	if (l->bias)
		layernorm_shifts(p->n, n, dy, c->grad + l->beta);
	ob_pass(c, i);
}

static void layernorm_backward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	bool add;
	float *dx = ob_dx(c, i, 0, p, &add);

	layernorm_gradient(c, i, p);
	if (dx)
		layernorm_rows_back(p->n, ob_width(c, i), ob_y(c, l->in[0], p),
				    layernorm_kept(c, i, p), c->x + l->weight, ob_dy(c, i, p), add,
				    dx);
}

const struct ob_op ob_layernorm = {
	.save = layernorm_save, .forward = layernorm_forward, .backward = layernorm_backward,
};

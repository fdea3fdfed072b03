/*
 * lrn.c - local response normalisation across channels (Krizhevsky et al. 2012)
 * with Caffe's constants. Over the n channels around each one, as far as they exist:
 *
 *     s = k + alpha / n sum x^2,     y = x s^-beta
 *     dx = dy s^-beta - 2 alpha beta / n x sum(dy x s^-(beta + 1))
 *
 * Backward computes s again: cheaper than to keep and to read it.
 */
#include "core/math/wide.h"
#include "nets/openblas/openblas.h"

#include <math.h>
#include <string.h>

/* The channels of one pixel. */
struct row {
	size_t c, n, pad;       /* channels; of a window; of it, before its middle */
	float *a, *b;           /* [c + n]: what is summed, after pad zeros, and memory for it */
	float *s, *down;        /* [c]: s, s^-beta */
	float *sum;             /* [c] */
};

static size_t lrn_cols(const struct layer *l)
{
	return 5 * (size_t)l->os.c + 2 * (size_t)l->kernel;
}

static struct row row_over(const struct layer *l, float *memory)
{
	size_t c = (size_t)l->os.c, n = (size_t)l->kernel;
	struct row r = { .c = c, .n = n, .pad = n / 2, .a = memory };

	r.b = r.a + c + n;
	r.s = r.b + c + n;
	r.down = r.s + c;
	r.sum = r.down + c;
	return r;
}

static inline void add_pairs(size_t n, size_t apart, const float *restrict a, float *restrict b)
{
	for (size_t j = 0; j < n; j++)
		b[j] = a[j] + a[j + apart];
}

/*
 * sum[j] <- a[j] + ... + a[j + n - 1], from sums of 1, 2, 4, ... neighbours: as many
 * additions as n has binary digits. Overwrites a and b.
 */
static inline void window_sums(const struct row *r, float *restrict sum)
{
	const size_t all = r->c + r->n - 1;
	float *a = r->a, *b = r->b, *t;
	size_t from = 0;

	memset(sum, 0, r->c * sizeof(*sum));
	for (size_t w = 1; w <= r->n; w *= 2) {
		if (r->n & w) {
			for (size_t j = 0; j < r->c; j++)
				sum[j] += a[j + from];
			from += w;
		}
		if (2 * w > r->n)
			return;
		add_pairs(all - 2 * w + 1, w, a, b);
		t = a, a = b, b = t;
	}
}

/* Zeros where windows run over the edges. */
static inline void clear_edges(const struct row *r)
{
	memset(r->a, 0, r->pad * sizeof(float));
	memset(r->a + r->pad + r->c, 0, r->pad * sizeof(float));
}

/* s and s^-beta of one pixel. */
static inline void scale_row(const struct layer *l, const struct row *r, const float *restrict x)
{
	const float part = (float)(l->alpha / l->kernel), k = (float)l->k;
	const float power = (float)-l->power;
	float *restrict a = r->a + r->pad, *restrict s = r->s, *restrict down = r->down;

	clear_edges(r);
	for (size_t j = 0; j < r->c; j++)
		a[j] = x[j] * x[j];
	window_sums(r, s);
	for (size_t j = 0; j < r->c; j++)
		s[j] = k + part * s[j];
	if (l->power == 0.75)
		for (size_t j = 0; j < r->c; j++)
			down[j] = 1.0f / (sqrtf(s[j]) * sqrtf(sqrtf(s[j])));
	else
		for (size_t j = 0; j < r->c; j++)
			down[j] = powf(s[j], power);
}

WIDE static void up_rows(const struct layer *l, struct row r, size_t rows,
			 const float *restrict x, float *restrict y)
{
	for (size_t i = 0; i < rows; i++, x += r.c, y += r.c) {
		scale_row(l, &r, x);
		for (size_t j = 0; j < r.c; j++)
			y[j] = x[j] * r.down[j];
	}
}

WIDE static void down_rows(const struct layer *l, struct row r, size_t rows,
			   const float *restrict x, const float *restrict dy, bool add,
			   float *restrict dx)
{
	const float part = (float)(-2.0 * l->alpha * l->power / l->kernel);
	float *restrict a = r.a + r.pad;

	for (size_t i = 0; i < rows; i++, x += r.c, dy += r.c, dx += r.c) {
		scale_row(l, &r, x);
		clear_edges(&r);
		for (size_t j = 0; j < r.c; j++)
			a[j] = dy[j] * x[j] * r.down[j] / r.s[j];
		window_sums(&r, r.sum);
		for (size_t j = 0; j < r.c; j++) {
			float d = dy[j] * r.down[j] + part * x[j] * r.sum[j];

			dx[j] = add ? dx[j] + d : d;
		}
	}
}

static size_t lrn_rows(const struct layer *l, const struct ob_part *p)
{
	return p->n * (size_t)(l->os.h * l->os.w);
}

static void lrn_forward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];

	up_rows(l, row_over(l, ob_lane(c, p)->cols), lrn_rows(l, p), ob_y(c, l->in[0], p),
		ob_y(c, i, p));
}

static void lrn_backward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	bool add;
	float *dx = ob_dx(c, i, 0, p, &add);

	if (dx)
		down_rows(l, row_over(l, ob_lane(c, p)->cols), lrn_rows(l, p),
			  ob_y(c, l->in[0], p), ob_dy(c, i, p), add, dx);
}

const struct ob_op ob_lrn = { .cols = lrn_cols, .forward = lrn_forward, .backward = lrn_backward };

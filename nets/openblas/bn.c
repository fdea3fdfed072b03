/*
 * bn.c - batch normalisation over n, h, w of each channel (Ioffe, Szegedy 2015).
 *
 *     y = gamma (x - mean) / sqrt(var + eps) + beta
 *
 * Each partition gathers its sums, which settle() puts together in their order.
 * Kept for backward: mean[c], 1 / sqrt(var + eps) [c].
 */
#include "core/math/wide.h"
#include "nets/openblas/openblas.h"

#include <math.h>
#include <string.h>

static size_t bn_save(const struct layer *l, size_t n)
{
	(void)n;
	return 5 * (size_t)l->os.c;     /* mean, scale, and three rows of coefficients */
}

static size_t openblas_bn_pixels(const struct layer *l)
{
	return (size_t)l->os.h * (size_t)l->os.w;
}

/* The k-th partition's two sums of each channel. */
static double *sums_of(const struct ob *c, const struct layer *l, int k)
{
	return c->sums + (size_t)k * 2 * (size_t)l->os.c;
}

/* ---- forward ---- */

/*
 * sum[c] of x, square[c] of (x - m)^2 for the partition's own mean m, which is a float
 * near that of sum / rows.
 */
static void bn_gather(struct ob *ob, int i, const struct ob_part *p)
{
	const struct layer *l = &ob->g->layers[i];
	const size_t c = (size_t)l->os.c, rows = p->n * openblas_bn_pixels(l);
	const float *x = ob_y(ob, l->in[0], p);
	float *m = ob_lane(ob, p)->cols;
	double *sum = sums_of(ob, l, p->k), *square = sum + c;

	if (ob->pass == PASS_EVAL)
		return;
	ob_sum(rows, c, x, sum);
	for (size_t k = 0; k < c; k++)
		m[k] = (float)(sum[k] / (double)rows);
	ob_square(rows, c, x, m, square);
	for (size_t k = 0; k < c; k++) {
		double off = sum[k] / (double)rows - (double)m[k];

		square[k] -= (double)rows * off * off;
	}
}

static size_t bn_cols(const struct layer *l)
{
	return (size_t)l->os.c;
}

/* Samples of the k-th partition. */
static double part_rows(const struct ob *c, const struct layer *l, int k)
{
	const size_t parts = (size_t)c->parts, at = (size_t)k;
	const size_t from = at * c->n / parts, to = (at + 1) * c->n / parts;

	return (double)((to - from) * openblas_bn_pixels(l));
}

/* mean and variance of all rows: the variance within partitions and that between them. */
static void settle_channel(const struct ob *c, const struct layer *l, size_t k, float *mean,
			   float *var)
{
	const double rows = (double)(c->n * openblas_bn_pixels(l));
	double sum = 0.0, square = 0.0, m;

	for (int q = 0; q < c->parts; q++)
		sum += sums_of(c, l, q)[k];
	m = sum / rows;
	for (int q = 0; q < c->parts; q++) {
		const double *s = sums_of(c, l, q), n = part_rows(c, l, q), off = s[k] / n - m;

		square += s[(size_t)l->os.c + k] + n * off * off;
	}
	*mean = (float)m;
	*var = (float)(square / rows);
}

/* mean[c], var[c] <- of this batch, or as given. */
static void bn_moments(struct ob *ob, const struct layer *l, float *mean, float *var)
{
	const size_t c = (size_t)l->os.c;

	if (ob->pass == PASS_EVAL) {
		memcpy(mean, ob->stats_in + l->stats, c * sizeof(*mean));
		memcpy(var, ob->stats_in + l->stats + c, c * sizeof(*var));
		return;
	}
	for (size_t k = 0; k < c; k++)
		settle_channel(ob, l, k, mean + k, var + k);
	if (ob->pass == PASS_STATS) {
		memcpy(ob->stats_out + l->stats, mean, c * sizeof(*mean));
		memcpy(ob->stats_out + l->stats + c, var, c * sizeof(*var));
	}
}

static void bn_settle(struct ob *ob, int i)
{
	const struct layer *l = &ob->g->layers[i];
	const size_t c = (size_t)l->os.c;
	const float *gamma = ob->x + l->weight;
	float *mean = ob->save[i], *scale = mean + c, *a = mean + 2 * c;

	bn_moments(ob, l, mean, scale);
	for (size_t k = 0; k < c; k++) {
		scale[k] = (float)(1.0 / sqrt((double)scale[k] + l->eps));
		a[k] = gamma[k] * scale[k];
	}
}

/* y <- (x - mean) a + b */
WIDE static void scale_rows(size_t rows, size_t c, const float *x, const float *mean,
			    const float *a, const float *b, float *y)
{
	for (size_t r = 0; r < rows; r++, x += c, y += c)
		for (size_t k = 0; k < c; k++)
			y[k] = (x[k] - mean[k]) * a[k] + b[k];
}

static void bn_forward(struct ob *ob, int i, const struct ob_part *p)
{
	const struct layer *l = &ob->g->layers[i];
	const size_t c = (size_t)l->os.c;
	const float *mean = ob->save[i];

	scale_rows(p->n * openblas_bn_pixels(l), c, ob_y(ob, l->in[0], p), mean, mean + 2 * c,
		   ob->x + l->beta, ob_y(ob, i, p));
}

/* ---- backward ---- */

static void bn_gather_back(struct ob *ob, int i, const struct ob_part *p)
{
	const struct layer *l = &ob->g->layers[i];
	const size_t c = (size_t)l->os.c;
	double *sum = sums_of(ob, l, p->k);

	ob_dot(p->n * openblas_bn_pixels(l), c, ob_y(ob, l->in[0], p), ob->save[i], ob_dy(ob, i, p),
	       sum, sum + c);
}

/*
 * With m rows, xhat = (x - mean) scale:  dbeta = sum dy,  dgamma = sum dy xhat,
 *     dx = gamma scale (dy - dbeta / m - xhat dgamma / m)
 */
static void bn_settle_back(struct ob *ob, int i)
{
	const struct layer *l = &ob->g->layers[i];
	const size_t c = (size_t)l->os.c;
	const double rows = (double)(ob->n * openblas_bn_pixels(l));
	const float *gamma = ob->x + l->weight;
	float *scale = (float *)ob->save[i] + c, *a = scale + c, *b = a + c, *o = b + c;

	for (size_t k = 0; k < c; k++) {
		double s = (double)scale[k], g = (double)gamma[k], sum = 0.0, dot = 0.0;

		for (int q = 0; q < ob->parts; q++) {
			sum += sums_of(ob, l, q)[k];
			dot += sums_of(ob, l, q)[c + k];
		}
		ob->grad[l->beta + k] = (float)sum;
		ob->grad[l->weight + k] = (float)(dot * s);
		a[k] = (float)(g * s);
		b[k] = (float)(-g * s * s * s * dot / rows);
		o[k] = (float)(-g * s * sum / rows);
	}
}

/* dx <- (or +=) dy a + (x - mean) b + o */
WIDE static void spread_rows(size_t rows, size_t c, const float *x, const float *mean,
			     const float *dy, const float *a, const float *b, const float *o,
			     bool add, float *dx)
{
	for (size_t r = 0; r < rows; r++, x += c, dy += c, dx += c)
		for (size_t k = 0; k < c; k++) {
			float d = dy[k] * a[k] + (x[k] - mean[k]) * b[k] + o[k];

			dx[k] = add ? dx[k] + d : d;
		}
}

static void bn_backward(struct ob *ob, int i, const struct ob_part *p)
{
	const struct layer *l = &ob->g->layers[i];
	const size_t c = (size_t)l->os.c;
	const float *mean = ob->save[i], *a = mean + 2 * c;
	bool add;
	float *dx = ob_dx(ob, i, 0, p, &add);

	if (dx)
		spread_rows(p->n * openblas_bn_pixels(l), c, ob_y(ob, l->in[0], p), mean,
			    ob_dy(ob, i, p), a, a + c, a + 2 * c, add, dx);
}

const struct ob_op ob_bn = {
	.save = bn_save, .cols = bn_cols,
	.gather = bn_gather, .settle = bn_settle, .forward = bn_forward,
	.gather_back = bn_gather_back, .settle_back = bn_settle_back, .backward = bn_backward,
};

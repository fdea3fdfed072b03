/*
 * openblas_bn.c - batch normalisation over n, h, w of each channel (Ioffe, Szegedy 2015).
 *
 *     y = gamma (x - mean) / sqrt(var + eps) + beta
 *
 * Kept for backward: mean[c], 1 / sqrt(var + eps) [c].
 */
#include "core/wide.h"
#include "nets/openblas.h"
#include "nets/layers.h"

#include <math.h>
#include <string.h>

static size_t bn_save(const struct layer *l, size_t n)
{
	(void)n;
	return 5 * (size_t)l->os.c;     /* mean, scale, and three rows of coefficients */
}

static size_t bn_rows(const struct ob *c, const struct layer *l)
{
	return c->n * (size_t)l->os.h * (size_t)l->os.w;
}

/* mean[c], var[c] <- of this batch, or as given. */
static void bn_moments(struct ob *ob, const struct layer *l, const float *x, float *mean,
		       float *var)
{
	size_t c = (size_t)l->os.c, rows = bn_rows(ob, l);

	if (ob->pass == PASS_EVAL) {
		memcpy(mean, ob->stats_in + l->stats, c * sizeof(*mean));
		memcpy(var, ob->stats_in + l->stats + c, c * sizeof(*var));
		return;
	}
	ob_sum(rows, c, x, ob->sums);
	for (size_t k = 0; k < c; k++)
		mean[k] = (float)(ob->sums[k] / (double)rows);
	ob_square(rows, c, x, mean, ob->sums);
	for (size_t k = 0; k < c; k++)
		var[k] = (float)(ob->sums[k] / (double)rows);
	if (ob->pass == PASS_STATS) {
		memcpy(ob->stats_out + l->stats, mean, c * sizeof(*mean));
		memcpy(ob->stats_out + l->stats + c, var, c * sizeof(*var));
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

static void bn_forward(struct ob *ob, int i)
{
	const struct layer *l = &ob->g->layers[i];
	size_t c = (size_t)l->os.c;
	const float *x = ob->y[l->in[0]], *gamma = ob->x + l->weight;
	float *mean = ob->save[i], *scale = mean + c, *a = mean + 2 * c;

	bn_moments(ob, l, x, mean, scale);
	for (size_t k = 0; k < c; k++) {
		scale[k] = (float)(1.0 / sqrt((double)scale[k] + l->eps));
		a[k] = gamma[k] * scale[k];
	}
	scale_rows(bn_rows(ob, l), c, x, mean, a, ob->x + l->beta, ob->y[i]);
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

/*
 * With m rows, xhat = (x - mean) scale:  dbeta = sum dy,  dgamma = sum dy xhat,
 *     dx = gamma scale (dy - dbeta / m - xhat dgamma / m)
 */
static void bn_backward(struct ob *ob, int i)
{
	const struct layer *l = &ob->g->layers[i];
	size_t c = (size_t)l->os.c, rows = bn_rows(ob, l);
	const float *x = ob->y[l->in[0]], *gamma = ob->x + l->weight, *dy = ob->dy[i];
	float *mean = ob->save[i], *scale = mean + c, *a = mean + 2 * c, *b = mean + 3 * c;
	float *o = mean + 4 * c;
	double *sum = ob->sums, *dot = sum + c;
	bool add;
	float *dx = ob_dx(ob, i, 0, &add);

	ob_dot(rows, c, x, mean, dy, sum, dot);
	for (size_t k = 0; k < c; k++) {
		double s = (double)scale[k], g = (double)gamma[k];

		ob->grad[l->beta + k] = (float)sum[k];
		ob->grad[l->weight + k] = (float)(dot[k] * s);
		a[k] = (float)(g * s);
		b[k] = (float)(-g * s * s * s * dot[k] / (double)rows);
		o[k] = (float)(-g * s * sum[k] / (double)rows);
	}
	if (dx)
		spread_rows(rows, c, x, mean, dy, a, b, o, add, dx);
}

const struct ob_op ob_bn = { .save = bn_save, .forward = bn_forward, .backward = bn_backward };

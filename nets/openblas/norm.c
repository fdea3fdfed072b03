/*
 * norm.c - normalisations: over a channel's pixels in the batch (bn), over a token's channels
 * (layernorm), and over neighbouring channels of a pixel (lrn).
 */
#include "nets/openblas/openblas.h"

#include "core/math/wide.h"
#include "nets/openblas/lanes/table.h"

#include <math.h>
#include <string.h>

/* ---- batch normalisation ---- */

/*
 * Batch normalisation over n, h, w of each channel (Ioffe, Szegedy 2015).
 *
 *     y = gamma (x - mean) / sqrt(var + eps) + beta
 *
 * Each partition computes sums, which settle() combines in their order. Kept for backward: mean[c],
 * 1 / sqrt(var + eps) [c].
 */

static size_t bn_save(const struct layer *l, size_t n)
{
	(void)n;
	return 5 * (size_t)l->os.c;     /* mean, scale, and three rows of coefficients */
}

/* Two sums for each channel of the k-th partition. */
static double *bn_sums(const struct ob *c, const struct layer *l, int k)
{
	return c->sums + (size_t)k * 2 * (size_t)l->os.c;
}

/* ---- forward ---- */

/* sum[c] of x, square[c] of (x - m)^2, where m is the partition's own mean, rounded to a float. */
static void bn_gather(struct ob *ob, int i, const struct ob_part *p)
{
	const struct layer *l = &ob->g->layers[i];
	const size_t c = (size_t)l->os.c, rows = p->n * ob_pixels(l);
	const float *x = ob_y(ob, l->in[0], p);
	float *m = ob_lane(ob, p)->cols;
	double *sum = bn_sums(ob, l, p->k), *square = sum + c;

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

static size_t bn_cols(const struct ob *c, const struct layer *l)
{
	(void)c;
	return (size_t)l->os.c;
}

/* Mean and variance of all rows: the variance within partitions plus that between them. */
static void bn_settle_channel(const struct ob *c, const struct layer *l, size_t k, float *mean,
			      float *var)
{
	const size_t pixels = ob_pixels(l), parts = (size_t)c->parts;
	const double rows = (double)(c->n * pixels);
	double sum = 0.0, square = 0.0, m;

	for (int q = 0; q < c->parts; q++)
		sum += bn_sums(c, l, q)[k];
	m = sum / rows;
	for (size_t q = 0; q < parts; q++) {
		const size_t samples = (q + 1) * c->n / parts - q * c->n / parts;
		const double *s = bn_sums(c, l, (int)q), n = (double)(samples * pixels);
		const double off = s[k] / n - m;

		square += s[(size_t)l->os.c + k] + n * off * off;
	}
	*mean = (float)m;
	*var = (float)(square / rows);
}

static void bn_settle(struct ob *ob, int i)
{
	const struct layer *l = &ob->g->layers[i];
	const size_t c = (size_t)l->os.c;
	const float *gamma = ob->x + l->weight;
	float *mean = ob->save[i], *scale = mean + c, *a = mean + 2 * c, *var = scale;

	if (ob->pass == PASS_EVAL) {
		memcpy(mean, ob->stats_in + l->stats, c * sizeof(*mean));
		memcpy(var, ob->stats_in + l->stats + c, c * sizeof(*var));
	} else {
		for (size_t k = 0; k < c; k++)
			bn_settle_channel(ob, l, k, mean + k, var + k);
	}
	if (ob->pass == PASS_STATS) {
		memcpy(ob->stats_out + l->stats, mean, c * sizeof(*mean));
		memcpy(ob->stats_out + l->stats + c, var, c * sizeof(*var));
	}
	for (size_t k = 0; k < c; k++) {
		scale[k] = (float)(1.0 / sqrt((double)var[k] + l->eps));
		a[k] = gamma[k] * scale[k];
	}
}

static void bn_forward(struct ob *ob, int i, const struct ob_part *p)
{
	const struct layer *l = &ob->g->layers[i];
	const size_t c = (size_t)l->os.c;
	const float *mean = ob->save[i];

	ob_scale(p->n * ob_pixels(l), c, ob_y(ob, l->in[0], p), mean, mean + 2 * c,
		 ob->x + l->beta, ob_y(ob, i, p));
}

/* ---- backward ---- */

static void bn_gather_back(struct ob *ob, int i, const struct ob_part *p)
{
	const struct layer *l = &ob->g->layers[i];
	const size_t c = (size_t)l->os.c;
	double *sum = bn_sums(ob, l, p->k);

	ob_dot(p->n * ob_pixels(l), c, ob_y(ob, l->in[0], p), ob->save[i], ob_dy(ob, i, p),
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
	const double rows = (double)(ob->n * ob_pixels(l));
	const float *gamma = ob->x + l->weight;
	float *scale = (float *)ob->save[i] + c, *a = scale + c, *b = a + c, *o = b + c;

	for (size_t k = 0; k < c; k++) {
		double s = (double)scale[k], g = (double)gamma[k], sum = 0.0, dot = 0.0;

		for (int q = 0; q < ob->parts; q++) {
			sum += bn_sums(ob, l, q)[k];
			dot += bn_sums(ob, l, q)[c + k];
		}
		ob->grad[l->beta + k] = (float)sum;
		ob->grad[l->weight + k] = (float)(dot * s);
		a[k] = (float)(g * s);
		b[k] = (float)(-g * s * s * s * dot / rows);
		o[k] = (float)(-g * s * sum / rows);
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
		ob_spread(p->n * ob_pixels(l), c, ob_y(ob, l->in[0], p), mean, ob_dy(ob, i, p), a,
			  a + c, a + 2 * c, add, dx);
}

const struct ob_op ob_bn = {
	.save = bn_save, .cols = bn_cols,
	.gather = bn_gather, .settle = bn_settle, .forward = bn_forward,
	.gather_back = bn_gather_back, .settle_back = bn_settle_back, .backward = bn_backward,
};

/* ---- layer normalisation ---- */

/*
 * At each token y = (x - mean) r gamma + beta, r = 1 / sqrt(variance + eps).
 *
 * Sums over a token's channels are taken in LANES sums, which are then added in their order.
 * Training keeps mean and r of each token.
 */

static size_t layernorm_save(const struct layer *l, size_t n)
{
	return n * ob_pixels(l) * LAYERNORM_KEPT;
}

static float *layernorm_kept(const struct ob *c, int i, const struct ob_part *p)
{
	return (float *)c->save[i] + p->first * LAYERNORM_KEPT;
}

static void layernorm_forward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];

	lanes_best()->layernorm(p->n, ob_width(c, i), (float)l->eps, ob_y(c, l->in[0], p),
		       c->x + l->weight, l->bias ? c->x + l->beta : NULL, ob_y(c, i, p),
		       layernorm_kept(c, i, p));
}

WIDE static void layernorm_shifts(size_t rows, size_t n, const float *dy, float *dbeta)
{
	for (size_t i = 0; i < rows; i++, dy += n)
		for (size_t k = 0; k < n; k++)
			dbeta[k] += dy[k];
}

/* Partitions add to the gradients of scales and shifts in their order. */
static void layernorm_back_scales(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	const size_t n = ob_width(c, i);
	const float *dy = ob_dy(c, i, p);

	ob_wait(c, i, p);
	if (!p->k)
		memset(c->grad + l->weight, 0, (l->weights + l->biases) * sizeof(*c->grad));
	lanes_best()->layernorm_scales(p->n, n, ob_y(c, l->in[0], p), layernorm_kept(c, i, p), dy,
			 c->grad + l->weight);
	if (l->bias)
		layernorm_shifts(p->n, n, dy, c->grad + l->beta);
	ob_pass(c, i);
}

static void layernorm_back_input(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	bool add;
	float *dx = ob_dx(c, i, 0, p, &add);

	if (dx)
		lanes_best()->layernorm_back(p->n, ob_width(c, i), ob_y(c, l->in[0], p),
				    layernorm_kept(c, i, p), c->x + l->weight, ob_dy(c, i, p), add,
				    dx);
}

static void layernorm_backward(struct ob *c, int i, const struct ob_part *p)
{
	ob_back_in_turn(c, i, p, layernorm_back_scales, layernorm_back_input);
}

const struct ob_op ob_layernorm = {
	.save = layernorm_save, .forward = layernorm_forward, .backward = layernorm_backward,
};

/* ---- local response normalisation ---- */

/*
 * Local response normalisation across channels (Krizhevsky et al. 2012)
 * with Caffe's constants. Over the n channels around each one, as far as they exist:
 *
 *     s = k + alpha / n sum x^2,     y = x s^-beta
 *     dx = dy s^-beta - 2 alpha beta / n x sum(dy x s^-(beta + 1))
 *
 * Backward computes s again, which is faster than to store and read it.
 */

/* The channels of one pixel. */
struct lrn_row {
	size_t c, n, pad;       /* channels; of a window; of a window before its middle */
	float *a, *b;           /* [c + n] terms, after pad zeros; scratch */
	float *s, *down;        /* [c]: s, s^-beta */
	float *sum;             /* [c] */
};

static size_t lrn_cols(const struct ob *c, const struct layer *l)
{
	(void)c;
	return 5 * (size_t)l->os.c + 2 * (size_t)l->kernel;
}

static struct lrn_row lrn_row_over(const struct layer *l, float *memory)
{
	size_t c = (size_t)l->os.c, n = (size_t)l->kernel;
	struct lrn_row r = { .c = c, .n = n, .pad = n / 2, .a = memory };

	r.b = r.a + c + n;
	r.s = r.b + c + n;
	r.down = r.s + c;
	r.sum = r.down + c;
	return r;
}

static inline void lrn_add_pairs(size_t n, size_t apart, const float *restrict a, float *restrict b)
{
	for (size_t j = 0; j < n; j++)
		b[j] = a[j] + a[j + apart];
}

/*
 * sum[j] <- a[j] + ... + a[j + n - 1], from sums of 1, 2, 4, ... neighbours, with as many additions
 * as n has binary digits. Overwrites a and b.
 */
static inline void lrn_window_sums(const struct lrn_row *r, float *restrict sum)
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
		lrn_add_pairs(all - 2 * w + 1, w, a, b);
		t = a, a = b, b = t;
	}
}

/* Sets to 0 what windows read beyond the edges. */
static inline void lrn_clear_edges(const struct lrn_row *r)
{
	memset(r->a, 0, r->pad * sizeof(float));
	memset(r->a + r->pad + r->c, 0, r->pad * sizeof(float));
}

/* Computes s and s^-power of one pixel. */
static inline void lrn_scale_row(const struct layer *l, const struct lrn_row *r,
				 const float *restrict x)
{
	const float part = (float)(l->alpha / l->kernel), k = (float)l->k;
	const float power = (float)-l->power;
	float *restrict a = r->a + r->pad, *restrict s = r->s, *restrict down = r->down;

	lrn_clear_edges(r);
	for (size_t j = 0; j < r->c; j++)
		a[j] = x[j] * x[j];
	lrn_window_sums(r, s);
	for (size_t j = 0; j < r->c; j++)
		s[j] = k + part * s[j];
	if (l->power == 0.75)
		for (size_t j = 0; j < r->c; j++)
			down[j] = 1.0f / (sqrtf(s[j]) * sqrtf(sqrtf(s[j])));
	else
		for (size_t j = 0; j < r->c; j++)
			down[j] = powf(s[j], power);
}

WIDE static void lrn_up(const struct layer *l, struct lrn_row r, size_t rows,
			 const float *restrict x, float *restrict y)
{
	for (size_t i = 0; i < rows; i++, x += r.c, y += r.c) {
		lrn_scale_row(l, &r, x);
		for (size_t j = 0; j < r.c; j++)
			y[j] = x[j] * r.down[j];
	}
}

WIDE static void lrn_down(const struct layer *l, struct lrn_row r, size_t rows,
			   const float *restrict x, const float *restrict dy, bool add,
			   float *restrict dx)
{
	const float part = (float)(-2.0 * l->alpha * l->power / l->kernel);
	float *restrict a = r.a + r.pad;

	for (size_t i = 0; i < rows; i++, x += r.c, dy += r.c, dx += r.c) {
		lrn_scale_row(l, &r, x);
		lrn_clear_edges(&r);
		for (size_t j = 0; j < r.c; j++)
			a[j] = dy[j] * x[j] * r.down[j] / r.s[j];
		lrn_window_sums(&r, r.sum);
		for (size_t j = 0; j < r.c; j++) {
			float d = dy[j] * r.down[j] + part * x[j] * r.sum[j];

			dx[j] = add ? dx[j] + d : d;
		}
	}
}

static void lrn_forward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];

	lrn_up(l, lrn_row_over(l, ob_lane(c, p)->cols), p->n * ob_pixels(l), ob_y(c, l->in[0], p),
		ob_y(c, i, p));
}

static void lrn_backward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	bool add;
	float *dx = ob_dx(c, i, 0, p, &add);

	if (dx)
		lrn_down(l, lrn_row_over(l, ob_lane(c, p)->cols), p->n * ob_pixels(l),
			  ob_y(c, l->in[0], p), ob_dy(c, i, p), add, dx);
}

const struct ob_op ob_lrn = { .cols = lrn_cols, .forward = lrn_forward, .backward = lrn_backward };

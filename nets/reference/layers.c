/* Forward and backward formulas of the kinds of layers, in double precision. */
#include "nets/reference/layers.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/math/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t tensor_count(const struct tensor *t)
{
	return (size_t)t->n * (size_t)t->h * (size_t)t->w * (size_t)t->c;
}

static double *tensor_at(const struct tensor *t, int n, int h, int w, int c)
{
	return &t->v[(((size_t)n * (size_t)t->h + (size_t)h) * (size_t)t->w + (size_t)w)
		     * (size_t)t->c + (size_t)c];
}

/* Indices of a tensor's value. */
struct index4 {
	int n, h, w, c;
};

static struct index4 tensor_index(const struct tensor *t, size_t k)
{
	size_t c = (size_t)t->c, w = (size_t)t->w, h = (size_t)t->h;

	return (struct index4){ (int)(k / c / w / h), (int)(k / c / w % h), (int)(k / c % w),
			       (int)(k % c) };
}

static bool tensor_has(const struct tensor *t, int h, int w)
{
	return h >= 0 && h < t->h && w >= 0 && w < t->w;
}

const reference_fn reference_layers[LAYER_KINDS] = {
#define LAYER(KIND, name) [LAYER_##KIND] = reference_##name,
#include "nets/layers/list.h"
#undef LAYER
};

struct view view_of(struct state *s, int i)
{
	const struct layer *l = &s->g->layers[i];

	return (struct view){ l, &s->y[l->in[0]], &s->y[i], &s->dy[l->in[0]], &s->dy[i] };
}

/* ---- pooling ---- */

static void max_pixel(struct view v, const struct tensor *of, bool back, struct index4 p)
{
	int best_h = -1, best_w = -1;
	double best = 0;

	/* The maximum begins with the first pixel inside; a NaN never replaces it. */
	for (int ky = 0; ky < v.l->kernel; ky++)
		for (int kx = 0; kx < v.l->kernel; kx++) {
			int h = p.h * v.l->stride + ky - v.l->pad;
			int w = p.w * v.l->stride + kx - v.l->pad;

			if (!tensor_has(v.x, h, w))
				continue;
			if (best_h < 0 || *tensor_at(of, p.n, h, w, p.c) > best) {
				best = *tensor_at(of, p.n, h, w, p.c);
				best_h = h;
				best_w = w;
			}
		}
	if (back)
		*tensor_at(v.dx, p.n, best_h, best_w, p.c) += *tensor_at(v.dy, p.n, p.h, p.w, p.c);
	else
		*tensor_at(v.y, p.n, p.h, p.w, p.c) = *tensor_at(v.x, p.n, best_h, best_w, p.c);
}

static void avg_pixel(struct view v, bool back, struct index4 p)
{
	double sum = 0;
	int pixels = 0;

	for (int pass = 0; pass < 2; pass++)
		for (int ky = 0; ky < v.l->kernel; ky++)
			for (int kx = 0; kx < v.l->kernel; kx++) {
				int h = p.h * v.l->stride + ky - v.l->pad;
				int w = p.w * v.l->stride + kx - v.l->pad;

				if (!tensor_has(v.x, h, w))
					continue;
				if (pass == 0)
					pixels++;
				else if (back)
					*tensor_at(v.dx, p.n, h, w, p.c) +=
						*tensor_at(v.dy, p.n, p.h, p.w, p.c) / pixels;
				else
					sum += *tensor_at(v.x, p.n, h, w, p.c) / pixels;
			}
	if (!back)
		*tensor_at(v.y, p.n, p.h, p.w, p.c) = sum;
}

void reference_maxpool(struct state *s, int i, bool back)
{
	struct view v = view_of(s, i);

	for (size_t e = 0; e < tensor_count(v.y); e++)
		max_pixel(v, decides(s, &v), back, tensor_index(v.y, e));
}

void reference_avgpool(struct state *s, int i, bool back)
{
	struct view v = view_of(s, i);

	for (size_t e = 0; e < tensor_count(v.y); e++)
		avg_pixel(v, back, tensor_index(v.y, e));
}

void reference_globalpool(struct state *s, int i, bool back)
{
	struct view v = view_of(s, i);
	double m = (double)v.x->h * v.x->w;

	for (size_t e = 0; e < tensor_count(v.x); e++) {
		struct index4 p = tensor_index(v.x, e);

		if (back)
			v.dx->v[e] += *tensor_at(v.dy, p.n, 0, 0, p.c) / m;
		else
			*tensor_at(v.y, p.n, 0, 0, p.c) += v.x->v[e] / m;
	}
}

/* ---- functions of one value ---- */

void reference_relu(struct state *s, int i, bool back)
{
	struct view v = view_of(s, i);
	const struct tensor *of = decides(s, &v);

	for (size_t e = 0; e < tensor_count(v.x); e++) {
		bool on = of->v[e] > 0;

		if (back)
			v.dx->v[e] += on ? v.dy->v[e] : 0;
		else
			v.y->v[e] = on ? v.x->v[e] : 0;
	}
}

/* Factor of x, and its slope times x: y = x share, dy/dx = share + x share'. */
static double gelu_share(bool tanh_form, double x, double *slope)
{
	const double pi = acos(-1), c = sqrt(2 / pi);
	double t;

	if (!tanh_form) {
		*slope = x * exp(-x * x / 2) / sqrt(2 * pi);
		return 0.5 * (1 + erf(x / sqrt(2)));
	}
	t = tanh(c * (x + 0.044715 * x * x * x));
	*slope = 0.5 * x * (1 - t * t) * c * (1 + 3 * 0.044715 * x * x);
	return 0.5 * (1 + t);
}

void reference_gelu(struct state *s, int i, bool back)
{
	struct view v = view_of(s, i);

	for (size_t e = 0; e < tensor_count(v.x); e++) {
		double x = v.x->v[e], slope, share = gelu_share(v.l->form == GELU_TANH, x, &slope);

		if (back)
			v.dx->v[e] += v.dy->v[e] * (share + slope);
		else
			v.y->v[e] = x * share;
	}
}

/* The function of a kind at x; *slope <- its derivative. */
static double curve_value(enum layer_kind kind, double x, double *slope)
{
	const double s = 1 / (1 + exp(-x)), t = tanh(x);

	switch (kind) {
	case LAYER_TANH:
		*slope = 1 - t * t;
		return t;
	case LAYER_SIGMOID:
		*slope = s * (1 - s);
		return s;
	case LAYER_SILU:
		*slope = s + x * s * (1 - s);
		return x * s;
	default:
		BUG("layers of kind %d are no functions of one value", (int)kind);
	}
}

static void curve_all(struct state *s, int i, bool back)
{
	struct view v = view_of(s, i);

	for (size_t e = 0; e < tensor_count(v.x); e++) {
		double slope, y = curve_value(v.l->kind, v.x->v[e], &slope);

		if (back)
			v.dx->v[e] += v.dy->v[e] * slope;
		else
			v.y->v[e] = y;
	}
}

void reference_tanh(struct state *s, int i, bool back)
{
	curve_all(s, i, back);
}

void reference_sigmoid(struct state *s, int i, bool back)
{
	curve_all(s, i, back);
}

void reference_silu(struct state *s, int i, bool back)
{
	curve_all(s, i, back);
}

/* ---- dropout, sums, shortcuts ---- */

static void draw_mask(struct state *s, int i)
{
	struct view v = view_of(s, i);
	size_t units = (size_t)v.y->h * (size_t)v.y->w * (size_t)v.y->c;

	s->mask[i] = xcalloc((size_t)v.y->n * units, sizeof(double));
	for (int n = 0; n < v.y->n; n++) {
		struct rng r;

		if (s->use)
			rng_at(&r, s->seed, RNG_DROPOUT, (uint32_t)i, s->use[n]);
		for (size_t k = 0; k < units; k++) {
			bool drop = s->use && rng_u32(&r) / 4294967296.0 < v.l->rate;

			s->mask[i][(size_t)n * units + k] =
				drop ? 0 : s->use ? 1 / (1 - v.l->rate) : 1;
		}
	}
}

void reference_dropout(struct state *s, int i, bool back)
{
	struct view v = view_of(s, i);

	if (!s->mask[i])
		draw_mask(s, i);
	for (size_t k = 0; k < tensor_count(v.y); k++)
		if (back)
			v.dx->v[k] += v.dy->v[k] * s->mask[i][k];
		else
			v.y->v[k] = v.x->v[k] * s->mask[i][k];
}

void reference_add(struct state *s, int i, bool back)
{
	struct view v = view_of(s, i);

	for (int k = 0; k < 2; k++) {
		struct tensor *x = &s->y[v.l->in[k]], *dx = &s->dy[v.l->in[k]];

		for (size_t e = 0; e < tensor_count(v.y); e++)
			if (back)
				dx->v[e] += v.dy->v[e];
			else
				v.y->v[e] += x->v[e];
	}
}

void reference_shortcut(struct state *s, int i, bool back)
{
	struct view v = view_of(s, i);
	int stride = v.l->stride;

	for (size_t e = 0; e < tensor_count(v.y); e++) {
		struct index4 p = tensor_index(v.y, e);

		if (p.c >= v.x->c)
			continue;
		if (back)
			*tensor_at(v.dx, p.n, p.h * stride, p.w * stride, p.c) += v.dy->v[e];
		else
			v.y->v[e] = *tensor_at(v.x, p.n, p.h * stride, p.w * stride, p.c);
	}
}

/* ---- layers over the channels of a pixel ---- */

/* The window around channel c: its first channel, and the end. */
static int lrn_first(const struct layer *l, int c)
{
	return c > l->kernel / 2 ? c - l->kernel / 2 : 0;
}

static int lrn_end(const struct layer *l, int c)
{
	return c + l->kernel / 2 < l->is.c ? c + l->kernel / 2 + 1 : l->is.c;
}

/* s_c = k + alpha / size sum over the window of x_j^2 */
static double lrn_scale(const struct layer *l, const double *x, int c)
{
	double sum = 0;

	for (int j = lrn_first(l, c); j < lrn_end(l, c); j++)
		sum += x[j] * x[j];
	return l->k + l->alpha / l->kernel * sum;
}

/*
 * y_j = x_j s_j^-power, so that over the window
 * dy_j / dx_c = [j = c] s_j^-power - 2 power alpha / size x_j x_c s_j^(-power - 1).
 */
static void lrn_pixel_back(struct view v, size_t r)
{
	const double *x = pixel(v.x, r), *dy = pixel(v.dy, r);
	const struct layer *l = v.l;

	for (int j = 0; j < l->is.c; j++) {
		const double s = lrn_scale(l, x, j), share = pow(s, -l->power);

		pixel(v.dx, r)[j] += dy[j] * share;
		for (int c = lrn_first(l, j); c < lrn_end(l, j); c++)
			pixel(v.dx, r)[c] -= dy[j] * 2 * l->power * l->alpha / l->kernel * x[j]
					     * x[c] * share / s;
	}
}

void reference_lrn(struct state *s, int i, bool back)
{
	struct view v = view_of(s, i);

	for (size_t r = 0; r < pixel_count(v.x); r++) {
		const double *x = pixel(v.x, r);

		if (back)
			lrn_pixel_back(v, r);
		else
			for (int c = 0; c < v.x->c; c++)
				pixel(v.y, r)[c] = x[c] * pow(lrn_scale(v.l, x, c), -v.l->power);
	}
}

void reference_concat(struct state *s, int i, bool back)
{
	struct view v = view_of(s, i);
	int first = 0;

	for (int k = 0; k < 2; k++) {
		struct tensor *x = &s->y[v.l->in[k]], *dx = &s->dy[v.l->in[k]];

		for (size_t r = 0; r < pixel_count(v.y); r++)
			for (int c = 0; c < x->c; c++)
				if (back)
					pixel(dx, r)[c] += pixel(v.dy, r)[first + c];
				else
					pixel(v.y, r)[first + c] = pixel(x, r)[c];
		first += x->c;
	}
}

/* ---- batch normalisation ---- */

/* One call: mean and variance of each channel, sums, and gradients of mean and variance. */
struct bn {
	struct view v;
	size_t width, rows;
	double *mean, *var;
	double *dy, *dy_away, *away;    /* sums of dy, of dy (x - mean), of x - mean */
	double *dmean, *dvar;
};

static struct bn bn_new(struct state *s, int i)
{
	const struct view v = view_of(s, i);
	const size_t width = (size_t)v.x->c;
	double *sums = xcalloc(7 * width, sizeof(*sums));

	return (struct bn){
		.v = v, .width = width, .rows = pixel_count(v.x),
		.mean = sums, .var = sums + width,
		.dy = sums + 2 * width, .dy_away = sums + 3 * width, .away = sums + 4 * width,
		.dmean = sums + 5 * width, .dvar = sums + 6 * width,
	};
}

static void bn_moments(struct bn *a)
{
	for (size_t r = 0; r < a->rows; r++)
		for (size_t c = 0; c < a->width; c++)
			a->mean[c] += pixel(a->v.x, r)[c];
	for (size_t c = 0; c < a->width; c++)
		a->mean[c] /= (double)a->rows;
	for (size_t r = 0; r < a->rows; r++)
		for (size_t c = 0; c < a->width; c++) {
			const double away = pixel(a->v.x, r)[c] - a->mean[c];

			a->var[c] += away * away;
		}
	for (size_t c = 0; c < a->width; c++)
		a->var[c] /= (double)a->rows;
}

static void norm_forward(const struct state *s, struct bn *a)
{
	const struct layer *l = a->v.l;
	const double *gamma = s->x + l->weight, *beta = s->x + l->beta;
	const size_t bytes = a->width * sizeof(double);

	if (s->stats_in) {
		memcpy(a->mean, s->stats_in + l->stats, bytes);
		memcpy(a->var, s->stats_in + l->stats + a->width, bytes);
	} else {
		bn_moments(a);
	}
	if (s->stats_out) {
		memcpy(s->stats_out + l->stats, a->mean, bytes);
		memcpy(s->stats_out + l->stats + a->width, a->var, bytes);
	}
	for (size_t r = 0; r < a->rows; r++) {
		const double *x = pixel(a->v.x, r);
		double *y = pixel(a->v.y, r);

		for (size_t c = 0; c < a->width; c++)
			y[c] = gamma[c] * (x[c] - a->mean[c]) / sqrt(a->var[c] + l->eps) + beta[c];
	}
}

static void bn_sum(struct bn *a)
{
	bn_moments(a);
	for (size_t r = 0; r < a->rows; r++) {
		const double *x = pixel(a->v.x, r), *dy = pixel(a->v.dy, r);

		for (size_t c = 0; c < a->width; c++) {
			a->dy[c] += dy[c];
			a->dy_away[c] += dy[c] * (x[c] - a->mean[c]);
			a->away[c] += x[c] - a->mean[c];
		}
	}
}

/* The chain rule through mean and variance, as in the paper's equations. */
static void bn_channel_back(struct state *s, const struct bn *a, size_t c)
{
	const struct layer *l = a->v.l;
	const double m = (double)a->rows, dev = sqrt(a->var[c] + l->eps);
	const double gamma = s->x[l->weight + c];

	s->grad[l->weight + c] += a->dy_away[c] / dev;
	s->grad[l->beta + c] += a->dy[c];
	a->dvar[c] = gamma * a->dy_away[c] * -0.5 * pow(dev, -3);
	a->dmean[c] = -gamma * a->dy[c] / dev + a->dvar[c] * -2 * a->away[c] / m;
}

static void norm_backward(struct state *s, struct bn *a)
{
	const struct layer *l = a->v.l;
	const double m = (double)a->rows, *gamma = s->x + l->weight;

	bn_sum(a);
	for (size_t c = 0; c < a->width; c++)
		bn_channel_back(s, a, c);
	for (size_t r = 0; r < a->rows; r++) {
		const double *x = pixel(a->v.x, r), *dy = pixel(a->v.dy, r);
		double *dx = pixel(a->v.dx, r);

		for (size_t c = 0; c < a->width; c++)
			dx[c] += dy[c] * gamma[c] / sqrt(a->var[c] + l->eps) +
				 a->dvar[c] * 2 * (x[c] - a->mean[c]) / m + a->dmean[c] / m;
	}
}

void reference_bn(struct state *s, int i, bool back)
{
	struct bn a = bn_new(s, i);

	if (back)
		norm_backward(s, &a);
	else
		norm_forward(s, &a);
	free(a.mean);
}

/* ---- convolution ---- */

/*
 * The reference's convolution: the product of its windows with its weights.
 *
 * A window is what an output pixel reads of the group's channels, [ky][kx][c], with zeros beyond
 * the edges. So a batch's windows are the rows of a matrix, some of which are made at a time.
 */

enum { WINDOWS = 252 };

struct conv {
	struct view v;
	int group, per;                 /* index of the group; input channels of a group */
	size_t size;                    /* of a window */
};

/* The pixel of t (x or dx) under tap (ky, kx) of output pixel p; NULL: outside the image. */
static double *conv_seen(const struct conv *a, const struct tensor *t, size_t p, int ky, int kx)
{
	const struct layer *l = a->v.l;
	const int across = (int)(p % (size_t)l->os.w), rest = (int)(p / (size_t)l->os.w);
	const int h = rest % l->os.h * l->stride + ky - l->pad;
	const int w = across * l->stride + kx - l->pad;

	if (!tensor_has(t, h, w))
		return NULL;
	return pixel(t, ((size_t)(rest / l->os.h) * (size_t)t->h + (size_t)h) * (size_t)t->w +
			(size_t)w) + a->group * a->per;
}

static void conv_gather(const struct conv *a, size_t p, double *window)
{
	for (int ky = 0; ky < a->v.l->kernel; ky++)
		for (int kx = 0; kx < a->v.l->kernel; kx++) {
			const double *from = conv_seen(a, a->v.x, p, ky, kx);

			if (from)
				memcpy(window, from, (size_t)a->per * sizeof(*window));
			else
				memset(window, 0, (size_t)a->per * sizeof(*window));
			window += a->per;
		}
}

/* dx <- dx + gradient of a window. */
static void conv_scatter(const struct conv *a, size_t p, const double *window)
{
	for (int ky = 0; ky < a->v.l->kernel; ky++)
		for (int kx = 0; kx < a->v.l->kernel; kx++) {
			double *to = conv_seen(a, a->v.dx, p, ky, kx);

			for (int c = 0; to && c < a->per; c++)
				to[c] += window[c];
			window += a->per;
		}
}

/*
 * Computes n output pixels of the group from `first` on; windows and their gradients are scratch.
 */
static void conv_pixels(struct state *s, const struct conv *a, size_t first, size_t n, bool back,
			double *windows, double *dwindows)
{
	const struct layer *l = a->v.l;
	const size_t out = (size_t)(l->os.c / l->groups), channel = (size_t)a->group * out;
	const size_t weight = l->weight + channel * a->size;
	struct linear product = { .rows = n, .in = a->size, .out = out, .w = s->x + weight,
				  .x = windows, .dx = dwindows, .y_row = (size_t)l->os.c };

	for (size_t p = 0; p < n; p++)
		conv_gather(a, first + p, windows + p * a->size);
	if (!back) {
		product.y = pixel(a->v.y, first) + channel;
		reference_linear_forward(&product);
		return;
	}
	product.dy = pixel(a->v.dy, first) + channel;
	product.dw = s->grad + weight;
	memset(dwindows, 0, n * a->size * sizeof(*dwindows));
	reference_linear_backward(&product);
	for (size_t p = 0; p < n; p++)
		conv_scatter(a, first + p, dwindows + p * a->size);
}

/* Adds a layer's biases, or with back their gradients. */
static void reference_bias(struct state *s, int i, bool back)
{
	const struct view v = view_of(s, i);

	for (size_t r = 0; r < pixel_count(v.y); r++)
		for (size_t c = 0; c < (size_t)v.y->c; c++)
			if (back)
				s->grad[v.l->beta + c] += pixel(v.dy, r)[c];
			else
				pixel(v.y, r)[c] += s->x[v.l->beta + c];
}

void reference_conv(struct state *s, int i, bool back)
{
	const struct view v = view_of(s, i);
	const size_t pixels = pixel_count(v.y);
	struct conv a = { .v = v, .per = v.l->is.c / v.l->groups };
	scoped double *windows = NULL;

	a.size = (size_t)v.l->kernel * (size_t)v.l->kernel * (size_t)a.per;
	windows = xcalloc(2 * WINDOWS * a.size, sizeof(*windows));
	for (; a.group < v.l->groups; a.group++)
		for (size_t p = 0; p < pixels; p += WINDOWS)
			conv_pixels(s, &a, p, pixels - p < WINDOWS ? pixels - p : WINDOWS, back,
				    windows, windows + WINDOWS * a.size);
	if (v.l->bias)
		reference_bias(s, i, back);
}

/* ---- dense and linear ---- */

/* Inputs are consecutive rows of `in` values. */
static void dense_rows(struct state *s, int i, size_t rows, bool back)
{
	const struct view v = view_of(s, i);
	struct linear product = { .rows = rows, .in = tensor_count(v.x) / rows,
				  .out = (size_t)v.y->c, .w = s->x + v.l->weight, .x = v.x->v,
				  .y_row = (size_t)v.y->c };

	if (back) {
		product.dy = v.dy->v;
		product.dw = s->grad + v.l->weight;
		product.dx = v.dx->v;
		reference_linear_backward(&product);
	} else {
		product.y = v.y->v;
		reference_linear_forward(&product);
	}
	if (v.l->bias)
		reference_bias(s, i, back);
}

/* A sample is one row. */
void reference_dense(struct state *s, int i, bool back)
{
	dense_rows(s, i, (size_t)s->y[i].n, back);
}

/* A token is one row. */
void reference_linear(struct state *s, int i, bool back)
{
	dense_rows(s, i, pixel_count(&s->y[i]), back);
}

void reference_unembed(struct state *s, int i, bool back)
{
	reference_linear(s, i, back);
}

/* Forward and backward formulas of each kind of layer, in double precision. */
#include "nets/reference/layers.h"

#include "core/base/mem.h"
#include "core/math/rng.h"

#include <math.h>

size_t tensor_count(const struct tensor *t)
{
	return (size_t)t->n * (size_t)t->h * (size_t)t->w * (size_t)t->c;
}

static double *layers_at(const struct tensor *t, int n, int h, int w, int c)
{
	return &t->v[(((size_t)n * (size_t)t->h + (size_t)h) * (size_t)t->w + (size_t)w)
		     * (size_t)t->c + (size_t)c];
}

/* The indices of a tensor's k-th value. */
struct index4 {
	int n, h, w, c;
};

static struct index4 layers_index_of(const struct tensor *t, size_t k)
{
	size_t c = (size_t)t->c, w = (size_t)t->w, h = (size_t)t->h;

	return (struct index4){ (int)(k / c / w / h), (int)(k / c / w % h), (int)(k / c % w),
			       (int)(k % c) };
}

static bool layers_inside(const struct tensor *t, int h, int w)
{
	return h >= 0 && h < t->h && w >= 0 && w < t->w;
}

struct view view_of(struct state *s, int i)
{
	const struct layer *l = &s->g->layers[i];

	return (struct view){ l, &s->y[l->in[0]], &s->y[i], &s->dy[l->in[0]], &s->dy[i] };
}

/* ---- conv: forward, or with dy both gradients ---- */

static size_t conv_weight(const struct layer *l, int o, int ky, int kx, int c)
{
	int per = l->is.c / l->groups;

	return l->weight + (size_t)(((o * l->kernel + ky) * l->kernel + kx) * per + c);
}

/* The part of output e that one position of the window adds: dy NULL in the forward pass. */
static void conv_value(struct state *s, const struct view *v, struct index4 p, int ky, int kx,
		       double *y, const double *dy)
{
	const struct layer *l = v->l;
	int per = l->is.c / l->groups, out = l->os.c / l->groups, first = p.c / out * per;
	int h = p.h * l->stride + ky - l->pad, w = p.w * l->stride + kx - l->pad;
	size_t k = conv_weight(l, p.c, ky, kx, 0);
	const double *x;
	double *dx, sum = 0;

	if (!layers_inside(v->x, h, w))
		return;
	x = layers_at(v->x, p.n, h, w, first);
	dx = layers_at(v->dx, p.n, h, w, first);
	if (!dy) {
		for (int c = 0; c < per; c++)
			sum += s->x[k + (size_t)c] * x[c];
		*y += sum;
		return;
	}
	for (int c = 0; c < per; c++, k++) {
		s->grad[k] += *dy * x[c];
		dx[c] += *dy * s->x[k];
	}
}

static void layers_conv(struct state *s, int i, bool back)
{
	struct view v = view_of(s, i);
	const struct layer *l = v.l;

	for (size_t e = 0; e < tensor_count(v.y); e++) {
		struct index4 p = layers_index_of(v.y, e);
		double *y = &v.y->v[e], *dy = back ? &v.dy->v[e] : NULL;

		if (l->bias && back)
			s->grad[l->beta + (size_t)p.c] += *dy;
		else if (l->bias)
			*y += s->x[l->beta + (size_t)p.c];
		for (int ky = 0; ky < l->kernel; ky++)
			for (int kx = 0; kx < l->kernel; kx++)
				conv_value(s, &v, p, ky, kx, y, dy);
	}
}

/* ---- dense ---- */

static void layers_dense(struct state *s, int i, bool back)
{
	struct view v = view_of(s, i);
	size_t in = tensor_count(v.x) / (size_t)v.x->n;

	for (size_t e = 0; e < tensor_count(v.y); e++) {
		size_t o = e % (size_t)v.y->c, first = e / (size_t)v.y->c * in;
		size_t w = v.l->weight + o * in;
		const double *x = &v.x->v[first];
		double *dx = &v.dx->v[first], sum = 0, dy = v.dy->v[e];

		if (v.l->bias && back)
			s->grad[v.l->beta + o] += dy;
		else if (v.l->bias)
			sum = s->x[v.l->beta + o];
		for (size_t k = 0; k < in; k++)
			if (!back) {
				sum += s->x[w + k] * x[k];
			} else {
				s->grad[w + k] += dy * x[k];
				dx[k] += dy * s->x[w + k];
			}
		v.y->v[e] += sum;
	}
}

/* ---- bn ---- */

/* The r-th value of channel c. */
static double *layers_row(const struct tensor *t, size_t r, int c)
{
	return &t->v[r * (size_t)t->c + (size_t)c];
}

static size_t layers_rows(const struct tensor *t)
{
	return tensor_count(t) / (size_t)t->c;
}

static void layers_moments(const struct tensor *x, int c, double *mean, double *var)
{
	*mean = *var = 0;
	for (size_t r = 0; r < layers_rows(x); r++)
		*mean += *layers_row(x, r, c) / (double)layers_rows(x);
	for (size_t r = 0; r < layers_rows(x); r++)
		*var += pow(*layers_row(x, r, c) - *mean, 2) / (double)layers_rows(x);
}

static void bn_channel(struct state *s, int i, int c)
{
	struct view v = view_of(s, i);
	size_t k = v.l->stats + (size_t)c, width = (size_t)v.l->os.c;
	double gamma = s->x[v.l->weight + (size_t)c], beta = s->x[v.l->beta + (size_t)c];
	double mean, var;

	if (s->stats_in) {
		mean = s->stats_in[k];
		var = s->stats_in[k + width];
	} else {
		layers_moments(v.x, c, &mean, &var);
	}
	if (s->stats_out) {
		s->stats_out[k] = mean;
		s->stats_out[k + width] = var;
	}
	for (size_t r = 0; r < layers_rows(v.x); r++)
		*layers_row(v.y, r, c) =
			gamma * (*layers_row(v.x, r, c) - mean) / sqrt(var + v.l->eps) + beta;
}

/* By the chain rule through mean and variance, as written in the paper's list of equations. */
static void bn_channel_back(struct state *s, int i, int c)
{
	struct view v = view_of(s, i);
	double m = (double)layers_rows(v.x), mean, var, dvar = 0, dmean = 0, slack = 0;
	double gamma = s->x[v.l->weight + (size_t)c], dev;

	layers_moments(v.x, c, &mean, &var);
	dev = sqrt(var + v.l->eps);
	for (size_t r = 0; r < layers_rows(v.x); r++) {
		double d = *layers_row(v.dy, r, c), away = *layers_row(v.x, r, c) - mean;

		s->grad[v.l->weight + (size_t)c] += d * away / dev;
		s->grad[v.l->beta + (size_t)c] += d;
		dvar += d * gamma * away * -0.5 * pow(dev, -3);
		dmean += -d * gamma / dev;
		slack += -2 * away / m;
	}
	dmean += dvar * slack;
	for (size_t r = 0; r < layers_rows(v.x); r++)
		*layers_row(v.dx, r, c) += *layers_row(v.dy, r, c) * gamma / dev +
					   dvar * 2 * (*layers_row(v.x, r, c) - mean) / m +
					   dmean / m;
}

static void layers_bn(struct state *s, int i, bool back)
{
	for (int c = 0; c < s->g->layers[i].os.c; c++)
		if (back)
			bn_channel_back(s, i, c);
		else
			bn_channel(s, i, c);
}

/* ---- pooling ---- */

static void max_pixel(struct view v, bool back, struct index4 p)
{
	int best_h = -1, best_w = -1;
	double best = 0;

	/* The first pixel inside stands until a larger one comes: NaN is larger than none. */
	for (int ky = 0; ky < v.l->kernel; ky++)
		for (int kx = 0; kx < v.l->kernel; kx++) {
			int h = p.h * v.l->stride + ky - v.l->pad;
			int w = p.w * v.l->stride + kx - v.l->pad;

			if (!layers_inside(v.x, h, w))
				continue;
			if (best_h < 0 || *layers_at(v.x, p.n, h, w, p.c) > best) {
				best = *layers_at(v.x, p.n, h, w, p.c);
				best_h = h;
				best_w = w;
			}
		}
	if (back)
		*layers_at(v.dx, p.n, best_h, best_w, p.c) += *layers_at(v.dy, p.n, p.h, p.w, p.c);
	else
		*layers_at(v.y, p.n, p.h, p.w, p.c) = best;
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

				if (!layers_inside(v.x, h, w))
					continue;
				if (pass == 0)
					pixels++;
				else if (back)
					*layers_at(v.dx, p.n, h, w, p.c) +=
						*layers_at(v.dy, p.n, p.h, p.w, p.c) / pixels;
				else
					sum += *layers_at(v.x, p.n, h, w, p.c) / pixels;
			}
	if (!back)
		*layers_at(v.y, p.n, p.h, p.w, p.c) = sum;
}

static void layers_maxpool(struct state *s, int i, bool back)
{
	struct view v = view_of(s, i);

	for (size_t e = 0; e < tensor_count(v.y); e++)
		max_pixel(v, back, layers_index_of(v.y, e));
}

static void layers_avgpool(struct state *s, int i, bool back)
{
	struct view v = view_of(s, i);

	for (size_t e = 0; e < tensor_count(v.y); e++)
		avg_pixel(v, back, layers_index_of(v.y, e));
}

static void layers_globalpool(struct state *s, int i, bool back)
{
	struct view v = view_of(s, i);
	double m = (double)v.x->h * v.x->w;

	for (size_t e = 0; e < tensor_count(v.x); e++) {
		struct index4 p = layers_index_of(v.x, e);

		if (back)
			v.dx->v[e] += *layers_at(v.dy, p.n, 0, 0, p.c) / m;
		else
			*layers_at(v.y, p.n, 0, 0, p.c) += v.x->v[e] / m;
	}
}

/* ---- one value at a time ---- */

static void layers_relu(struct state *s, int i, bool back)
{
	struct view v = view_of(s, i);

	for (size_t e = 0; e < tensor_count(v.x); e++) {
		bool on = v.x->v[e] > 0;

		if (back)
			v.dx->v[e] += on ? v.dy->v[e] : 0;
		else
			v.y->v[e] = on ? v.x->v[e] : 0;
	}
}

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

static void layers_dropout(struct state *s, int i, bool back)
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

static void layers_add(struct state *s, int i, bool back)
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

static void layers_shortcut(struct state *s, int i, bool back)
{
	struct view v = view_of(s, i);
	int stride = v.l->stride;

	for (size_t e = 0; e < tensor_count(v.y); e++) {
		struct index4 p = layers_index_of(v.y, e);

		if (p.c >= v.x->c)
			continue;
		if (back)
			*layers_at(v.dx, p.n, p.h * stride, p.w * stride, p.c) += v.dy->v[e];
		else
			v.y->v[e] = *layers_at(v.x, p.n, p.h * stride, p.w * stride, p.c);
	}
}

const reference_fn reference_layers[] = {
	[LAYER_CONV] = layers_conv,
	[LAYER_DENSE] = layers_dense,
	[LAYER_BN] = layers_bn,
	[LAYER_RELU] = layers_relu,
	[LAYER_MAXPOOL] = layers_maxpool,
	[LAYER_AVGPOOL] = layers_avgpool,
	[LAYER_GLOBALPOOL] = layers_globalpool,
	[LAYER_DROPOUT] = layers_dropout,
	[LAYER_ADD] = layers_add,
	[LAYER_SHORTCUT] = layers_shortcut,
	[LAYER_LRN] = reference_lrn,
	[LAYER_CONCAT] = reference_concat,
	[LAYER_EMBED] = reference_embed,
	[LAYER_LINEAR] = reference_linear,
	[LAYER_LAYERNORM] = reference_layernorm,
	[LAYER_GELU] = reference_gelu,
	[LAYER_ATTENTION] = reference_attention,
	[LAYER_UNEMBED] = reference_unembed,
	[LAYER_RELATIVE] = reference_relative,
	[LAYER_ADAPTIVE] = reference_adaptive,
};

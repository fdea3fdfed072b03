/* Forward and backward formulas of each kind of layer, in double precision. */
#include "nets/reference/layers.h"

#include "core/base/mem.h"
#include "core/math/rng.h"

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

/* ---- pooling ---- */

static void max_pixel(struct view v, const struct tensor *of, bool back, struct index4 p)
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
			if (best_h < 0 || *layers_at(of, p.n, h, w, p.c) > best) {
				best = *layers_at(of, p.n, h, w, p.c);
				best_h = h;
				best_w = w;
			}
		}
	if (back)
		*layers_at(v.dx, p.n, best_h, best_w, p.c) += *layers_at(v.dy, p.n, p.h, p.w, p.c);
	else
		*layers_at(v.y, p.n, p.h, p.w, p.c) = *layers_at(v.x, p.n, best_h, best_w, p.c);
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

void reference_maxpool(struct state *s, int i, bool back)
{
	struct view v = view_of(s, i);

	for (size_t e = 0; e < tensor_count(v.y); e++)
		max_pixel(v, decides(s, &v), back, layers_index_of(v.y, e));
}

void reference_avgpool(struct state *s, int i, bool back)
{
	struct view v = view_of(s, i);

	for (size_t e = 0; e < tensor_count(v.y); e++)
		avg_pixel(v, back, layers_index_of(v.y, e));
}

void reference_globalpool(struct state *s, int i, bool back)
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
		struct index4 p = layers_index_of(v.y, e);

		if (p.c >= v.x->c)
			continue;
		if (back)
			*layers_at(v.dx, p.n, p.h * stride, p.w * stride, p.c) += v.dy->v[e];
		else
			v.y->v[e] = *layers_at(v.x, p.n, p.h * stride, p.w * stride, p.c);
	}
}

const reference_fn reference_layers[LAYER_KINDS] = {
#define LAYER(KIND, name) [LAYER_##KIND] = reference_##name,
#include "nets/layers/list.h"
#undef LAYER
};

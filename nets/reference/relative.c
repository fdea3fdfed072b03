/*
 * relative.c - the reference's attention by distance, with all scores of a query at once.
 *
 * Key j of K = m + T is that of kept row j, or of token j - m of the window; query i has
 * those up to m + i. The distance of key j is m + i - j.
 */
#include "core/base/mem.h"
#include "core/math/rng.h"
#include "nets/reference/layers.h"

#include "nets/backend.h"

#include <math.h>
#include <stdlib.h>

/* A layer's call, for one sample at a time. */
struct relative {
	struct state *s;
	struct view v;
	const struct layer *l, *made;   /* it, and the linear layer whose weights it shares */
	int layer, sample;
	int window, memory, keys;       /* T, m, K */
	int size, channels;             /* of a head; of all */
	double *codes;                  /* [K][width] of each distance */
	double *p, *mask, *slope;       /* [K] of a query: probabilities, dropout, dS */
};

static double relative_dot(const double *a, const double *b, int n)
{
	double sum = 0;

	for (int k = 0; k < n; k++)
		sum += a[k] * b[k];
	return sum;
}

/* Row j of what the sample keeps. */
static const double *relative_row(const struct relative *a, int j)
{
	const struct reference_memory *m = a->s->memory;

	return m->in + (size_t)a->sample * a->s->g->carry.floats + a->l->carried +
	       (size_t)j * (size_t)a->l->width;
}

/* Channel c of the query (which = 0), key (1) or value (2) of row j of the window. */
static double *relative_made(const struct relative *a, const struct tensor *t, int which, int j)
{
	return pixel(t, (size_t)a->sample * (size_t)a->window + (size_t)j) + which * a->channels;
}

/* Where the weights are that make channel c of the keys (1) or values (2). */
static size_t relative_weight(const struct relative *a, int which, int c)
{
	return a->made->weight + (size_t)(which * a->channels + c) * (size_t)a->l->width;
}

/* Channel c of key or value j. */
static double relative_value(const struct relative *a, int which, int j, int c)
{
	if (j >= a->memory)
		return relative_made(a, a->v.x, which, j - a->memory)[c];
	return relative_dot(a->s->x + relative_weight(a, which, c), relative_row(a, j),
			    a->l->width);
}

/* Its gradient, to which d is added: of a kept row it is that of the weights. */
static void relative_value_back(const struct relative *a, int which, int j, int c, double d)
{
	if (j >= a->memory) {
		relative_made(a, a->v.dx, which, j - a->memory)[c] += d;
		return;
	}
	for (int k = 0; k < a->l->width; k++)
		a->s->grad[relative_weight(a, which, c) + (size_t)k] += d * relative_row(a, j)[k];
}

/* Channel c of the code of a distance, by the layer's own weights; and the gradient of those. */
static double relative_far(const struct relative *a, int distance, int c)
{
	return relative_dot(a->s->x + a->l->weight + c * a->l->width,
			    a->codes + (size_t)distance * (size_t)a->l->width, a->l->width);
}

static void relative_far_back(const struct relative *a, int distance, int c, double d)
{
	const double *code = a->codes + (size_t)distance * (size_t)a->l->width;

	for (int k = 0; k < a->l->width; k++)
		a->s->grad[a->l->weight + (size_t)(c * a->l->width + k)] += d * code[k];
}

static void relative_make_codes(struct relative *a)
{
	const struct layer *l = a->l;
	const int half = l->width / 2;

	for (int t = 0; t < a->keys; t++) {
		struct rng r;

		if (a->s->use) {
			rng_at(&r, a->s->seed, RNG_DROPOUT, (uint32_t)l->first, a->s->use[0]);
			rng_skip(&r, (uint64_t)t * (uint64_t)l->width);
		}
		for (int k = 0; k < l->width; k++) {
			const bool clamps = a->s->test && l->test_clamp && t > l->test_clamp;
			const double far = clamps ? l->test_clamp : t;
			const double w = far * pow(10000, -2.0 * (k % half) / l->width);
			const bool drops = a->s->use && l->position_rate > 0;
			const bool drop = drops && rng_u32(&r) / 4294967296.0 < l->position_rate;

			a->codes[t * l->width + k] =
				drop ? 0 : (k < half ? sin(w) : cos(w)) /
						   (drops ? 1 - l->position_rate : 1);
		}
	}
}

static bool relative_sees(const struct relative *a, int i, int j)
{
	const int distance = a->memory + i - j;

	return distance >= 0 &&
	       !(a->s->test && a->l->test_same_length && distance >= a->l->memory);
}

static double relative_score(const struct relative *a, int head, int i, int j)
{
	const double *q = relative_made(a, a->v.x, 0, i);
	const double *u = a->s->x + a->l->beta, *w = u + a->channels;
	double sum = 0;

	for (int c = head * a->size; c < (head + 1) * a->size; c++)
		sum += (q[c] + u[c]) * relative_value(a, 1, j, c) +
		       (q[c] + w[c]) * relative_far(a, a->memory + i - j, c);
	return sum / sqrt(a->size);
}

/* p, mask <- of a query's keys. */
static void relative_weigh(const struct relative *a, int head, int i)
{
	double most = -(double)INFINITY, sum = 0;
	struct rng r;

	if (a->s->use)
		rng_at(&r, a->s->seed, RNG_DROPOUT, attention_address(a->l, a->layer, head, i),
		       a->s->use[a->sample]);
	for (int j = 0; j <= a->memory + i; j++) {
		const bool drop = a->s->use && a->l->rate > 0 &&
				  rng_u32(&r) / 4294967296.0 < a->l->rate;

		a->mask[j] = drop ? 0 : a->s->use ? 1 / (1 - a->l->rate) : 1;
		a->p[j] = relative_sees(a, i, j) ? relative_score(a, head, i, j)
						 : -(double)INFINITY;
		most = fmax(most, a->p[j]);
	}
	for (int j = 0; j <= a->memory + i; j++)
		sum += a->p[j] = exp(a->p[j] - most);
	for (int j = 0; j <= a->memory + i; j++)
		a->p[j] /= sum;
}

static void relative_query(const struct relative *a, int head, int i)
{
	double *y = relative_made(a, a->v.y, 0, i);

	for (int j = 0; j <= a->memory + i; j++)
		for (int c = head * a->size; c < (head + 1) * a->size; c++)
			y[c] += a->p[j] * a->mask[j] * relative_value(a, 2, j, c);
}

/* slope <- dS / sqrt(size) = P (dP - sum P dP) / sqrt(size) */
static void relative_slopes(const struct relative *a, int head, int i)
{
	const double *dy = relative_made(a, a->v.dy, 0, i);
	double mean = 0;

	for (int j = 0; j <= a->memory + i; j++) {
		a->slope[j] = 0;
		for (int c = head * a->size; c < (head + 1) * a->size; c++)
			a->slope[j] += a->mask[j] * dy[c] * relative_value(a, 2, j, c);
		mean += a->p[j] * a->slope[j];
	}
	for (int j = 0; j <= a->memory + i; j++)
		a->slope[j] = a->p[j] * (a->slope[j] - mean) / sqrt(a->size);
}

static void relative_query_back(const struct relative *a, int head, int i)
{
	const double *q = relative_made(a, a->v.x, 0, i), *dy = relative_made(a, a->v.dy, 0, i);
	const double *u = a->s->x + a->l->beta, *w = u + a->channels;
	double *dq = relative_made(a, a->v.dx, 0, i), *du = a->s->grad + a->l->beta;

	relative_slopes(a, head, i);
	for (int j = 0; j <= a->memory + i; j++)
		for (int c = head * a->size; c < (head + 1) * a->size; c++) {
			const int distance = a->memory + i - j;
			const double near = a->slope[j] * relative_value(a, 1, j, c);
			const double far = a->slope[j] * relative_far(a, distance, c);

			dq[c] += near + far;
			du[c] += near;
			du[a->channels + c] += far;
			relative_value_back(a, 1, j, c, a->slope[j] * (q[c] + u[c]));
			relative_value_back(a, 2, j, c, a->p[j] * a->mask[j] * dy[c]);
			relative_far_back(a, distance, c, a->slope[j] * (q[c] + w[c]));
		}
}

/* The last rows of what it kept and of its window. */
static void relative_leave(const struct relative *a)
{
	const struct reference_memory *m = a->s->memory;
	const int width = a->l->width, left = a->keys < a->l->memory ? a->keys : a->l->memory;
	const struct tensor *x = &a->s->y[a->l->in[1]];

	if (!m || !m->out)
		return;
	for (int j = 0; j < left; j++) {
		const int row = a->keys - left + j;
		const double *from = row < a->memory
			? relative_row(a, row)
			: pixel(x, (size_t)(a->sample * a->window + row - a->memory));

		for (int k = 0; k < width; k++)
			m->out[(size_t)a->sample * a->s->g->carry.floats + a->l->carried +
			       (size_t)(j * width + k)] = from[k];
	}
}

static void relative_sample(struct relative *a, bool back)
{
	for (int head = 0; head < a->l->heads; head++)
		for (int i = 0; i < a->window; i++) {
			relative_weigh(a, head, i);
			if (back)
				relative_query_back(a, head, i);
			else
				relative_query(a, head, i);
		}
	if (!back)
		relative_leave(a);
}

void reference_relative(struct state *s, int i, bool back)
{
	const struct layer *l = &s->g->layers[i];
	const int rows = s->memory ? (int)s->memory->rows : 0;
	struct relative a = {
		.s = s, .v = view_of(s, i), .l = l, .made = &s->g->layers[l->tied], .layer = i,
		.window = l->is.h, .memory = rows < l->memory ? rows : l->memory,
		.size = l->os.c / l->heads, .channels = l->os.c,
	};

	a.keys = a.memory + a.window;
	a.codes = xcalloc((size_t)a.keys * (size_t)l->width, sizeof(double));
	a.p = xcalloc(3 * (size_t)a.keys, sizeof(double));
	a.mask = a.p + a.keys;
	a.slope = a.mask + a.keys;
	relative_make_codes(&a);
	for (; a.sample < a.v.y->n; a.sample++)
		relative_sample(&a, back);
	free(a.codes);
	free(a.p);
}

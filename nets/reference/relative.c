/*
 * relative.c - the reference's attention by distance, with all scores of a query at once.
 *
 * Key j of K = m + T is that of memory row j, or of token j - m of the window; query i has the keys
 * up to m + i. The distance of key j is m + i - j.
 */
#include "core/base/mem.h"
#include "core/math/rng.h"
#include "nets/reference/layers.h"

#include "nets/backend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A layer's call, for one sample at a time. */
struct relative {
	struct state *s;
	struct view v;
	const struct layer *l, *made;   /* the layer, and the linear one whose weights it shares */
	int layer, sample;
	int window, memory, keys;       /* T, m, K */
	int size, channels;             /* of a head; of all */
	double *codes;                  /* [K][width] of each distance */
	double *far, *dfar;             /* [K][channels]: codes times the layer's own weights */
	double *kept, *dkept;           /* [m][2][channels]: keys and values of the memory */
	double *p, *mask, *slope;       /* [K] of a query: probabilities, dropout, dS */
};

/* Row j of the sample's memory. */
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

/* Key (which = 1) or value (2) j. */
static const double *relative_value(const struct relative *a, int which, int j)
{
	return j < a->memory ? a->kept + (2 * j + which - 1) * a->channels
			     : relative_made(a, a->v.x, which, j - a->memory);
}

/* Its gradient. */
static double *relative_value_grad(const struct relative *a, int which, int j)
{
	return j < a->memory ? a->dkept + (2 * j + which - 1) * a->channels
			     : relative_made(a, a->v.dx, which, j - a->memory);
}

/* far = codes x the layer's own weights; with back, the gradient of those. */
static void relative_make_far(const struct relative *a, bool back)
{
	struct linear l = { .rows = (size_t)a->keys, .in = (size_t)a->l->width,
			    .out = (size_t)a->channels, .w = a->s->x + a->l->weight, .x = a->codes,
			    .y = a->far, .dy = a->dfar, .y_row = (size_t)a->channels };

	if (!back) {
		reference_linear_forward(&l);
		return;
	}
	l.dw = a->s->grad + a->l->weight;
	reference_linear_backward(&l);
}

/* kept = the sample's rows x the weights of keys and values; with back, the gradient of those. */
static void relative_make_kept(const struct relative *a, bool back)
{
	const size_t weight = a->made->weight + (size_t)(a->channels * a->l->width);
	struct linear l = { .rows = (size_t)a->memory, .in = (size_t)a->l->width,
			    .out = 2 * (size_t)a->channels, .w = a->s->x + weight,
			    .y = a->kept, .dy = a->dkept, .y_row = 2 * (size_t)a->channels };

	if (!a->memory)
		return;
	l.x = relative_row(a, 0);
	if (!back) {
		memset(a->kept, 0, 2 * l.rows * l.out * sizeof(*a->kept));
		reference_linear_forward(&l);
		return;
	}
	l.dw = a->s->grad + weight;
	reference_linear_backward(&l);
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
	const double *key = relative_value(a, 1, j);
	const double *far = a->far + (a->memory + i - j) * a->channels;
	double sum = 0;

	for (int c = head * a->size; c < (head + 1) * a->size; c++)
		sum += (q[c] + u[c]) * key[c] + (q[c] + w[c]) * far[c];
	return sum / sqrt(a->size);
}

/* Sets p and mask for a query's keys. */
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
			y[c] += a->p[j] * a->mask[j] * relative_value(a, 2, j)[c];
}

/* slope <- dS / sqrt(size) = P (dP - sum P dP) / sqrt(size) */
static void relative_slopes(const struct relative *a, int head, int i)
{
	const double *dy = relative_made(a, a->v.dy, 0, i);
	double mean = 0;

	for (int j = 0; j <= a->memory + i; j++) {
		a->slope[j] = 0;
		for (int c = head * a->size; c < (head + 1) * a->size; c++)
			a->slope[j] += a->mask[j] * dy[c] * relative_value(a, 2, j)[c];
		mean += a->p[j] * a->slope[j];
	}
	for (int j = 0; j <= a->memory + i; j++)
		a->slope[j] = a->p[j] * (a->slope[j] - mean) / sqrt(a->size);
}

/* Gradients through the score of query i and key j. */
static void relative_pair_back(const struct relative *a, int head, int i, int j)
{
	const double *q = relative_made(a, a->v.x, 0, i), *dy = relative_made(a, a->v.dy, 0, i);
	const double *u = a->s->x + a->l->beta, *w = u + a->channels;
	const int distance = (a->memory + i - j) * a->channels;
	const double *key = relative_value(a, 1, j), *far = a->far + distance;
	double *dkey = relative_value_grad(a, 1, j), *dvalue = relative_value_grad(a, 2, j);
	double *dq = relative_made(a, a->v.dx, 0, i), *du = a->s->grad + a->l->beta;

	for (int c = head * a->size; c < (head + 1) * a->size; c++) {
		dq[c] += a->slope[j] * (key[c] + far[c]);
		du[c] += a->slope[j] * key[c];
		du[a->channels + c] += a->slope[j] * far[c];
		dkey[c] += a->slope[j] * (q[c] + u[c]);
		dvalue[c] += a->p[j] * a->mask[j] * dy[c];
		a->dfar[distance + c] += a->slope[j] * (q[c] + w[c]);
	}
}

static void relative_query_back(const struct relative *a, int head, int i)
{
	relative_slopes(a, head, i);
	for (int j = 0; j <= a->memory + i; j++)
		relative_pair_back(a, head, i, j);
}

/* Writes the new memory: the last rows of the old one and the window. */
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
	relative_make_kept(a, false);
	for (int head = 0; head < a->l->heads; head++)
		for (int i = 0; i < a->window; i++) {
			relative_weigh(a, head, i);
			if (back)
				relative_query_back(a, head, i);
			else
				relative_query(a, head, i);
		}
	if (back)
		relative_make_kept(a, true);
	else
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
	a.far = xcalloc(2 * (size_t)(a.keys * a.channels), sizeof(double));
	a.dfar = a.far + a.keys * a.channels;
	a.kept = xcalloc(4 * (size_t)(a.memory * a.channels), sizeof(double));
	a.dkept = a.kept + 2 * a.memory * a.channels;
	a.p = xcalloc(3 * (size_t)a.keys, sizeof(double));
	a.mask = a.p + a.keys;
	a.slope = a.mask + a.keys;
	relative_make_codes(&a);
	relative_make_far(&a, false);
	for (; a.sample < a.v.y->n; a.sample++)
		relative_sample(&a, back);
	if (back)
		relative_make_far(&a, true);
	free(a.codes);
	free(a.far);
	free(a.kept);
	free(a.p);
}

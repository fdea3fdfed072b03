/*
 * A unit: y = drop(relu(norm(x) + r)), where each part is optional, drop only after a ReLU.
 *
 * norm(x) = (x - mean) / sqrt(var + eps) * gamma + beta over n, h, w per channel.
 * With dy the gradient after the ReLU, M = n h w and s = 1 / sqrt(var + eps):
 *
 *	dbeta = sum dy,  dgamma = s sum dy (x - mean)
 *	dx = gamma s (dy - dbeta / M - (x - mean) s dgamma / M)
 *
 * These sums are over the whole batch, so dx needs a second pass (unit_spread). They are added up
 * from those of chunks, in their order.
 */
#include "nets/onednn/onednn.h"

#include <math.h>

/* turn[]: of unit_measure and of gathering. */
struct norm {
	size_t c;
	double m;               /* pixels measured so far */
	double *mean, *var;     /* [c] var: sum of squares, until all chunks are measured */
	double *sum, *dot;      /* [c] of dy and dy (x - mean) */
	float *coef;            /* [3][c] of simd->normalise */
	float *back;            /* [4][c] of simd->spread */
};

static int unit_open(struct onednn *c, struct op *op)
{
	const struct value *out = &c->values[op->out];
	struct norm *k;

	/* A chunk's sums, and a dropout's mask. */
	onednn_temp(c, (size_t)out->shape.c * (2 * sizeof(double) + sizeof(float)));
	if (op->drop)
		onednn_temp(c, value_chunk(c, op->out, op->level) * sizeof(float));
	if (!op->layer)
		return 0;
	k = op->priv = xcalloc(1, sizeof(*k));
	k->c = (size_t)op->layer->os.c;
	k->mean = xcalloc(4 * k->c, sizeof(double));
	k->var = k->mean + k->c;
	k->sum = k->var + k->c;
	k->dot = k->sum + k->c;
	k->coef = vec_new(7 * k->c);
	k->back = k->coef + 3 * k->c;
	return 0;
}

static void unit_close(struct op *op)
{
	const struct norm *k = op->priv;

	free(k->mean);
	free(k->coef);
}

/* Pixels of a chunk, of the normalised value. */
static size_t unit_rows(const struct op *op, struct span s)
{
	return s.n * ((size_t)op->layer->os.h / s.parts) * (size_t)op->layer->os.w;
}

/* A chunk's sums, in the lane's temp. */
struct sums {
	double *first, *second;
	float *pivot;
};

static struct sums unit_sums(const struct norm *k, struct span s)
{
	double *first = (double *)(void *)s.lane->temp;

	memset(first, 0, 2 * k->c * sizeof(*first));
	return (struct sums){ first, first + k->c, (float *)(first + 2 * k->c) };
}

/*
 * Combines mean and sum of squared distances of the pixels so far with those of m more (Chan,
 * Golub, LeVeque 1983), which are given relative to a pivot.
 */
static void unit_merge(struct norm *k, double m, const struct sums *p)
{
	const double all = k->m + m;

	for (size_t i = 0; i < k->c; i++) {
		const double off = p->first[i] / m, squares = p->second[i] - off * p->first[i];
		const double d = (double)p->pivot[i] + off - k->mean[i];

		k->mean[i] += d * m / all;
		k->var[i] += squares + d * d * k->m * m / all;
	}
	k->m = all;
}

/*
 * Measures relative to the chunk's first pixel, so that a large mean does not drown a small
 * variance.
 */
void unit_measure(struct onednn *c, struct op *op, struct span s)
{
	struct norm *k = op->priv;
	const void *x = value_act(c, op->in[0], s);
	const struct sums p = unit_sums(k, s);

	c->simd->widen(k->c, x, p.pivot);
	c->simd->measure(unit_rows(op, s), k->c, x, p.pivot, p.first, p.second);
	turn_wait(&op->turn[0], s.k);
	if (!s.k) {
		k->m = 0;
		memset(k->mean, 0, 2 * k->c * sizeof(*k->mean));
	}
	unit_merge(k, (double)unit_rows(op, s), &p);
	turn_pass(&op->turn[0]);
}

/* Coefficients of the normalisation, from measured or given statistics. */
static void unit_load(struct onednn *c, struct op *op, bool back, struct lane *w)
{
	const struct layer *l = op->layer;
	struct norm *k = op->priv;

	(void)w;
	for (size_t i = 0; l && !back && i < k->c; i++) {
		double mean, var;

		if (c->training)
			k->var[i] = k->var[i] < 0 ? 0 : k->var[i] / k->m;
		mean = c->training ? k->mean[i] : (double)c->stats[l->stats + i];
		var = c->training ? k->var[i] : (double)c->stats[l->stats + k->c + i];
		k->coef[i] = (float)mean;
		k->coef[k->c + i] = (float)((double)c->x[l->weight + i] / sqrt(var + l->eps));
		k->coef[2 * k->c + i] = c->x[l->beta + i];
	}
}

void unit_report(const struct op *op, float *stats)
{
	const struct norm *k = op->priv;

	for (size_t i = 0; i < k->c; i++) {
		stats[op->layer->stats + i] = (float)k->mean[i];
		stats[op->layer->stats + k->c + i] = (float)k->var[i];
	}
}

static void unit_forward(struct onednn *c, struct op *op, struct span s)
{
	const void *x = value_act(c, op->in[0], s);
	const void *r = op->in[1] >= 0 ? value_act(c, op->in[1], s) : NULL;
	const size_t count = c->values[op->out].count;
	float *mask = (float *)(void *)s.lane->temp;
	void *y = value_act(c, op->out, s);
	struct norm *k = op->priv;

	if (k)
		c->simd->normalise(unit_rows(op, s), k->c, x, k->coef, r, op->relu, y);
	else
		c->simd->join(value_span(c, op->out, s), x, r, op->relu, y);
	if (op->drop && c->use) {
		dropout_mask(s.n, count, op->drop->rate, c->seed,
			     (int)(op->drop - c->graph->layers), c->use + s.first, mask);
		c->simd->times(s.n * count, y, mask, false, y);
	}
}

/* Input j's gradient <- or += dy. */
static void unit_hand_on(struct onednn *c, const struct op *op, int j, struct span s,
			 const void *dy)
{
	const size_t n = value_span(c, op->out, s);

	if (op->in[j] >= 0 && c->values[op->in[j]].wanted && !op->shares[j])
		c->simd->copy(1, n, dy, 0, op->add[j], value_grad(c, op->in[j], s), 0);
}

static void unit_backward(struct onednn *c, struct op *op, struct span s)
{
	const void *y = op->relu ? value_act(c, op->out, s) : NULL;
	const void *extra = value_extra(c, op->out, s);
	const float scale = op->drop && c->use ? (float)(1 / (1 - op->drop->rate)) : 1;
	void *dy = value_grad(c, op->out, s);
	struct norm *k = op->priv;

	if (op->layer) {        /* the chunk's sums of dy and dy (x - mean) */
		const struct sums p = unit_sums(k, s);

		c->simd->gather(unit_rows(op, s), k->c, value_act(c, op->in[0], s), k->coef, y,
				extra, scale, dy, p.first, p.second);
		turn_wait(&op->turn[1], s.k);
		for (size_t i = 0; i < k->c; i++) {
			k->sum[i] = p.first[i] + (s.k ? k->sum[i] : 0);
			k->dot[i] = p.second[i] + (s.k ? k->dot[i] : 0);
		}
		turn_pass(&op->turn[1]);
	} else {
		c->simd->mask(value_span(c, op->out, s), y, extra, scale, dy);
		unit_hand_on(c, op, 0, s, dy);
	}
	unit_hand_on(c, op, 1, s, dy);
}

static void unit_store(struct onednn *c, struct op *op, struct lane *w)
{
	const struct layer *l = op->layer;
	struct norm *k = op->priv;
	double m;

	(void)w;
	if (!k)
		return;
	m = (double)(c->n * (size_t)l->os.h * (size_t)l->os.w);
	for (size_t i = 0; i < k->c; i++) {
		double s = 1 / sqrt(k->var[i] + l->eps), a = (double)c->x[l->weight + i] * s;

		c->g[l->weight + i] = (float)(s * k->dot[i]);
		c->g[l->beta + i] = (float)k->sum[i];
		k->back[i] = k->coef[i];
		k->back[k->c + i] = (float)a;
		k->back[2 * k->c + i] = (float)(-a * s * s * k->dot[i] / m);
		k->back[3 * k->c + i] = (float)(-a * k->sum[i] / m);
	}
}

void unit_spread(struct onednn *c, struct op *op, struct span s)
{
	struct norm *k = op->priv;

	c->simd->spread(unit_rows(op, s), k->c, value_act(c, op->in[0], s), k->back,
			value_grad(c, op->out, s), op->add[0], value_grad(c, op->in[0], s));
}

const struct op_type op_unit = {
	.open = unit_open, .load = unit_load, .forward = unit_forward, .backward = unit_backward,
	.store = unit_store, .close = unit_close,
};

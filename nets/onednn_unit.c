/*
 * A unit: y = relu(norm(x) + r), each part optional.
 *
 * norm(x) = (x - mean) / sqrt(var + eps) * gamma + beta over n, h, w per channel.
 * With dy the gradient behind the ReLU, M = n h w and s = 1 / sqrt(var + eps):
 *
 *	dbeta = sum dy,  dgamma = s sum dy (x - mean)
 *	dx = gamma s (dy - dbeta / M - (x - mean) s dgamma / M)
 *
 * The sums need all of the batch, so dx is a second pass (unit_spread).
 */
#include "nets/onednn.h"

#include <math.h>

struct norm {
	size_t c;
	double *sum, *square;   /* [c] of the batch so far; backward: of dy and dy (x - mean) */
	double *mean, *var;     /* [c] */
	float *pivot;           /* [c] a value of each channel, for sums without cancellation */
	float *coef;            /* [3][c] of simd->normalise */
	float *back;            /* [4][c] of simd->spread */
};

static void unit_open(struct onednn *c, struct op *op)
{
	struct norm *k;

	(void)c;
	if (!op->layer)
		return;
	k = op->priv = xcalloc(1, sizeof(*k));
	k->c = (size_t)op->layer->os.c;
	k->sum = xcalloc(4 * k->c, sizeof(double));
	k->square = k->sum + k->c;
	k->mean = k->square + k->c;
	k->var = k->mean + k->c;
	k->pivot = vec_new(8 * k->c);
	k->coef = k->pivot + k->c;
	k->back = k->coef + 3 * k->c;
}

static void unit_close(struct op *op)
{
	struct norm *k = op->priv;

	if (!k)
		return;
	free(k->sum);
	free(k->pivot);
	free(k);
}

/* Pixels of a chunk of the normalised value. */
static size_t rows_of(const struct op *op, struct span s)
{
	return s.n * (size_t)op->layer->os.h * (size_t)op->layer->os.w;
}

void unit_measure(struct onednn *c, struct op *op, struct span s)
{
	struct norm *k = op->priv;
	const float *x = value_act(c, op->in[0], s);

	if (!s.first) {
		memcpy(k->pivot, x, k->c * sizeof(*x));
		memset(k->sum, 0, 2 * k->c * sizeof(*k->sum));
	}
	c->simd->measure(rows_of(op, s), k->c, x, k->pivot, k->sum, k->square);
}

/* Mean and variance from the sums over n samples. */
static void conclude(const struct op *op, size_t n)
{
	struct norm *k = op->priv;
	double m = (double)rows_of(op, (struct span){ 0, n });

	for (size_t i = 0; i < k->c; i++) {
		double d = k->sum[i] / m, var = k->square[i] / m - d * d;

		k->mean[i] = (double)k->pivot[i] + d;
		k->var[i] = var < 0 ? 0 : var;
	}
}

void unit_settle(struct onednn *c, struct op *op)
{
	const struct layer *l = op->layer;
	struct norm *k = op->priv;

	if (c->training)
		conclude(op, c->n);
	for (size_t i = 0; i < k->c; i++) {
		double mean = c->training ? k->mean[i] : (double)c->stats[l->stats + i];
		double var = c->training ? k->var[i] : (double)c->stats[l->stats + k->c + i];

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
	const float *x = value_act(c, op->in[0], s);
	const float *r = op->in[1] >= 0 ? value_act(c, op->in[1], s) : NULL;
	float *y = value_act(c, op->out, s);
	struct norm *k = op->priv;

	if (k)
		c->simd->normalise(rows_of(op, s), k->c, x, k->coef, r, op->relu, y);
	else
		c->simd->join(s.n * c->values[op->out].count, x, r, op->relu, y);
}

/* Input j's gradient <- or += dy. */
static void hand_on(struct onednn *c, const struct op *op, int j, struct span s, const float *dy)
{
	size_t n;
	float *dx;

	if (op->in[j] < 0 || !c->values[op->in[j]].wanted || (j == 1 && op->shares))
		return;
	n = s.n * c->values[op->out].count;
	dx = value_grad(c, op->in[j], s);
	if (op->add[j])
		c->simd->add(n, dy, dx);
	else
		memcpy(dx, dy, n * sizeof(*dx));
}

static void unit_backward(struct onednn *c, struct op *op, struct span s)
{
	const float *y = op->relu ? value_act(c, op->out, s) : NULL;
	const float *extra = c->values[op->out].extra;
	float *dy = value_grad(c, op->out, s);
	struct norm *k = op->priv;

	if (!k) {
		c->simd->mask(s.n * c->values[op->out].count, y, extra, dy);
		hand_on(c, op, 0, s, dy);
	} else {
		if (!s.first)
			memset(k->sum, 0, 2 * k->c * sizeof(*k->sum));
		c->simd->gather(rows_of(op, s), k->c, value_act(c, op->in[0], s), k->coef, y,
				extra, dy, k->sum, k->square);
	}
	hand_on(c, op, 1, s, dy);
}

static void unit_store(struct onednn *c, struct op *op)
{
	const struct layer *l = op->layer;
	struct norm *k = op->priv;
	double m;

	if (!k)
		return;
	m = (double)rows_of(op, (struct span){ 0, c->n });
	for (size_t i = 0; i < k->c; i++) {
		double s = 1 / sqrt(k->var[i] + l->eps), a = (double)c->x[l->weight + i] * s;

		c->g[l->weight + i] = (float)(s * k->square[i]);
		c->g[l->beta + i] = (float)k->sum[i];
		k->back[i] = k->coef[i];
		k->back[k->c + i] = (float)a;
		k->back[2 * k->c + i] = (float)(-a * s * s * k->square[i] / m);
		k->back[3 * k->c + i] = (float)(-a * k->sum[i] / m);
	}
}

void unit_spread(struct onednn *c, struct op *op, struct span s)
{
	struct norm *k = op->priv;

	c->simd->spread(rows_of(op, s), k->c, value_act(c, op->in[0], s), k->back,
			value_grad(c, op->out, s), op->add[0], value_grad(c, op->in[0], s));
}

const struct op_type op_unit = {
	.open = unit_open,
	.forward = unit_forward,
	.backward = unit_backward,
	.store = unit_store,
	.close = unit_close,
};

/*
 * adaptive.c - adaptive softmax: frequent tokens by their own logits, others by that of a cluster.
 *
 *     -log p(y) = -log head[y],  y a token of the head,
 *                 -log head[cluster] - log tail[y],  y a token of a cluster's tail
 *
 * head and tails are softmaxes over hid table^T + bias; the head has a column more for each
 * cluster. In training the backward pass computes all of it: logits of a tail for those rows only
 * whose label is in it, their losses, and at once their gradients. The layer has no output then.
 * Evaluation gives the logarithms of all probabilities.
 */
#include "nets/adaptive.h"

#include "core/math/wide.h"
#include "nets/layers.h"
#include "nets/nets.h"
#include "nets/openblas/openblas.h"
#include "nets/openblas/softmax.h"

#include <math.h>
#include <string.h>

/* A partition's rows, in the lane's cols. */
struct adaptive {
	const struct ob *c;
	const struct ob_part *part;
	const struct layer *l;
	size_t width, rows, head;       /* channels of a row; rows; columns of the head */
	const float *hid;               /* [rows][width] */
	const int32_t *labels;          /* [rows]; NULL in evaluation */
	float *z;                       /* [rows][head], then the tails' rows */
	float *some, *dsome;            /* [rows][width] those of a tail */
};

static size_t adaptive_row_cols(const struct layer *l)
{
	return 2 * adaptive_head(l) + adaptive_largest(l) + 2 * (size_t)l->is.c;
}

static struct adaptive adaptive_of(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	struct adaptive a = {
		.c = c, .part = p, .l = l, .width = (size_t)l->is.c, .rows = p->n,
		.head = adaptive_head(l), .hid = ob_y(c, l->in[0], p), .z = ob_lane(c, p)->cols,
		.labels = c->pass == PASS_TRAIN ? c->labels + p->first : NULL,
	};

	a.some = a.z + a.rows * (a.head + adaptive_largest(l));
	a.dsome = a.some + a.rows * a.width;
	return a;
}

/* z[rows][n], in rows of ldz <- hid weight[n][width]^T + bias */
static void adaptive_product(const struct adaptive *a, size_t rows, const float *hid,
			     const float *weight, const float *bias, size_t n, float *z,
			     size_t ldz)
{
	for (size_t r = 0; r < rows; r++)
		memcpy(z + r * ldz, bias, n * sizeof(*z));
	if (rows)
		ob_multiply(a->c, a->part, false, true, rows, n, a->width, hid, a->width, weight,
			    a->width, 1.0f, z, ldz);
}

/* Logits of the tokens of cluster k; 0: those of the head. */
static void adaptive_logits(const struct ob *c, const struct adaptive *a, int k, size_t rows,
			    const float *hid, float *z, size_t ldz)
{
	const size_t first = adaptive_first(a->l, k);

	adaptive_product(a, rows, hid, c->x + adaptive_table(c->g, a->l) + first * a->width,
			 c->x + a->l->beta + first, adaptive_count(a->l, k), z, ldz);
}

static void adaptive_head_logits(const struct ob *c, const struct adaptive *a)
{
	const struct layer *l = a->l;
	const size_t own = adaptive_count(l, 0);

	adaptive_logits(c, a, 0, a->rows, a->hid, a->z, a->head);
	if (l->clusters)
		adaptive_product(a, a->rows, a->hid, c->x + l->weight,
				 c->x + l->beta + l->vocabulary, (size_t)l->clusters, a->z + own,
				 a->head);
}

/* ---- evaluation ---- */

static void adaptive_forward(struct ob *c, int i, const struct ob_part *p)
{
	struct adaptive a;
	const size_t all = (size_t)c->g->layers[i].vocabulary;
	float *y, *spare;

	if (c->pass == PASS_TRAIN)
		return;
	a = adaptive_of(c, i, p);
	spare = a.z + a.rows * a.head;
	y = ob_y(c, i, p);
	adaptive_head_logits(c, &a);
	for (size_t r = 0; r < a.rows; r++) {
		float *z = a.z + r * a.head;

		softmax_shift(a.head, (float)-softmax_norm(a.head, z, spare), z);
		memcpy(y + r * all, z, adaptive_count(a.l, 0) * sizeof(*y));
	}
	for (int k = 1; k <= a.l->clusters; k++) {
		const size_t n = adaptive_count(a.l, k);
		float *tail = y + adaptive_first(a.l, k);

		adaptive_logits(c, &a, k, a.rows, a.hid, tail, all);
		for (size_t r = 0; r < a.rows; r++, tail += all)
			softmax_shift(n, a.z[r * a.head + adaptive_column(a.l, k)] -
						  (float)softmax_norm(n, tail, spare), tail);
	}
}

/* ---- training ---- */

/* to[m][width] <- the rows whose label is in cluster k; returns m. */
static size_t adaptive_gather(const struct adaptive *a, int k, float *to)
{
	size_t m = 0;

	for (size_t r = 0; r < a->rows; r++)
		if (adaptive_cluster(a->l, a->labels[r]) == k)
			memcpy(to + m++ * a->width, a->hid + r * a->width,
			       a->width * sizeof(*to));
	return m;
}

/* a->z <- the gradient of the head's logits; dx <- (or +=) that of its input. */
static double adaptive_head_back(struct ob *c, const struct adaptive *a, double scale, bool add,
				 float *dx)
{
	const struct layer *l = a->l;
	const size_t own = adaptive_count(l, 0), width = a->width;
	double loss = 0.0;

	adaptive_head_logits(c, a);
	for (size_t r = 0; r < a->rows; r++) {
		const int k = adaptive_cluster(l, a->labels[r]);

		loss += softmax_slope(a->head, a->z + r * a->head,
				       k ? adaptive_column(l, k) : (size_t)a->labels[r], scale);
	}
	ob_multiply(a->c, a->part, false, false, a->rows, width, own, a->z, a->head,
		    c->x + adaptive_table(c->g, l), width, add ? 1.0f : 0.0f, dx, width);
	if (l->clusters)
		ob_multiply(a->c, a->part, false, false, a->rows, width, (size_t)l->clusters,
			    a->z + own, a->head, c->x + l->weight, width, 1.0f, dx, width);
	return loss;
}

/* The same of cluster k, z[m][its tokens] after the head's and those of the clusters before. */
static double adaptive_tail_back(struct ob *c, const struct adaptive *a, int k, double scale,
				 float *z, float *dx)
{
	const struct layer *l = a->l;
	const size_t first = adaptive_first(l, k), n = adaptive_count(l, k), width = a->width;
	const size_t m = adaptive_gather(a, k, a->some);
	double loss = 0.0;

	adaptive_logits(c, a, k, m, a->some, z, n);
	if (m)
		memset(a->dsome, 0, m * width * sizeof(*a->dsome));
	for (size_t r = 0, at = 0; r < a->rows; r++)
		if (adaptive_cluster(l, a->labels[r]) == k)
			loss += softmax_slope(n, z + at++ * n, (size_t)a->labels[r] - first,
					       scale);
	if (m)
		ob_multiply(a->c, a->part, false, false, m, width, n, z, n,
			    c->x + adaptive_table(c->g, l) + first * width, width, 0.0f, a->dsome,
			    width);
	for (size_t r = 0, at = 0; r < a->rows; r++)
		if (adaptive_cluster(l, a->labels[r]) == k)
			ob_add_into(width, a->dsome + at++ * width, dx + r * width);
	return loss;
}

/* grad[n][width] += z^T hid, bias[n] += the sum of z's rows of ldz. */
static void adaptive_weights(const struct adaptive *a, size_t rows, const float *hid,
			     const float *z, size_t ldz, size_t n, float *grad, float *bias)
{
	if (rows && n)
		ob_multiply(a->c, a->part, true, false, n, a->width, rows, z, ldz, hid, a->width,
			    1.0f, grad, a->width);
	for (size_t r = 0; r < rows; r++)
		ob_add_into(n, z + r * ldz, bias);
}

/* The partitions add in their order. */
static void adaptive_gradient(struct ob *c, int i, const struct ob_part *p,
			      const struct adaptive *a)
{
	const struct layer *l = a->l;
	const size_t own = adaptive_count(l, 0), all = (size_t)l->vocabulary;
	float *table = c->grad + adaptive_table(c->g, l), *bias = c->grad + l->beta;
	const float *z = a->z + a->rows * a->head;

	ob_wait(c, i, p);
	if (!p->k) {
		memset(table, 0, all * a->width * sizeof(*table));
		memset(c->grad + layer_first(l), 0,
		       (layer_weights(l) + layer_biases(l)) * sizeof(*table));
	}
	adaptive_weights(a, a->rows, a->hid, a->z, a->head, own, table, bias);
	adaptive_weights(a, a->rows, a->hid, a->z + own, a->head, (size_t)l->clusters,
			 c->grad + l->weight, bias + all);
	for (int k = 1; k <= l->clusters; k++) {
		const size_t first = adaptive_first(l, k), n = adaptive_count(l, k);
		const size_t m = adaptive_gather(a, k, a->some);

		adaptive_weights(a, m, a->some, z, n, n, table + first * a->width, bias + first);
		z += m * n;
	}
	ob_pass(c, i);
}

static void adaptive_backward(struct ob *c, int i, const struct ob_part *p)
{
	const struct adaptive a = adaptive_of(c, i, p);
	const double scale = 1.0 / (double)(c->n * c->rows);
	bool add;
	float *dx = ob_dx(c, i, 0, p, &add), *z = a.z + a.rows * a.head;
	double loss = adaptive_head_back(c, &a, scale, add, dx);

	for (int k = 1; k <= a.l->clusters; k++) {
		loss += adaptive_tail_back(c, &a, k, scale, z, dx);
		for (size_t r = 0; r < a.rows; r++)
			if (adaptive_cluster(a.l, a.labels[r]) == k)
				z += adaptive_count(a.l, k);
	}
	c->losses[p->k] = loss * scale;
	adaptive_gradient(c, i, p, &a);
}

const struct ob_op ob_adaptive = {
	.row_cols = adaptive_row_cols, .forward = adaptive_forward,
	.backward = adaptive_backward, .makes_loss = true,
};

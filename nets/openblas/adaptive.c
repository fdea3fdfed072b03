/* adaptive.c - softmax cross-entropy over many classes, in float, and the adaptive softmax. */
#include "nets/openblas/openblas.h"

#include "core/math/wide.h"
#include "nets/layers/adaptive.h"
#include "nets/openblas/lanes/table.h"

#include <math.h>
#include <string.h>

WIDE static void softmax_scale(size_t n, float by, float *z)
{
	for (size_t k = 0; k < n; k++)
		z[k] *= by;
}

/* z[n] += by */
WIDE static void softmax_shift(size_t n, float by, float *z)
{
	for (size_t k = 0; k < n; k++)
		z[k] += by;
}

/* z[n] <- scale (softmax(z) - onehot(target)); returns -log softmax(z)[target]. */
static double softmax_slope(size_t n, float *z, size_t target, double scale)
{
	const float most = lanes_best()->most(n, z);
	const double own = (double)z[target] - (double)most;
	const double sum = lanes_best()->sum_exp(n, most, z);

	softmax_scale(n, (float)(scale / sum), z);
	z[target] -= (float)scale;
	return log(sum) - own;
}

/* Returns log sum exp of z[n]; `spare` [n] is overwritten. */
static double softmax_norm(size_t n, const float *z, float *spare)
{
	const float most = lanes_best()->most(n, z);

	memcpy(spare, z, n * sizeof(*z));
	return (double)most + log(lanes_best()->sum_exp(n, most, spare));
}

/* Task: rows of one partition. */
static void softmax_part(void *arg, int k, int lane)
{
	struct ob *c = arg;
	const int last = c->g->n - 1;
	const size_t rows = c->n * c->rows, n = (size_t)c->g->classes;
	const size_t end = rows * ((size_t)k + 1) / (size_t)c->parts;
	double loss = 0.0;

	(void)lane;
	for (size_t r = rows * (size_t)k / (size_t)c->parts; r < end; r++) {
		float *d = c->dy[last].whole + r * n;

		memcpy(d, c->y[last] + r * n, n * sizeof(*d));
		loss += softmax_slope(n, d, (size_t)c->labels[r], 1.0 / (double)rows);
	}
	c->losses[k] = loss / (double)rows;
}

double softmax_tokens(struct ob *c)
{
	double loss = 0.0;

	team_run(c->team, c->parts, softmax_part, c);
	for (int k = 0; k < c->parts; k++)
		loss += c->losses[k];
	return loss;
}

/* ---- the adaptive softmax ---- */

/*
 * Adaptive softmax: frequent tokens have their own logits, others are reached through a cluster.
 *
 *     -log p(y) = -log head[y],  y a token of the head,
 *                 -log head[cluster] - log tail[y],  y a token of a cluster's tail
 *
 * Head and tails are softmaxes over hid table^T + bias; the head has one more column for each
 * cluster. With div > 1, each has a table and a projection P of its own, and its logits are (hid P)
 * table^T + bias. In training the backward pass computes everything: logits of a tail only for rows
 * whose label is in it, their losses, and at once their gradients. The layer then has no output.
 * Evaluation gives the logarithms of all probabilities.
 */

/* Rows of a partition, in the lane's cols. */
struct adaptive {
	const struct ob *c;
	const struct ob_part *part;
	const struct layer *l;
	size_t width, rows, head;       /* channels of a row; rows; columns of the head */
	const float *hid;               /* [rows][width] */
	const int32_t *labels;          /* [rows]; NULL in evaluation */
	float *some, *dsome;            /* [rows][width] rows of a tail */
	float *low, *dlow;              /* with div > 1: hid P of the head, then of each tail */
	float *z;                       /* logits [rows][head], then the tails' rows */
};

/* The rows of the head (k = 0) or of a tail, which are those whose label is in the cluster. */
struct adaptive_bin {
	int k;
	size_t m, n, width;             /* rows; tokens; values of a row of the table */
	float *low, *dlow;              /* [m][width] */
	float *z;                       /* [m][n]; in the head, with the head's row length */
};

/* Floats of a row's hid P: of the head, plus the widest tail. */
static size_t adaptive_low(const struct layer *l)
{
	return l->div > 1 ? adaptive_width(l, 0) + adaptive_width(l, 1) : 0;
}

static size_t adaptive_row_cols(const struct layer *l)
{
	return 2 * (adaptive_head(l) + (size_t)l->is.c + adaptive_low(l)) + adaptive_largest(l);
}

static struct adaptive adaptive_of(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	struct adaptive a = {
		.c = c, .part = p, .l = l, .width = (size_t)l->is.c, .rows = p->n,
		.head = adaptive_head(l), .hid = ob_y(c, l->in[0], p),
		.labels = c->pass == PASS_TRAIN ? c->labels + p->first : NULL,
	};

	a.some = ob_lane(c, p)->cols;
	a.dsome = a.some + a.rows * a.width;
	a.low = a.dsome + a.rows * a.width;
	a.dlow = a.low + a.rows * adaptive_low(l);
	a.z = a.dlow + a.rows * adaptive_low(l);
	return a;
}

static struct adaptive_bin adaptive_first_bin(const struct adaptive *a)
{
	return (struct adaptive_bin){
		.m = a->rows, .n = adaptive_count(a->l, 0), .width = a->width, .low = a->low,
		.dlow = a->dlow, .z = a->z,
	};
}

/* b <- the next tail; false: there is none. */
static bool adaptive_next_bin(const struct adaptive *a, struct adaptive_bin *b)
{
	const size_t low = a->l->div > 1 ? b->m * b->width : 0;

	b->z += b->m * (b->k ? b->n : a->head);
	b->low += low;
	b->dlow += low;
	if (b->k++ == a->l->clusters)
		return false;
	b->n = adaptive_count(a->l, b->k);
	b->width = adaptive_width(a->l, b->k);
	b->m = 0;
	for (size_t r = 0; a->labels && r < a->rows; r++)
		b->m += adaptive_cluster(a->l, a->labels[r]) == b->k;
	return true;
}

/* Returns the factor of the table: b->low <- hid P, or hid [m] itself if div is 1. */
static const float *adaptive_project(const struct adaptive *a, const struct adaptive_bin *b,
				     const float *hid)
{
	if (a->l->div == 1)
		return hid;
	if (b->m)
		ob_multiply(a->c, a->part, false, false, b->m, b->width, a->width, hid, a->width,
			    a->c->x + adaptive_projection(a->c->g, a->l, b->k), b->width, 0.0f,
			    b->low, b->width);
	return b->low;
}

/* z[m][n], in rows of ldz <- low weight[n][width]^T + bias */
static void adaptive_product(const struct adaptive *a, const struct adaptive_bin *b,
			     const float *low, const float *weight, const float *bias, size_t n,
			     float *z, size_t ldz)
{
	for (size_t r = 0; r < b->m; r++)
		memcpy(z + r * ldz, bias, n * sizeof(*z));
	if (b->m)
		ob_multiply(a->c, a->part, false, true, b->m, n, b->width, low, b->width, weight,
			    b->width, 1.0f, z, ldz);
}

/* Logits of a cluster's tokens for hid[m], in rows of ldz; for the head, of all columns. */
static void adaptive_logits(const struct adaptive *a, const struct adaptive_bin *b,
			    const float *hid, float *z, size_t ldz)
{
	const struct layer *l = a->l;
	const float *x = a->c->x, *low = adaptive_project(a, b, hid);

	adaptive_product(a, b, low, x + adaptive_table(a->c->g, l, b->k),
			 x + l->beta + adaptive_first(l, b->k), b->n, z, ldz);
	if (!b->k && l->clusters)
		adaptive_product(a, b, low, x + l->weight, x + l->beta + l->vocabulary,
				 (size_t)l->clusters, z + b->n, ldz);
}

/* ---- evaluation ---- */

/* Here tails have all rows, and share the memory for hid P. */
static void adaptive_tail(const struct adaptive *a, struct adaptive_bin b, float *y, float *spare)
{
	const size_t all = (size_t)a->l->vocabulary;

	b.m = a->rows;
	adaptive_logits(a, &b, a->hid, y, all);
	for (size_t r = 0; r < a->rows; r++, y += all)
		softmax_shift(b.n, a->z[r * a->head + adaptive_column(a->l, b.k)] -
					   (float)softmax_norm(b.n, y, spare), y);
}

static void adaptive_forward(struct ob *c, int i, const struct ob_part *p)
{
	struct adaptive a;
	struct adaptive_bin b;
	const size_t all = (size_t)c->g->layers[i].vocabulary;
	float *y, *spare;

	if (c->pass == PASS_TRAIN)
		return;
	a = adaptive_of(c, i, p);
	b = adaptive_first_bin(&a);
	spare = a.z + a.rows * a.head;
	y = ob_y(c, i, p);
	adaptive_logits(&a, &b, a.hid, a.z, a.head);
	for (size_t r = 0; r < a.rows; r++) {
		float *z = a.z + r * a.head;

		softmax_shift(a.head, (float)-softmax_norm(a.head, z, spare), z);
		memcpy(y + r * all, z, b.n * sizeof(*y));
	}
	while (adaptive_next_bin(&a, &b))
		adaptive_tail(&a, b, y + adaptive_first(a.l, b.k), spare);
}

/* ---- training ---- */

/* a->some <- the rows of a tail. */
static void adaptive_gather(const struct adaptive *a, const struct adaptive_bin *b)
{
	for (size_t r = 0, at = 0; r < a->rows; r++)
		if (adaptive_cluster(a->l, a->labels[r]) == b->k)
			memcpy(a->some + at++ * a->width, a->hid + r * a->width,
			       a->width * sizeof(*a->some));
}

/* dhid[m] <- (or +=) z table; if div > 1, b->dlow <- z table, and dhid <- (or +=) dlow P^T. */
static void adaptive_input(const struct adaptive *a, const struct adaptive_bin *b, size_t ldz,
			   bool add, float *dhid)
{
	const struct layer *l = a->l;
	const float *x = a->c->x;
	float *to = l->div > 1 ? b->dlow : dhid;

	if (!b->m)
		return;
	ob_multiply(a->c, a->part, false, false, b->m, b->width, b->n, b->z, ldz,
		    x + adaptive_table(a->c->g, l, b->k), b->width,
		    add && l->div == 1 ? 1.0f : 0.0f, to, b->width);
	if (!b->k && l->clusters)
		ob_multiply(a->c, a->part, false, false, b->m, b->width, (size_t)l->clusters,
			    b->z + b->n, ldz, x + l->weight, b->width, 1.0f, to, b->width);
	if (l->div > 1)
		ob_multiply(a->c, a->part, false, true, b->m, a->width, b->width, to, b->width,
			    x + adaptive_projection(a->c->g, l, b->k), b->width,
			    add ? 1.0f : 0.0f, dhid, a->width);
}

/* b->z <- gradient of the head's logits; dx <- (or +=) gradient of its input. Returns the loss. */
static double adaptive_head_back(const struct adaptive *a, const struct adaptive_bin *b,
				 double scale, bool add, float *dx)
{
	const struct layer *l = a->l;
	double loss = 0.0;

	adaptive_logits(a, b, a->hid, b->z, a->head);
	for (size_t r = 0; r < a->rows; r++) {
		const int k = adaptive_cluster(l, a->labels[r]);

		loss += softmax_slope(a->head, b->z + r * a->head,
				      k ? adaptive_column(l, k) : (size_t)a->labels[r], scale);
	}
	adaptive_input(a, b, a->head, add, dx);
	return loss;
}

/* b->z <- gradient of a tail's logits; dx += gradient of its input. Returns the loss. */
static double adaptive_tail_back(const struct adaptive *a, const struct adaptive_bin *b,
				 double scale, float *dx)
{
	const size_t first = adaptive_first(a->l, b->k), width = a->width;
	double loss = 0.0;

	adaptive_gather(a, b);
	adaptive_logits(a, b, a->some, b->z, b->n);
	for (size_t r = 0, at = 0; r < a->rows; r++)
		if (adaptive_cluster(a->l, a->labels[r]) == b->k)
			loss += softmax_slope(b->n, b->z + at++ * b->n,
					      (size_t)a->labels[r] - first, scale);
	adaptive_input(a, b, b->n, false, a->dsome);
	for (size_t r = 0, at = 0; r < a->rows; r++)
		if (adaptive_cluster(a->l, a->labels[r]) == b->k)
			ob_add_into(width, a->dsome + at++ * width, dx + r * width);
	return loss;
}

/* grad[n][width] += z^T low, bias[n] += the sum of z's rows of ldz. */
static void adaptive_weights(const struct adaptive *a, const struct adaptive_bin *b,
			     const float *low, const float *z, size_t ldz, size_t n, float *grad,
			     float *bias)
{
	if (b->m && n)
		ob_multiply(a->c, a->part, true, false, n, b->width, b->m, z, ldz, low, b->width,
			    1.0f, grad, b->width);
	for (size_t r = 0; r < b->m; r++)
		ob_add_into(n, z + r * ldz, bias);
}

/* Adds to the gradients of the head's or a tail's parameters, for hid[m]. */
static void adaptive_bin_gradient(const struct adaptive *a, const struct adaptive_bin *b,
				  const float *hid)
{
	const struct layer *l = a->l;
	const size_t ldz = b->k ? b->n : a->head;
	const float *low = l->div > 1 ? b->low : hid;
	float *grad = a->c->grad, *bias = grad + l->beta;

	adaptive_weights(a, b, low, b->z, ldz, b->n, grad + adaptive_table(a->c->g, l, b->k),
			 bias + adaptive_first(l, b->k));
	if (!b->k)
		adaptive_weights(a, b, low, b->z + b->n, ldz, (size_t)l->clusters,
				 grad + l->weight, bias + l->vocabulary);
	if (l->div > 1 && b->m)
		ob_multiply(a->c, a->part, true, false, a->width, b->width, b->m, hid, a->width,
			    b->dlow, b->width, 1.0f,
			    grad + adaptive_projection(a->c->g, l, b->k), b->width);
}

/*
 * Partitions add in their order; the first one clears the gradients of own and shared parameters.
 */
static void adaptive_gradient(struct ob *c, int i, const struct ob_part *p,
			      const struct adaptive *a)
{
	const struct layer *l = a->l, *table = &c->g->layers[l->tied];
	struct adaptive_bin b = adaptive_first_bin(a);

	ob_wait(c, i, p);
	if (!p->k) {
		memset(c->grad + table->weight, 0, table->weights * sizeof(float));
		memset(c->grad + layer_first(l), 0,
		       (l->weights + l->biases) * sizeof(float));
	}
	adaptive_bin_gradient(a, &b, a->hid);
	while (adaptive_next_bin(a, &b)) {
		adaptive_gather(a, &b);
		adaptive_bin_gradient(a, &b, a->some);
	}
	ob_pass(c, i);
}

static void adaptive_backward(struct ob *c, int i, const struct ob_part *p)
{
	const struct adaptive a = adaptive_of(c, i, p);
	const double scale = 1.0 / (double)(c->n * c->rows);
	struct adaptive_bin b = adaptive_first_bin(&a);
	bool add;
	float *dx = ob_dx(c, i, 0, p, &add);
	double loss = adaptive_head_back(&a, &b, scale, add, dx);

	while (adaptive_next_bin(&a, &b))
		loss += adaptive_tail_back(&a, &b, scale, dx);
	c->losses[p->k] = loss * scale;
	adaptive_gradient(c, i, p, &a);
}

const struct ob_op ob_adaptive = {
	.row_cols = adaptive_row_cols, .forward = adaptive_forward,
	.backward = adaptive_backward, .makes_loss = true,
};

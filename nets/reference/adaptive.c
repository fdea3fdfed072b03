/* The reference's adaptive softmax: the logarithms of all probabilities of a row. */
#include "nets/adaptive.h"

#include "core/base/mem.h"
#include "nets/reference/layers.h"

#include <math.h>
#include <stdlib.h>

/* One row: logits of the head's columns, of all tokens, and what is to be subtracted from them. */
struct row {
	struct state *s;
	const struct layer *l;
	const double *x, *dy;
	double *dx, *head, *tail, norm[8];
	double *low[8], *dlow[8];       /* what the table of each cluster is multiplied with */
};

/* Element of a cluster's projection from channel c to value w of its rows. */
static size_t adaptive_cell(const struct row *a, int k, size_t c, size_t w)
{
	return adaptive_projection(a->s->g, a->l, k) + c * adaptive_width(a->l, k) + w;
}

static void adaptive_project(const struct row *a, int k)
{
	for (size_t w = 0; w < adaptive_width(a->l, k); w++) {
		a->low[k][w] = a->l->div > 1 ? 0 : a->x[w];
		a->dlow[k][w] = 0;
		for (size_t c = 0; a->l->div > 1 && c < (size_t)a->l->is.c; c++)
			a->low[k][w] += a->s->x[adaptive_cell(a, k, c, w)] * a->x[c];
	}
}

static void adaptive_project_back(const struct row *a, int k)
{
	for (size_t w = 0; w < adaptive_width(a->l, k); w++) {
		a->dx[w] += a->l->div > 1 ? 0 : a->dlow[k][w];
		for (size_t c = 0; a->l->div > 1 && c < (size_t)a->l->is.c; c++) {
			a->s->grad[adaptive_cell(a, k, c, w)] += a->dlow[k][w] * a->x[c];
			a->dx[c] += a->s->x[adaptive_cell(a, k, c, w)] * a->dlow[k][w];
		}
	}
}

static double adaptive_dot(const struct row *a, int k, size_t weight, size_t bias)
{
	double sum = a->s->x[bias];

	for (size_t w = 0; w < adaptive_width(a->l, k); w++)
		sum += a->s->x[weight + w] * a->low[k][w];
	return sum;
}

static size_t adaptive_weight(const struct row *a, int k, size_t token)
{
	return adaptive_table(a->s->g, a->l, k) +
	       (token - adaptive_first(a->l, k)) * adaptive_width(a->l, k);
}

/* Row j of the clusters' weights is the head's column after its own tokens. */
static size_t adaptive_own_weight(const struct row *a, size_t j)
{
	return a->l->weight + j * (size_t)a->l->is.c;
}

static double adaptive_norm(size_t n, const double *z)
{
	double most = z[0], sum = 0;

	for (size_t k = 1; k < n; k++)
		most = fmax(most, z[k]);
	for (size_t k = 0; k < n; k++)
		sum += exp(z[k] - most);
	return most + log(sum);
}

static void adaptive_logits(struct row *a)
{
	const struct layer *l = a->l;
	const size_t all = (size_t)l->vocabulary, own = adaptive_count(l, 0);

	for (int k = 0; k <= l->clusters; k++)
		adaptive_project(a, k);
	for (size_t v = 0; v < all; v++) {
		const int k = adaptive_cluster(l, (int32_t)v);

		a->tail[v] = adaptive_dot(a, k, adaptive_weight(a, k, v), l->beta + v);
	}
	for (size_t v = 0; v < own; v++)
		a->head[v] = a->tail[v];
	for (size_t j = 0; j < (size_t)l->clusters; j++)
		a->head[own + j] = adaptive_dot(a, 0, adaptive_own_weight(a, j),
						l->beta + all + j);
	a->norm[0] = adaptive_norm(adaptive_head(l), a->head);
	for (int k = 1; k <= l->clusters; k++)
		a->norm[k] = adaptive_norm(adaptive_count(l, k), a->tail + adaptive_first(l, k));
}

static void adaptive_forward(const struct row *a, double *y)
{
	for (size_t v = 0; v < (size_t)a->l->vocabulary; v++) {
		const int k = adaptive_cluster(a->l, (int32_t)v);

		y[v] += a->tail[v] - a->norm[k];
		if (k)
			y[v] += a->head[adaptive_column(a->l, k)] - a->norm[0];
	}
}

/* d: the gradient of a logit. */
static void adaptive_logit_back(const struct row *a, int k, size_t weight, size_t bias, double d)
{
	a->s->grad[bias] += d;
	for (size_t w = 0; w < adaptive_width(a->l, k); w++) {
		a->s->grad[weight + w] += d * a->low[k][w];
		a->dlow[k][w] += d * a->s->x[weight + w];
	}
}

/* With log p = z - norm: dz_v = dy_v - p_v sum of dy, over the tokens that have the norm. */
static void adaptive_backward(const struct row *a)
{
	const struct layer *l = a->l;
	const size_t all = (size_t)l->vocabulary, own = adaptive_count(l, 0);
	double sum[8] = { 0 };

	for (size_t v = 0; v < all; v++) {
		const int k = adaptive_cluster(l, (int32_t)v);

		sum[0] += a->dy[v];
		sum[k] += k ? a->dy[v] : 0;
	}
	for (size_t v = 0; v < all; v++) {
		const int k = adaptive_cluster(l, (int32_t)v);

		adaptive_logit_back(a, k, adaptive_weight(a, k, v), l->beta + v,
				    a->dy[v] - exp(a->tail[v] - a->norm[k]) * sum[k]);
	}
	for (size_t j = 0; j < (size_t)l->clusters; j++)
		adaptive_logit_back(a, 0, adaptive_own_weight(a, j), l->beta + all + j,
				    sum[(size_t)l->clusters - j] -
					    exp(a->head[own + j] - a->norm[0]) * sum[0]);
	for (int k = 0; k <= l->clusters; k++)
		adaptive_project_back(a, k);
}

void reference_adaptive(struct state *s, int i, bool back)
{
	const struct view v = view_of(s, i);
	struct row a = { .s = s, .l = v.l };

	a.head = xcalloc(adaptive_head(v.l), sizeof(*a.head));
	a.tail = xcalloc((size_t)v.l->vocabulary, sizeof(*a.tail));
	for (int k = 0; k <= v.l->clusters; k++) {
		a.low[k] = xcalloc(2 * adaptive_width(v.l, k), sizeof(double));
		a.dlow[k] = a.low[k] + adaptive_width(v.l, k);
	}
	for (size_t r = 0; r < (size_t)v.y->n * (size_t)v.y->h; r++) {
		a.x = pixel(v.x, r);
		adaptive_logits(&a);
		if (!back) {
			adaptive_forward(&a, pixel(v.y, r));
			continue;
		}
		a.dx = pixel(v.dx, r);
		a.dy = pixel(v.dy, r);
		adaptive_backward(&a);
	}
	free(a.head);
	free(a.tail);
	for (int k = 0; k <= v.l->clusters; k++)
		free(a.low[k]);
}

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
};

static double adaptive_dot(const struct row *a, size_t weight, size_t bias)
{
	double sum = a->s->x[bias];

	for (size_t c = 0; c < (size_t)a->l->is.c; c++)
		sum += a->s->x[weight + c] * a->x[c];
	return sum;
}

static size_t adaptive_weight(const struct row *a, size_t token)
{
	return adaptive_table(a->s->g, a->l) + token * (size_t)a->l->is.c;
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

	for (size_t v = 0; v < all; v++)
		a->tail[v] = adaptive_dot(a, adaptive_weight(a, v), l->beta + v);
	for (size_t v = 0; v < own; v++)
		a->head[v] = a->tail[v];
	for (size_t j = 0; j < (size_t)l->clusters; j++)
		a->head[own + j] = adaptive_dot(a, adaptive_own_weight(a, j), l->beta + all + j);
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
static void adaptive_logit_back(const struct row *a, size_t weight, size_t bias, double d)
{
	a->s->grad[bias] += d;
	for (size_t c = 0; c < (size_t)a->l->is.c; c++) {
		a->s->grad[weight + c] += d * a->x[c];
		a->dx[c] += d * a->s->x[weight + c];
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

		adaptive_logit_back(a, adaptive_weight(a, v), l->beta + v,
				    a->dy[v] - exp(a->tail[v] - a->norm[k]) * sum[k]);
	}
	for (size_t j = 0; j < (size_t)l->clusters; j++)
		adaptive_logit_back(a, adaptive_own_weight(a, j), l->beta + all + j,
				    sum[(size_t)l->clusters - j] -
					    exp(a->head[own + j] - a->norm[0]) * sum[0]);
}

void reference_adaptive(struct state *s, int i, bool back)
{
	const struct view v = view_of(s, i);
	struct row a = { .s = s, .l = v.l };

	a.head = xcalloc(adaptive_head(v.l), sizeof(*a.head));
	a.tail = xcalloc((size_t)v.l->vocabulary, sizeof(*a.tail));
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
}

/*
 * adaptive.c - the reference's adaptive softmax: the logarithms of all probabilities of a row.
 *
 * A row has a logit for each token and, after those, one for each cluster, in reverse order. The
 * head's tokens and the clusters form one softmax, the tokens of each cluster another one.
 */
#include "nets/layers/adaptive.h"

#include "core/base/mem.h"
#include "nets/reference/layers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 64, PARTS = 8 };          /* rows at a time; most clusters plus head */

struct rows {
	struct state *s;
	const struct layer *l;
	size_t n, width;                /* rows; logits of one */
	const double *x, *dy;
	double *dx, *z;                 /* z [n][width]: logits, or their gradients */
	double norm[ROWS][PARTS];       /* logarithm of each softmax's sum */
	double *low[PARTS], *dlow[PARTS];       /* factors of each cluster's table */
};

static struct matrix adaptive_of_rows(const double *v, size_t width)
{
	return (struct matrix){ v, width, 1 };
}

static struct matrix adaptive_transposed(const double *v, size_t width)
{
	return (struct matrix){ v, 1, width };
}

/* low = x P; with div = 1 it is x. */
static void cutoffs_project(struct rows *a, int k)
{
	const size_t c = (size_t)a->l->is.c, width = adaptive_width(a->l, k);
	const size_t p = adaptive_projection(a->s->g, a->l, k);

	if (a->l->div == 1) {
		memcpy(a->low[k], a->x, a->n * width * sizeof(double));
		return;
	}
	memset(a->low[k], 0, a->n * width * sizeof(double));
	reference_product(a->n, width, c, adaptive_of_rows(a->x, c),
			  adaptive_of_rows(a->s->x + p, width), a->low[k], width);
}

/* dP += x^T dlow, dx += dlow P^T */
static void adaptive_project_back(const struct rows *a, int k)
{
	const size_t c = (size_t)a->l->is.c, width = adaptive_width(a->l, k);
	const size_t p = adaptive_projection(a->s->g, a->l, k);

	if (a->l->div == 1) {
		for (size_t i = 0; i < a->n * width; i++)
			a->dx[i] += a->dlow[k][i];
		return;
	}
	reference_product(c, width, a->n, adaptive_transposed(a->x, c),
			  adaptive_of_rows(a->dlow[k], width), a->s->grad + p, width);
	reference_product(a->n, c, width, adaptive_of_rows(a->dlow[k], width),
			  adaptive_transposed(a->s->x + p, width), a->dx, c);
}

/* Logits from column `first` on: low[k] times the weights in x at `weight`. */
static void adaptive_columns(const struct rows *a, int k, size_t weight, size_t first, size_t count,
			     bool back)
{
	struct linear l = { .rows = a->n, .in = adaptive_width(a->l, k), .out = count,
			    .w = a->s->x + weight, .x = a->low[k], .y = a->z + first,
			    .dy = a->z + first, .dx = a->dlow[k], .y_row = a->width };

	if (!back) {
		reference_linear_forward(&l);
		return;
	}
	l.dw = a->s->grad + weight;
	reference_linear_backward(&l);
}

/* All columns: tokens of each part, and clusters, whose rows belong to the layer itself. */
static void adaptive_all_columns(const struct rows *a, bool back)
{
	for (int k = 0; k <= a->l->clusters; k++)
		adaptive_columns(a, k, adaptive_table(a->s->g, a->l, k), adaptive_first(a->l, k),
				 adaptive_count(a->l, k), back);
	adaptive_columns(a, 0, a->l->weight, (size_t)a->l->vocabulary, (size_t)a->l->clusters,
			 back);
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

/* log(e^a + e^b) */
static double adaptive_add(double a, double b)
{
	return fmax(a, b) + log1p(exp(-fabs(a - b)));
}

static void cutoffs_logits(struct rows *a)
{
	const struct layer *l = a->l;

	for (int k = 0; k <= l->clusters; k++)
		cutoffs_project(a, k);
	for (size_t r = 0; r < a->n; r++)
		memcpy(a->z + r * a->width, a->s->x + l->beta, a->width * sizeof(double));
	adaptive_all_columns(a, false);
	for (size_t r = 0; r < a->n; r++) {
		const double *z = a->z + r * a->width;

		for (int k = 0; k <= l->clusters; k++)
			a->norm[r][k] =
				adaptive_norm(adaptive_count(l, k), z + adaptive_first(l, k));
		if (l->clusters)
			a->norm[r][0] = adaptive_add(a->norm[r][0],
						     adaptive_norm((size_t)l->clusters,
								   z + l->vocabulary));
	}
}

/* y += the logarithms of row r's probabilities. */
static void cutoffs_forward(const struct rows *a, size_t r, double *y)
{
	const double *z = a->z + r * a->width, *norm = a->norm[r];

	for (size_t v = 0; v < (size_t)a->l->vocabulary; v++) {
		const int k = adaptive_cluster(a->l, (int32_t)v);

		y[v] += z[v] - norm[k];
		if (k)
			y[v] += z[a->width - (size_t)k] - norm[0];
	}
}

/* dz_v = dy_v - p_v sum of dy over the tokens with the same norm, where log p = z - norm. */
static void adaptive_slopes(const struct rows *a, size_t r)
{
	const double *dy = a->dy + r * (size_t)a->l->vocabulary, *norm = a->norm[r];
	double *z = a->z + r * a->width, sum[PARTS] = { 0 };

	for (size_t v = 0; v < (size_t)a->l->vocabulary; v++) {
		const int k = adaptive_cluster(a->l, (int32_t)v);

		sum[0] += dy[v];
		sum[k] += k ? dy[v] : 0;
	}
	for (size_t v = 0; v < (size_t)a->l->vocabulary; v++) {
		const int k = adaptive_cluster(a->l, (int32_t)v);

		z[v] = dy[v] - exp(z[v] - norm[k]) * sum[k];
	}
	for (int k = 1; k <= a->l->clusters; k++)
		z[a->width - (size_t)k] = sum[k] - exp(z[a->width - (size_t)k] - norm[0]) * sum[0];
}

static void cutoffs_backward(const struct rows *a)
{
	for (size_t r = 0; r < a->n; r++) {
		adaptive_slopes(a, r);
		for (size_t v = 0; v < a->width; v++)
			a->s->grad[a->l->beta + v] += a->z[r * a->width + v];
	}
	for (int k = 0; k <= a->l->clusters; k++)
		memset(a->dlow[k], 0, a->n * adaptive_width(a->l, k) * sizeof(double));
	adaptive_all_columns(a, true);
	for (int k = 0; k <= a->l->clusters; k++)
		adaptive_project_back(a, k);
}

/* Sets the rows of the batch from `first` on. */
static void adaptive_rows(struct rows *a, const struct view *v, size_t first, bool back)
{
	a->x = pixel(v->x, first);
	cutoffs_logits(a);
	if (back) {
		a->dx = pixel(v->dx, first);
		a->dy = pixel(v->dy, first);
		cutoffs_backward(a);
		return;
	}
	for (size_t r = 0; r < a->n; r++)
		cutoffs_forward(a, r, pixel(v->y, first + r));
}

void reference_adaptive(struct state *s, int i, bool back)
{
	const struct view v = view_of(s, i);
	const size_t all = (size_t)v.y->n * (size_t)v.y->h;
	struct rows a = { .s = s, .l = v.l,
			  .width = (size_t)v.l->vocabulary + (size_t)v.l->clusters };

	a.z = xcalloc(ROWS * a.width, sizeof(*a.z));
	for (int k = 0; k <= v.l->clusters; k++) {
		a.low[k] = xcalloc(2 * ROWS * adaptive_width(v.l, k), sizeof(double));
		a.dlow[k] = a.low[k] + ROWS * adaptive_width(v.l, k);
	}
	for (size_t first = 0; first < all; first += ROWS) {
		a.n = all - first < ROWS ? all - first : ROWS;
		adaptive_rows(&a, &v, first, back);
	}
	free(a.z);
	for (int k = 0; k <= v.l->clusters; k++)
		free(a.low[k]);
}

/*
 * embed.c - y = scale tokens[token] + positions[position]; scale is 1, or sqrt(channels).
 *
 * With one table it is a stage of its own, in panels of columns: each adds the rows' gradients to
 * its columns of the tables in the order of the batch. With div > 1, y = scale P_k table_k[token],
 * k the token's cluster: a partition multiplies all rows of a cluster at once, and the partitions
 * add to the gradients in their order.
 */
#include "nets/layers/adaptive.h"
#include "nets/openblas/openblas.h"

#include "core/math/wide.h"

#include <math.h>
#include <string.h>

enum { PANELS = 4 };

static int embed_panels(const struct layer *l)
{
	return l->os.c < PANELS ? 1 : PANELS;
}

struct columns {
	size_t first, n;
};

static struct columns embed_columns(const struct ob_part *p, size_t all)
{
	const size_t first = all * (size_t)p->k / (size_t)p->of;

	return (struct columns){ first, all * ((size_t)p->k + 1) / (size_t)p->of - first };
}

WIDE static void embed_add_scaled(size_t n, float scale, const float *x, float *y)
{
	for (size_t k = 0; k < n; k++)
		y[k] += scale * x[k];
}

static float embed_scale(const struct layer *l)
{
	return l->scaled ? sqrtf((float)l->os.c) : 1.0f;
}

static void embed_forward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	const size_t width = (size_t)l->os.c;
	const struct columns k = embed_columns(p, width);
	const float *token = c->y[0];

	for (size_t r = 0; r < c->n * c->rows; r++) {
		float *y = c->y[i] + r * width + k.first;

		memset(y, 0, k.n * sizeof(*y));
		embed_add_scaled(k.n, embed_scale(l),
				 c->x + l->weight + (size_t)token[r] * width + k.first, y);
		if (l->positions)
			ob_add_into(k.n, c->x + l->beta + r % c->rows * width + k.first, y);
	}
}

/* A tied table has a term already, that of the layer that shares it. */
static void embed_clear(struct ob *c, const struct layer *l, struct columns k)
{
	const size_t width = (size_t)l->os.c;

	for (size_t r = 0; !l->tied && r < (size_t)l->vocabulary; r++)
		memset(c->grad + l->weight + r * width + k.first, 0, k.n * sizeof(float));
	for (size_t r = 0; r < (size_t)l->positions; r++)
		memset(c->grad + l->beta + r * width + k.first, 0, k.n * sizeof(float));
}

static void embed_backward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	const size_t width = (size_t)l->os.c;
	const struct columns k = embed_columns(p, width);
	const float *token = c->y[0];

	embed_clear(c, l, k);
	for (size_t r = 0; r < c->n * c->rows; r++) {
		const float *dy = c->dy[i].whole + r * width + k.first;

		embed_add_scaled(k.n, embed_scale(l), dy,
				 c->grad + l->weight + (size_t)token[r] * width + k.first);
		if (l->positions)
			ob_add_into(k.n, dy, c->grad + l->beta + r % c->rows * width + k.first);
	}
}

const struct ob_op ob_embed = {
	.panels = embed_panels, .forward = embed_forward, .backward = embed_backward,
};

/* ---- clusters ---- */

/* A partition's rows; those of a cluster, [m] at a time, are in the lane's cols. */
struct clustered {
	struct ob *c;
	const struct ob_part *part;
	const struct layer *l;
	size_t channels;
	const float *token;     /* [rows] */
	float *y;               /* [rows][channels] y, or dy */
	float *low, *dlow;      /* [m][width of the cluster] rows of the table, their gradient */
	float *high;            /* [m][channels] their products with the projection, or dy */
};

static size_t clustered_row_cols(const struct layer *l)
{
	return 3 * (size_t)l->os.c;
}

static struct clustered clustered_of(struct ob *c, int i, const struct ob_part *p, float *y)
{
	const struct layer *l = &c->g->layers[i];
	const size_t n = p->n * (size_t)l->os.c;
	float *cols = ob_lane(c, p)->cols;

	return (struct clustered){
		.c = c, .part = p, .l = l, .channels = (size_t)l->os.c, .y = y,
		.token = c->y[0] + p->first, .low = cols, .dlow = cols + n, .high = cols + 2 * n,
	};
}

static bool clustered_has(const struct clustered *e, int k, size_t row)
{
	return adaptive_cluster(e->l, (int32_t)e->token[row]) == k;
}

/* Where a row's row of the table of its cluster k begins in x. */
static size_t clustered_at(const struct clustered *e, int k, size_t row)
{
	const size_t token = (size_t)e->token[row] - adaptive_first(e->l, k);

	return embed_table(e->l, k) + token * adaptive_width(e->l, k);
}

/* e->low <- the rows of cluster k; returns m. */
static size_t clustered_gather(const struct clustered *e, int k)
{
	const size_t width = adaptive_width(e->l, k);
	size_t m = 0;

	for (size_t r = 0; r < e->part->n; r++)
		if (clustered_has(e, k, r))
			memcpy(e->low + m++ * width, e->c->x + clustered_at(e, k, r),
			       width * sizeof(*e->low));
	return m;
}

static void clustered_rows(const struct clustered *e, int k)
{
	const size_t width = adaptive_width(e->l, k), all = e->channels;
	const size_t m = clustered_gather(e, k);
	const float scale = embed_scale(e->l);

	if (m)
		ob_multiply(e->c, e->part, false, true, m, all, width, e->low, width,
			    e->c->x + embed_projection(e->l, k), width, 0.0f, e->high, all);
	for (size_t r = 0, at = 0; r < e->part->n; r++)
		if (clustered_has(e, k, r))
			embed_add_scaled(all, scale, e->high + at++ * all, e->y + r * all);
}

/* Where the row of a row's position begins. */
static size_t clustered_position(const struct clustered *e, size_t row)
{
	return e->l->beta + (e->part->first + row) % e->c->rows * e->channels;
}

static void clustered_forward(struct ob *c, int i, const struct ob_part *p)
{
	const struct clustered e = clustered_of(c, i, p, ob_y(c, i, p));

	memset(e.y, 0, p->n * e.channels * sizeof(*e.y));
	for (int k = 0; k <= e.l->clusters; k++)
		clustered_rows(&e, k);
	for (size_t r = 0; e.l->positions && r < p->n; r++)
		ob_add_into(e.channels, c->x + clustered_position(&e, r), e.y + r * e.channels);
}

/* Tied tables and projections have a term already. */
static void clustered_clear(const struct clustered *e)
{
	const struct layer *l = e->l;

	if (!l->tied)
		memset(e->c->grad + l->weight, 0, l->weights * sizeof(float));
	memset(e->c->grad + l->beta, 0, l->biases * sizeof(float));
}

/* dP_k += (scale dy)^T low, and low's gradient, scale dy P_k, goes to the rows of the table. */
static void clustered_back(const struct clustered *e, int k)
{
	const size_t width = adaptive_width(e->l, k), all = e->channels;
	const size_t projection = embed_projection(e->l, k), m = clustered_gather(e, k);
	const float scale = embed_scale(e->l);

	if (!m)
		return;
	memset(e->high, 0, m * all * sizeof(*e->high));
	for (size_t r = 0, at = 0; r < e->part->n; r++)
		if (clustered_has(e, k, r))
			embed_add_scaled(all, scale, e->y + r * all, e->high + at++ * all);
	ob_multiply(e->c, e->part, true, false, all, width, m, e->high, all, e->low, width, 1.0f,
		    e->c->grad + projection, width);
	ob_multiply(e->c, e->part, false, false, m, width, all, e->high, all,
		    e->c->x + projection, width, 0.0f, e->dlow, width);
	for (size_t r = 0, at = 0; r < e->part->n; r++)
		if (clustered_has(e, k, r))
			ob_add_into(width, e->dlow + at++ * width,
				    e->c->grad + clustered_at(e, k, r));
}

static void clustered_backward(struct ob *c, int i, const struct ob_part *p)
{
	const struct clustered e = clustered_of(c, i, p, ob_dy(c, i, p));

	ob_wait(c, i, p);
	if (!p->k)
		clustered_clear(&e);
	for (int k = 0; k <= e.l->clusters; k++)
		clustered_back(&e, k);
	for (size_t r = 0; e.l->positions && r < p->n; r++)
		ob_add_into(e.channels, e.y + r * e.channels,
			    c->grad + clustered_position(&e, r));
	ob_pass(c, i);
}

/* The layer that shares the tables has added to them for all partitions before a stage begins. */
static int clustered_panels(const struct layer *l)
{
	(void)l;
	return 0;
}

const struct ob_op ob_embed_clusters = {
	.panels = clustered_panels, .row_cols = clustered_row_cols, .forward = clustered_forward,
	.backward = clustered_backward,
};

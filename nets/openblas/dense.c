/* dense.c - layers that multiply by a matrix or look up its rows: dense, linear, embed. */
#include "nets/openblas/openblas.h"

#include "core/math/wide.h"
#include "nets/layers/adaptive.h"

#include <math.h>
#include <string.h>

/*
 * Dense: y[n][out] = x[n][in] weight[out][in]^T + bias over the whole batch, in panels: of outputs
 * forward; of outputs for the gradient of the weights, then of inputs for that of x.
 */
enum { DENSE_PANELS = 16, WEIGHTS = 512 * 1024 };       /* at most; least weights of one */

static int dense_panels(const struct layer *l)
{
	const size_t n = l->weights / WEIGHTS;

	return n < 1 ? 1 : n > DENSE_PANELS ? DENSE_PANELS : (int)n;
}

static void dense_forward(struct ob *c, int i, const struct ob_part *part)
{
	const struct layer *l = &c->g->layers[i];
	const size_t in = l->fan_in, out = (size_t)l->os.c;
	const struct ob_share p = ob_share(part, out);
	float *y = ob_y(c, i, part) + p.first;

	for (size_t r = 0; l->bias && r < c->n; r++)
		memcpy(y + r * out, c->x + l->beta + p.first, p.n * sizeof(*y));
	ob_gemm(false, true, c->n, p.n, in, ob_y(c, l->in[0], part), in,
		c->x + l->weight + p.first * in, in, l->bias ? 1.0f : 0.0f, y, out);
}

static void dense_backward(struct ob *c, int i, const struct ob_part *part)
{
	const struct layer *l = &c->g->layers[i];
	const size_t in = l->fan_in, out = (size_t)l->os.c;
	const float *x = ob_y(c, l->in[0], part), *dy = ob_dy(c, i, part);
	const struct ob_share o = ob_share(part, out), x_panel = ob_share(part, in);
	bool add;
	float *dx = ob_dx(c, i, 0, part, &add);

	ob_gemm(true, false, o.n, in, c->n, dy + o.first, out, x, in, 0.0f,
		c->grad + l->weight + o.first * in, in);
	for (size_t k = o.first; l->bias && k < o.first + o.n; k++) {
		double sum = 0.0;

		for (size_t r = 0; r < c->n; r++)
			sum += (double)dy[r * out + k];
		c->grad[l->beta + k] = (float)sum;
	}
	if (dx)
		ob_gemm(false, false, c->n, x_panel.n, out, dy, out,
			c->x + l->weight + x_panel.first, in, add ? 1.0f : 0.0f,
			dx + x_panel.first, in);
}

const struct ob_op ob_dense = {
	.panels = dense_panels, .forward = dense_forward, .backward = dense_backward,
};

/* ---- linear, unembed ---- */

/*
 * At each token y[out] = weight[out][in] x[in] + bias; unembed does the same with the table of an
 * embed layer.
 *
 * Partitions add to the weights' gradient in their order, each right after its own product.
 */

static void linear_forward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	const size_t in = (size_t)l->is.c, out = (size_t)l->os.c;
	float *y = ob_y(c, i, p);

	for (size_t r = 0; l->bias && r < p->n; r++)
		memcpy(y + r * out, c->x + l->beta, out * sizeof(*y));
	ob_multiply(c, p, false, true, p->n, out, in, ob_y(c, l->in[0], p), in, c->x + l->weight,
		    in, l->bias ? 1.0f : 0.0f, y, out);
}

/* sum[n] += sum over rows, `apart` floats apart, of dy */
WIDE static void linear_sum_rows(size_t rows, size_t n, const float *dy, size_t apart, float *sum)
{
	for (size_t r = 0; r < rows; r++, dy += apart)
		for (size_t k = 0; k < n; k++)
			sum[k] += dy[k];
}

/*
 * Panels of outputs into which the gradient of the weights is divided, so that a partition waits
 * for one panel of the partition before it, not for all of them.
 */
enum { LINEAR_PANEL = 128 };    /* least outputs of a panel */

static size_t linear_panels(const struct ob *c, size_t out)
{
	if (c->products && c->products->whole)
		return 1;
	return size_most(1, size_least(out / LINEAR_PANEL, OB_TURNS));
}

/* A panel of grad <- (or +=) dy^T x, and of the sum of dy. */
static void linear_weights(struct ob *c, int i, const struct ob_part *p, struct ob_share o)
{
	const struct layer *l = &c->g->layers[i];
	const size_t in = (size_t)l->is.c, out = (size_t)l->os.c;
	const float *dy = ob_dy(c, i, p) + o.first;
	/* A relative layer may have added terms of its memory before the first partition. */
	const bool adds = p->k || (l->kind == LAYER_LINEAR && l->tied);

	ob_multiply(c, p, true, false, o.n, in, p->n, dy, out, ob_y(c, l->in[0], p), in,
		    adds ? 1.0f : 0.0f, c->grad + l->weight + o.first * in, in);
	if (l->bias && !p->k)
		memset(c->grad + l->beta + o.first, 0, o.n * sizeof(*c->grad));
	if (l->bias)
		linear_sum_rows(p->n, o.n, dy, out, c->grad + l->beta + o.first);
}

static void linear_back_weights(struct ob *c, int i, const struct ob_part *p)
{
	const size_t out = (size_t)c->g->layers[i].os.c, panels = linear_panels(c, out);

	for (size_t k = 0; k < panels; k++) {
		const struct ob_part panel = { .k = (int)k, .of = (int)panels };

		ob_wait_panel(c, i, (int)k, p);
		linear_weights(c, i, p, ob_share(&panel, out));
		ob_pass_panel(c, i, (int)k);
	}
}

static void linear_back_input(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	const size_t in = (size_t)l->is.c, out = (size_t)l->os.c;
	bool add;
	float *dx = ob_dx(c, i, 0, p, &add);

	if (dx)
		ob_multiply(c, p, false, false, p->n, in, out, ob_dy(c, i, p), out,
			    c->x + l->weight, in, add ? 1.0f : 0.0f, dx, in);
}

static void linear_backward(struct ob *c, int i, const struct ob_part *p)
{
	ob_back_in_turn(c, i, p, linear_back_weights, linear_back_input);
}

const struct ob_op ob_linear = { .forward = linear_forward, .backward = linear_backward };

/* The gradient of unembed is the first term of the table's, to which embed adds the second. */
const struct ob_op ob_unembed = { .forward = linear_forward, .backward = linear_backward };

/* ---- embed ---- */

/*
 * Y = scale tokens[token] + positions[position]; scale is 1, or sqrt(channels).
 *
 * With one table this is a stage of its own, in panels of columns: each adds the rows' gradients to
 * its columns of the tables in the order of the batch. With div > 1, y = scale P_k table_k[token],
 * where k is the token's cluster: a partition multiplies all rows of a cluster at once, and
 * partitions add to the gradients in their order.
 */

enum { EMBED_PANELS = 4 };

static int embed_panels(const struct layer *l)
{
	return l->os.c < EMBED_PANELS ? 1 : EMBED_PANELS;
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
	const struct ob_share k = ob_share(p, width);
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

static void embed_backward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	const size_t width = (size_t)l->os.c;
	const struct ob_share k = ob_share(p, width);
	const float *token = c->y[0];

	/* A tied table already has a term, from the layer that shares it. */
	for (size_t r = 0; !l->tied && r < (size_t)l->vocabulary; r++)
		memset(c->grad + l->weight + r * width + k.first, 0, k.n * sizeof(float));
	for (size_t r = 0; r < (size_t)l->positions; r++)
		memset(c->grad + l->beta + r * width + k.first, 0, k.n * sizeof(float));
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

/* Rows of a partition; the [m] rows of one cluster are in the lane's cols. */
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

/* Offset in x of a row's token in the table of cluster k. */
static size_t clustered_at(const struct clustered *e, int k, size_t row)
{
	const size_t token = (size_t)e->token[row] - adaptive_first(e->l, k);

	return embed_table(e->l, k) + token * adaptive_width(e->l, k);
}

/* e->low <- the table rows of cluster k; returns m. */
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

/* Offset in x of a row's position in the table of positions. */
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

/* dP_k += (scale dy)^T low; adds scale dy P_k, the gradient of low, to the table's rows. */
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
	const struct layer *l = e.l;

	ob_wait(c, i, p);
	/* Tied tables and projections already have a term. */
	if (!p->k && !l->tied)
		memset(c->grad + l->weight, 0, l->weights * sizeof(float));
	if (!p->k)
		memset(c->grad + l->beta, 0, l->biases * sizeof(float));
	for (int k = 0; k <= l->clusters; k++)
		clustered_back(&e, k);
	for (size_t r = 0; l->positions && r < p->n; r++)
		ob_add_into(e.channels, e.y + r * e.channels, c->grad + clustered_position(&e, r));
	ob_pass(c, i);
}

/*
 * A stage of its own: before it, the layer that shares the tables has added to them for all
 * partitions.
 */
static int clustered_panels(const struct layer *l)
{
	(void)l;
	return 0;
}

const struct ob_op ob_embed_clusters = {
	.panels = clustered_panels, .row_cols = clustered_row_cols, .forward = clustered_forward,
	.backward = clustered_backward,
};

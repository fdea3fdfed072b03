/*
 * dense.c - dense products: those of dense layers, and all of a net of tokens.
 *
 * Products of dense layers are over the whole batch, for PANEL outputs at a time, or inputs for the
 * gradient of the input. Panels are the tasks; each reads its part of the weights directly from x,
 * or converts it to bf16 in its lane. For a net of tokens, openblas computes all other layers; here
 * each shape has a primitive, made when it is first needed. In bf16 the parameters are rounded once
 * a call, all else in the lane; sums and results are f32.
 */
#include "nets/onednn/onednn.h"

#include <pthread.h>

/* ---- nets of images ---- */

enum { PANEL = 256 };           /* at most */

/* Passes for a batch size: two each, for full panels and for the last one. */
enum { DENSE_FORWARD = 0, DENSE_WEIGHTS = 2, DENSE_DATA = 4, DENSE_PASSES = 6 };

struct dense {
	size_t in, out;
};

/*
 * Columns of all panels but the last, which has more than one column: oneDNN 3.7 computes a single
 * column of a wider matrix wrongly (product_dense()).
 */
static size_t dense_panel(size_t n)
{
	size_t width = PANEL;

	while (n > 1 && n % width == 1)
		width--;
	return width;
}

static size_t panels_of(size_t n)
{
	return (n + dense_panel(n) - 1) / dense_panel(n);
}

/* Columns of panel k. */
static size_t width_of(size_t n, size_t k)
{
	const size_t width = dense_panel(n), left = n - k * width;

	return left < width ? left : width;
}

static int op_dense_panels(const struct op *op, bool back)
{
	const struct dense *k = op->priv;

	return (int)(panels_of(k->out) + (back ? panels_of(k->in) : 0));
}

/* Opens dst = src weights + bias; 0 or error(). */
static int dense_open_product(struct onednn *c, struct pass *p, struct tensor src,
			struct tensor weights, struct tensor bias, struct tensor dst)
{
	static const int args[] = { DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST, DNNL_ARG_BIAS };
	const struct operation o = { .kind = dnnl_matmul, .src = src, .weights = weights,
				     .bias = bias, .dst = dst };

	return pass_open(c, p, onednn_describe(&o), bias.ndims ? 4 : 3, args);
}

static const struct tensor no_bias;

/* y[n][out] = x[n][in] weight[out][in]^T + bias; logits are f32 always. */
static int dense_open_forward(struct onednn *c, struct op *op, struct pass *p, size_t n,
			      size_t width)
{
	const struct dense *k = op->priv;
	const dnnl_data_type_t type = op->out == c->result ? dnnl_f32 : c->type;

	return dense_open_product(c, p, onednn_matrix(n, k->in, k->in, 1, c->type),
			    onednn_matrix(k->in, width, 1, k->in, c->type),
			    op->layer->bias ? onednn_matrix(1, width, width, 1, dnnl_f32) : no_bias,
			    onednn_matrix(n, width, k->out, 1, type));
}

/* dweight = dy^T x */
static int dense_open_weights(struct onednn *c, struct op *op, struct pass *p, size_t n,
			      size_t width)
{
	const struct dense *k = op->priv;

	return dense_open_product(c, p, onednn_matrix(width, n, 1, k->out, c->type),
			    onednn_matrix(n, k->in, k->in, 1, c->type), no_bias,
			    onednn_matrix(width, k->in, k->in, 1, dnnl_f32));
}

/* dx = dy weight, for PANEL inputs; into temp if dx already has a term. */
static int dense_open_data(struct onednn *c, struct op *op, struct pass *p, size_t n,
				  size_t width)
{
	const struct dense *k = op->priv;

	return dense_open_product(c, p, onednn_matrix(n, k->out, k->out, 1, c->type),
			    onednn_matrix(k->out, width, c->size == 4 ? k->in : width, 1, c->type),
			    no_bias,
			    onednn_matrix(n, width, op->add[0] ? width : k->in, 1, c->type));
}

static int open_widths(struct onednn *c, struct op *op, struct pass *p, size_t n, size_t all,
		       int (*open)(struct onednn *, struct op *, struct pass *, size_t, size_t))
{
	const size_t width = dense_panel(all);

	if (all >= width && open(c, op, &p[0], n, width))
		return -1;
	return all % width ? open(c, op, &p[1], n, all % width) : 0;
}

static int dense_size(struct onednn *c, struct op *op, struct pass *p, size_t n)
{
	const struct dense *k = op->priv;

	if (open_widths(c, op, p + DENSE_FORWARD, n, k->out, dense_open_forward)
	    || open_widths(c, op, p + DENSE_WEIGHTS, n, k->out, dense_open_weights))
		return -1;
	return c->values[op->in[0]].wanted
		? open_widths(c, op, p + DENSE_DATA, n, k->in, dense_open_data) : 0;
}

/* Bytes of a lane's temp for a panel of weights, if it is not read from x. */
static size_t panel_bytes(const struct onednn *c, const struct dense *k)
{
	return c->size == 4 ? 0 : (k->in > k->out ? k->in : k->out) * PANEL * c->size;
}

static int dense_open(struct onednn *c, struct op *op)
{
	struct dense *k = op->priv = xcalloc(1, sizeof(*k));

	k->in = c->values[op->in[0]].count;
	k->out = c->values[op->out].count;
	onednn_temp(c, panel_bytes(c, k) + (op->add[0] ? c->max_batch * PANEL * c->size : 0));
	return 0;
}

/* A part of the weights, in rows of n: in x, or copied to temp. */
static const void *panel_weights(struct onednn *c, const struct op *op, struct span s, size_t first,
			      size_t rows, size_t n)
{
	const float *w = c->x + op->layer->weight + first;
	const size_t in = ((const struct dense *)op->priv)->in;

	if (c->size == 4)
		return w;
	for (size_t i = 0; i < rows; i++)
		c->simd->narrow(n, w + i * in, s.lane->temp + i * n * c->size);
	return s.lane->temp;
}

static void op_dense_forward(struct onednn *c, struct op *op, struct span s)
{
	const struct dense *k = op->priv;
	const size_t first = (size_t)s.k * dense_panel(k->out);
	const size_t width = width_of(k->out, (size_t)s.k);
	char *y = op->out == c->result ? (char *)c->logits : value_act(c, op->out, s);
	const size_t size = op->out == c->result ? sizeof(float) : c->size;

	pass_run(&op->sizes[s.n][DENSE_FORWARD + (width < dense_panel(k->out))], s.lane,
		 (const void *const[]){ value_act(c, op->in[0], s),
					panel_weights(c, op, s, first * k->in, width, k->in),
					y + first * size, c->x + op->layer->beta + first });
}

static void dense_backward_weights(struct onednn *c, struct op *op, struct span s,
					  size_t panel)
{
	const struct dense *k = op->priv;
	const struct layer *l = op->layer;
	const size_t first = panel * dense_panel(k->out), width = width_of(k->out, panel);
	const char *dy = value_grad(c, op->out, s);

	dy += first * c->size;
	pass_run(&op->sizes[s.n][DENSE_WEIGHTS + (width < dense_panel(k->out))], s.lane,
		 (const void *const[]){ dy, value_act(c, op->in[0], s),
					c->g + l->weight + first * k->in });
	if (l->bias)
		c->simd->sums(s.n, width, dy, k->out, c->g + l->beta + first);
}

static void dense_backward_data(struct onednn *c, struct op *op, struct span s, size_t panel)
{
	const struct dense *k = op->priv;
	const size_t first = panel * dense_panel(k->in), width = width_of(k->in, panel);
	char *dx = value_grad(c, op->in[0], s), *to = dx + first * c->size;

	if (op->add[0])
		to = s.lane->temp + panel_bytes(c, k);
	pass_run(&op->sizes[s.n][DENSE_DATA + (width < dense_panel(k->in))], s.lane,
		 (const void *const[]){ value_grad(c, op->out, s),
					panel_weights(c, op, s, first, k->out, width), to });
	if (op->add[0])
		c->simd->copy(s.n, width, to, width, true, dx + first * c->size, k->in);
}

static void op_dense_backward(struct onednn *c, struct op *op, struct span s)
{
	const size_t outs = panels_of(((const struct dense *)op->priv)->out);

	if ((size_t)s.k < outs)
		dense_backward_weights(c, op, s, (size_t)s.k);
	else if (c->values[op->in[0]].wanted)
		dense_backward_data(c, op, s, (size_t)s.k - outs);
}

const struct op_type op_dense = {
	.whole = true, .reads_in = true, .npasses = DENSE_PASSES, .open = dense_open,
	.size = dense_size, .forward = op_dense_forward, .backward = op_dense_backward,
	.panels = op_dense_panels,
};

/* ---- nets of tokens ---- */

enum { WHOLE = 16, ROUND = 1 << 16 }; /* rows come in multiples; floats of a task */

/* Key of a primitive; zeroed, as keys are compared byte by byte. */
struct shape_of_product {
	size_t ta, tb, m, n, k, lda, ldb, ldc, adds;
};

struct product {
	struct shape_of_product shape;
	struct pass pass;
};

struct products {
	pthread_mutex_t lock; /* of the table, of opening passes, and of growing lanes */
	struct product **all; /* [n] */
	size_t n;
	char *x; /* [dim] this call's parameters in bf16; NULL in f32 */
};

/* ---- the parameters ---- */

static void products_round(void *arg, int k, int lane)
{
	struct onednn *c = arg;
	const size_t first = (size_t)k * ROUND, left = c->graph->dim - first;

	(void)lane;
	c->simd->narrow(left < ROUND ? left : ROUND, c->x + first,
			c->products->x + first * c->size);
}

static void products_begin(void *by, const float *x)
{
	struct onednn *c = by;

	c->x = x;
	if (c->products->x)
		team_run(c->team, (int)((c->graph->dim + ROUND - 1) / ROUND), products_round, c);
}

/* ---- one product ---- */

/* Bytes of a lane's temp for a matrix in bf16. */
static size_t product_bytes(const struct onednn *c, size_t floats)
{
	return (floats * c->size + 63) / 64 * 64;
}

static bool product_has_weights(const struct onednn *c, const struct ob_product *p)
{
	return p->b >= c->x && p->b < c->x + c->graph->dim;
}

/* Shape of a product; rows of a matrix that is rounded in the lane have no gap between them. */
static struct shape_of_product product_shape(const struct onednn *c, const struct ob_product *p)
{
	struct shape_of_product s = { p->ta,  p->tb,  p->m,   p->n,	      p->k,
				      p->lda, p->ldb, p->ldc, p->beta != 0.0f };

	if (!c->products->x)
		return s;
	s.lda = p->ta ? p->m : p->k;
	if (!product_has_weights(c, p))
		s.ldb = p->tb ? p->k : p->n;
	return s;
}

/* The primitive of a shape; NULL after error(). */
static struct product *product_of(struct onednn *c, struct shape_of_product s)
{
	static const int args[] = { DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST };
	const struct operation o = {
		.kind = dnnl_matmul,
		.adds = s.adds,
		.src = onednn_matrix(s.m, s.k, s.ta ? 1 : s.lda, s.ta ? s.lda : 1, c->type),
		.weights = onednn_matrix(s.k, s.n, s.tb ? 1 : s.ldb, s.tb ? s.ldb : 1, c->type),
		.dst = onednn_matrix(s.m, s.n, s.ldc, 1, dnnl_f32),
	};
	struct products *all = c->products;
	struct product *k;

	for (size_t i = 0; i < all->n; i++)
		if (!memcmp(&all->all[i]->shape, &s, sizeof(s)))
			return all->all[i];
	k = xcalloc(1, sizeof(*k));
	k->shape = s;
	if (c->failed || pass_open(c, &k->pass, onednn_describe(&o), 3, args)) {
		c->failed = true;
		free(k);
		return NULL;
	}
	all->all = xrealloc(all->all, all->n + 1, sizeof(struct product *));
	return all->all[all->n++] = k;
}

static void product_narrow(const struct onednn *c, size_t rows, size_t n, const float *x,
			   size_t apart, char *to)
{
	if (apart == n)
		c->simd->narrow(rows * n, x, to);
	else
		for (size_t r = 0; r < rows; r++)
			c->simd->narrow(n, x + r * apart, to + r * n * c->size);
}

/* The factors in f32, or converted to bf16. */
static void product_factors(const struct onednn *c, const struct ob_product *p, struct lane *w,
			    const void *factors[2])
{
	char *b;

	factors[0] = p->a;
	factors[1] = p->b;
	if (!c->products->x)
		return;
	factors[0] = w->temp;
	product_narrow(c, p->ta ? p->k : p->m, p->ta ? p->m : p->k, p->a, p->lda, w->temp);
	b = w->temp + product_bytes(c, p->m * p->k);
	factors[1] = b;
	if (product_has_weights(c, p))
		factors[1] = c->products->x + (size_t)(p->b - c->x) * c->size;
	else
		product_narrow(c, p->tb ? p->n : p->k, p->tb ? p->k : p->n, p->b, p->ldb, b);
}

/*
 * Copies a single row or column. oneDNN 3.7 takes a row of a transposed factor, and a column of a
 * wider result, for consecutive floats (a matrix with one row or column has no order of its
 * strides).
 */
static struct ob_product product_dense(const struct ob_product *p)
{
	struct ob_product dense = *p;

	if (p->m == 1 && p->ta)
		dense.lda = 1;
	if (p->n == 1 && p->ldc > 1) {
		dense.ldc = 1;
		dense.beta = 0.0f;
	}
	return dense;
}

static void product_run(struct onednn *c, int lane, const struct ob_product *p)
{
	struct ob_product dense = product_dense(p);
	const bool row = dense.lda != p->lda, column = dense.ldc != p->ldc;
	const size_t bytes = !c->products->x ? 0
		: product_bytes(c, p->m * p->k) + product_bytes(c, p->k * p->n);
	const void *factors[2];
	struct product *k;
	struct lane *w;
	float *copies;          /* [k] the row, [m] buffer for the column */

	pthread_mutex_lock(&c->products->lock);
	onednn_temp(c, bytes + (row || column ? (p->k + p->m) * sizeof(float) : 0));
	k = product_of(c, product_shape(c, &dense));
	w = onednn_lane(c, lane);
	pthread_mutex_unlock(&c->products->lock);
	if (!k)
		return;
	copies = (float *)(void *)(w->temp + bytes);
	for (size_t i = 0; row && i < p->k; i++)
		copies[i] = p->a[i * p->lda];
	dense.a = row ? copies : p->a;
	dense.c = column ? copies + p->k : p->c;
	product_factors(c, &dense, w, factors);
	pass_run(&k->pass, w, (const void *const[]){ factors[0], factors[1], dense.c });
	for (size_t i = 0; column && i < p->m; i++)
		p->c[i * p->ldc] = (p->beta != 0.0f ? p->c[i * p->ldc] : 0.0f) + dense.c[i];
}

/*
 * Computes a product. The number of rows may depend on the tokens (adaptive softmax): rows beyond a
 * multiple of WHOLE are a product of their own, so that there are few shapes.
 */
static void products_multiply(void *by, int lane, const struct ob_product *p)
{
	struct onednn *c = by;
	const size_t rows = p->ta ? p->k : p->m, whole = rows / WHOLE * WHOLE;
	const int threads = onednn_threads(1);
	struct ob_product first = *p, rest = *p;

	*(p->ta ? &first.k : &first.m) = whole;
	*(p->ta ? &rest.k : &rest.m) = rows - whole;
	rest.a += whole * p->lda;
	if (p->ta) {
		rest.b += whole * p->ldb;
		rest.beta = whole ? 1.0f : p->beta;
	} else {
		rest.c += whole * p->ldc;
	}
	if (whole && p->m && p->n)
		product_run(c, lane, &first);
	if (whole < rows && p->m && p->n)
		product_run(c, lane, &rest);
	onednn_threads(threads);
}

/* ---- open and close ---- */

void products_open(struct onednn *c, const struct backend_conf *conf)
{
	static const struct ob_products ours = { .begin = products_begin,
						 .multiply = products_multiply };

	c->products = xcalloc(1, sizeof(*c->products));
	pthread_mutex_init(&c->products->lock, NULL);
	if (c->precision == PRECISION_BF16)
		c->products->x = xlines(c->graph->dim, c->size);
	c->tokens = ob_open_with(c->graph, conf, c->max_batch, c->team, &ours, c);
}

void products_close(struct onednn *c)
{
	backend_openblas.close(c->tokens);
	for (size_t i = 0; i < c->products->n; i++) {
		pass_close(&c->products->all[i]->pass);
		free(c->products->all[i]);
	}
	pthread_mutex_destroy(&c->products->lock);
	free(c->products->all);
	free(c->products->x);
	free(c->products);
}

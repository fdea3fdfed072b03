/*
 * dense.c - matrix products by oneDNN: of dense layers in nets of images, and of nets of tokens.
 *
 * First half, dense layers in a net of images: a product is over the whole batch, and its tasks are
 * panels of at most PANEL outputs (inputs, for the gradient of the input). A panel reads its part
 * of the weights straight from x, or rounds it to bf16 in its lane.
 *
 * Second half, nets of tokens: all layers are those of openblas, which has their matrix products
 * computed here, by a primitive for each shape, made at its first use, or by product_compute(). In
 * bf16 with matrix units the parameters are rounded once a call, all other factors in the lane;
 * sums and results are f32. In bf16 without matrix units, pairs.c computes.
 */
#include "nets/onednn/onednn.h"
#include "nets/onednn/product.h"

#include <pthread.h>

/* ---- dense layers of a net of images ---- */

enum { PANEL = 256 };           /* most outputs, or inputs, of a panel */

/* The passes for a batch size, two of each: of a full panel, and (+ 1) of a narrower last one. */
enum { DENSE_FORWARD = 0, DENSE_WEIGHTS = 2, DENSE_DATA = 4, DENSE_PASSES = 6 };

struct dense {                  /* priv of a dense layer: features */
	size_t in, out;
};

/*
 * Width of all panels of n columns but the last. It is chosen so that the last one has more than
 * one column: oneDNN 3.7 computes a single column of a wider matrix wrongly (product_dense()).
 */
static size_t panel_width(size_t n)
{
	size_t width = PANEL;

	while (n > 1 && n % width == 1)
		width--;
	return width;
}

static size_t panel_count(size_t n)
{
	return (n + panel_width(n) - 1) / panel_width(n);
}

/* Columns of panel k of n columns. */
static size_t panel_columns(size_t n, size_t k)
{
	const size_t width = panel_width(n), left = n - k * width;

	return left < width ? left : width;
}

static int op_dense_panels(const struct op *op, bool back)
{
	const struct dense *k = op->priv;

	return (int)(panel_count(k->out) + (back ? panel_count(k->in) : 0));
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

/* y[n][out] = x[n][in] weight[out][in]^T + bias, `width` of the columns; logits are always f32. */
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

/* dweight[out][in] = dy[n][out]^T x[n][in], `width` of the rows */
static int dense_open_weights(struct onednn *c, struct op *op, struct pass *p, size_t n,
			      size_t width)
{
	const struct dense *k = op->priv;

	return dense_open_product(c, p, onednn_matrix(width, n, 1, k->out, c->type),
			    onednn_matrix(n, k->in, k->in, 1, c->type), no_bias,
			    onednn_matrix(width, k->in, k->in, 1, dnnl_f32));
}

/*
 * dx[n][in] = dy[n][out] weight[out][in], `width` of the columns. If dx already has a term
 * (add[0]), into the lane's temp.
 */
static int dense_open_data(struct onednn *c, struct op *op, struct pass *p, size_t n,
				  size_t width)
{
	const struct dense *k = op->priv;

	return dense_open_product(c, p, onednn_matrix(n, k->out, k->out, 1, c->type),
			    onednn_matrix(k->out, width, c->size == 4 ? k->in : width, 1, c->type),
			    no_bias,
			    onednn_matrix(n, width, op->add[0] ? width : k->in, 1, c->type));
}

/* Opens both passes of a product whose panels divide `all` columns; p[0], p[1] as in the enum. */
static int open_widths(struct onednn *c, struct op *op, struct pass *p, size_t n, size_t all,
		       int (*open)(struct onednn *, struct op *, struct pass *, size_t, size_t))
{
	const size_t width = panel_width(all);

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

/* Bytes of a lane's temp for a panel of weights in bf16; in f32 it is read from x. */
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

/*
 * The weights of a panel, [rows][n] from offset `first` on: in f32 a pointer into x, with `in`
 * floats from row to row; in bf16 rounded into the lane's temp, without gaps.
 */
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
	const size_t first = (size_t)s.k * panel_width(k->out);
	const size_t width = panel_columns(k->out, (size_t)s.k);
	char *y = op->out == c->result ? (char *)c->logits : value_act(c, op->out, s);
	const size_t size = op->out == c->result ? sizeof(float) : c->size;

	pass_run(&op->sizes[s.n][DENSE_FORWARD + (width < panel_width(k->out))], s.lane,
		 (const void *const[]){ value_act(c, op->in[0], s),
					panel_weights(c, op, s, first * k->in, width, k->in),
					y + first * size, c->x + op->layer->beta + first });
}

static void dense_backward_weights(struct onednn *c, struct op *op, struct span s,
					  size_t panel)
{
	const struct dense *k = op->priv;
	const struct layer *l = op->layer;
	const size_t first = panel * panel_width(k->out), width = panel_columns(k->out, panel);
	const char *dy = value_grad(c, op->out, s);

	dy += first * c->size;
	pass_run(&op->sizes[s.n][DENSE_WEIGHTS + (width < panel_width(k->out))], s.lane,
		 (const void *const[]){ dy, value_act(c, op->in[0], s),
					c->g + l->weight + first * k->in });
	if (l->bias)
		c->simd->sums(s.n, width, dy, k->out, c->g + l->beta + first);
}

static void dense_backward_data(struct onednn *c, struct op *op, struct span s, size_t panel)
{
	const struct dense *k = op->priv;
	const size_t first = panel * panel_width(k->in), width = panel_columns(k->in, panel);
	char *dx = value_grad(c, op->in[0], s), *to = dx + first * c->size;

	if (op->add[0])
		to = s.lane->temp + panel_bytes(c, k);
	pass_run(&op->sizes[s.n][DENSE_DATA + (width < panel_width(k->in))], s.lane,
		 (const void *const[]){ value_grad(c, op->out, s),
					panel_weights(c, op, s, first, k->out, width), to });
	if (op->add[0])
		c->simd->copy(s.n, width, to, width, true, dx + first * c->size, k->in);
}

static void op_dense_backward(struct onednn *c, struct op *op, struct span s)
{
	const size_t outs = panel_count(((const struct dense *)op->priv)->out);

	/* tasks as op_dense_panels() counts them: panels of outputs, then of inputs */
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

/* ---- products of a net of tokens ---- */

enum { WHOLE = 16 };            /* row counts of most products are multiples of this */
enum { ROUND = 1 << 16 };       /* parameters that a task rounds to bf16 */

/* Key of a primitive. All members are size_t: keys are compared byte by byte. */
struct shape_of_product {
	size_t ta, tb, m, n, k, lda, ldb, ldc, adds;
};

struct product {
	struct shape_of_product shape;
	struct pass pass;
};

struct products {
	pthread_mutex_t lock;   /* of `all`, and of opening passes and enlarging lanes */
	struct product **all;   /* [n] */
	size_t n;
	char *x;                /* [dim] this call's parameters in bf16; NULL in f32 */
};

/* Task k of rounding the parameters to bf16. */
static void products_round(void *arg, int k, int lane)
{
	struct onednn *c = arg;
	const size_t first = (size_t)k * ROUND, left = c->graph->dim - first;

	(void)lane;
	c->simd->narrow(left < ROUND ? left : ROUND, c->x + first,
			c->products->x + first * c->size);
}

/* struct ob_products' begin(). */
static void products_begin(void *by, const float *x, bool back)
{
	struct onednn *c = by;

	(void)back;
	c->x = x;
	if (c->products->x)
		team_run(c->team, (int)((c->graph->dim + ROUND - 1) / ROUND), products_round, c);
}

/* Bytes of a lane's temp for a matrix in bf16, whole cache lines. */
static size_t product_bytes(const struct onednn *c, size_t floats)
{
	return (floats * c->size + 63) / 64 * 64;
}

/* True if the factor b is a part of the parameters. */
static bool product_has_weights(const struct onednn *c, const struct ob_product *p)
{
	return p->b >= c->x && p->b < c->x + c->graph->dim;
}

/* Shape of the product that oneDNN computes: rows of factors copied to the lane have no gaps. */
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

/* The primitive for a shape, opened at its first use; NULL after error(), now or earlier. */
static struct product *product_of(struct onednn *c, struct shape_of_product s)
{
	static const int args[] = { DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST };
	const struct operation o = {
		.kind = dnnl_matmul,
		.adds = s.adds,
		.unblocked = s.ta && c->type == dnnl_f32,       /* those copy it slowly */
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
	return APPEND(all->all, all->n) = k;
}

/* to[rows][n] <- x in bf16, whose rows are `apart` floats apart. */
static void product_narrow(const struct onednn *c, size_t rows, size_t n, const float *x,
			   size_t apart, char *to)
{
	if (apart == n)
		c->simd->narrow(rows * n, x, to);
	else
		for (size_t r = 0; r < rows; r++)
			c->simd->narrow(n, x + r * apart, to + r * n * c->size);
}

/* factors <- a and b as they are, or in bf16 (in the lane's temp, or in the rounded parameters). */
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
 * The product with contiguous copies of what oneDNN 3.7 reads or writes wrongly: it takes a single
 * row of a transposed factor, and a single column of a wider result, for contiguous floats (a
 * matrix with one row or column has no order of its strides). product_run() makes the copies.
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
	float *copies;          /* in temp: [k] the row, then [m] the column */

	pthread_mutex_lock(&c->products->lock);
	onednn_temp(c, bytes + (row || column ? (p->k + p->m) * sizeof(float) : 0));
	k = product_of(c, product_shape(c, &dense));
	w = onednn_lane(c, lane);
	pthread_mutex_unlock(&c->products->lock);
	if (!k)
		return;
	copies = row || column ? (float *)(void *)(w->temp + bytes) : NULL;
	for (size_t i = 0; row && i < p->k; i++)
		copies[i] = p->a[i * p->lda];
	dense.a = row ? copies : p->a;
	dense.c = column ? copies + p->k : p->c;
	product_factors(c, &dense, w, factors);
	pass_run(&k->pass, w, (const void *const[]){ factors[0], factors[1], dense.c });
	for (size_t i = 0; column && i < p->m; i++)
		p->c[i * p->ldc] = (p->beta != 0.0f ? p->c[i * p->ldc] : 0.0f) + dense.c[i];
}

/* product_run() without oneDNN, for a shape that it computes slowly. */
static void product_run_ours(struct onednn *c, int lane, const struct ob_product *p)
{
	struct lane *w;

	pthread_mutex_lock(&c->products->lock);
	onednn_temp(c, PRODUCT_BYTES);
	w = onednn_lane(c, lane);
	pthread_mutex_unlock(&c->products->lock);
	product_compute(p, (float *)(void *)w->temp);
}

/*
 * struct ob_products' multiply(). The number of rows of a (summed over, with ta) may depend on the
 * tokens (adaptive softmax): those beyond a multiple of WHOLE are a product of their own, so that
 * there are few shapes.
 */
static void products_multiply(void *by, int lane, const struct ob_product *p)
{
	struct onednn *c = by;
	const size_t rows = p->ta ? p->k : p->m, whole = rows / WHOLE * WHOLE;
	const int threads = onednn_threads(1);
	struct ob_product first = *p, rest = *p;

	if (!c->products->x && product_is_ours(p)) {
		product_run_ours(c, lane, p);
		onednn_threads(threads);
		return;
	}
	*(p->ta ? &first.k : &first.m) = whole;
	*(p->ta ? &rest.k : &rest.m) = rows - whole;
	rest.a += whole * p->lda;
	if (p->ta) {            /* both sum into the same c */
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

void products_open(struct onednn *c, const struct backend_conf *conf)
{
	static const struct ob_products f32 = { .begin = products_begin,
						.multiply = products_multiply };
	static const struct ob_products bf16 = { .whole = true, .begin = products_begin,
						 .multiply = products_multiply };
	const bool half = c->precision == PRECISION_BF16;

	if (half && !onednn_has_matrix_units() && product_bf16()) {
		c->tokens = pairs_open(c, conf);
		return;
	}
	c->products = xcalloc(1, sizeof(*c->products));
	pthread_mutex_init(&c->products->lock, NULL);
	if (half)
		c->products->x = xlines(c->graph->dim, c->size);
	c->tokens = ob_open_with(c->graph, conf, c->max_batch, c->team, half ? &bf16 : &f32, c);
}

void products_close(struct onednn *c)
{
	backend_openblas.close(c->tokens);
	if (c->pairs) {
		pairs_close(c->pairs);
		return;
	}
	for (size_t i = 0; i < c->products->n; i++) {
		pass_close(&c->products->all[i]->pass);
		free(c->products->all[i]);
	}
	pthread_mutex_destroy(&c->products->lock);
	free(c->products->all);
	free(c->products->x);
	free(c->products);
}

/*
 * products.c - the dense products of a net of tokens, whose other layers are openblas's.
 *
 * A primitive for each shape, made when it is first asked for. In bf16 the parameters are rounded
 * once a call, all else in the lane; sums and results are f32.
 */
#include "nets/onednn/onednn.h"

#include <pthread.h>

enum { WHOLE = 16, ROUND = 1 << 16 }; /* rows that are multiplied together; floats of a task */

/* What a primitive is made for; zeroed, since compared byte by byte. */
struct shape_of_product {
	size_t ta, tb, m, n, k, lda, ldb, ldc, adds;
};

struct product {
	struct shape_of_product shape;
	struct pass pass;
};

struct products {
	pthread_mutex_t lock; /* of the table, of the passes' opening and the lanes' growth */
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

/* Rows of what is rounded in the lane follow each other without a gap. */
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

static int product_open(struct onednn *c, struct product *k)
{
	static const int args[] = { DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST };
	const struct shape_of_product *s = &k->shape;
	const struct operation o = {
		.kind = dnnl_matmul,
		.adds = s->adds,
		.src = onednn_matrix(s->m, s->k, s->ta ? 1 : s->lda, s->ta ? s->lda : 1, c->type),
		.weights =
			onednn_matrix(s->k, s->n, s->tb ? 1 : s->ldb, s->tb ? s->ldb : 1, c->type),
		.dst = onednn_matrix(s->m, s->n, s->ldc, 1, dnnl_f32),
	};

	return pass_open(c, &k->pass, onednn_describe(&o), 3, args);
}

/* NULL after error(). */
static struct product *product_of(struct onednn *c, struct shape_of_product s)
{
	struct products *all = c->products;
	struct product *k;

	for (size_t i = 0; i < all->n; i++)
		if (!memcmp(&all->all[i]->shape, &s, sizeof(s)))
			return all->all[i];
	k = xcalloc(1, sizeof(*k));
	k->shape = s;
	if (c->failed || product_open(c, k)) {
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

/* The factors as they are, or in bf16. */
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

/* Of a lane's temp, for the factors in bf16. */
static size_t product_factor_bytes(const struct onednn *c, const struct ob_product *p)
{
	return c->products->x ? product_bytes(c, p->m * p->k) + product_bytes(c, p->k * p->n) : 0;
}

/*
 * oneDNN 3.7 takes a row of a transposed factor, and a column of a wider result, for floats that
 * follow each other (a matrix with one row or column has no order of its strides). Here they do.
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

/* The row, and where the column comes, in copies[k + m]. */
static void product_copy_in(const struct ob_product *p, struct ob_product *dense, float *copies)
{
	for (size_t i = 0; dense->lda != p->lda && i < p->k; i++)
		copies[i] = p->a[i * p->lda];
	if (dense->lda != p->lda)
		dense->a = copies;
	if (dense->ldc != p->ldc)
		dense->c = copies + p->k;
}

static void product_copy_out(const struct ob_product *p, const struct ob_product *dense)
{
	for (size_t i = 0; dense->ldc != p->ldc && i < p->m; i++)
		p->c[i * p->ldc] = (p->beta != 0.0f ? p->c[i * p->ldc] : 0.0f) + dense->c[i];
}

static void product_run(struct onednn *c, int lane, const struct ob_product *p)
{
	struct ob_product dense = product_dense(p);
	const bool copied = dense.lda != p->lda || dense.ldc != p->ldc;
	const size_t bytes = product_factor_bytes(c, p);
	const void *factors[2];
	struct product *k;
	struct lane *w;

	pthread_mutex_lock(&c->products->lock);
	onednn_temp(c, bytes + (copied ? (p->k + p->m) * sizeof(float) : 0));
	k = product_of(c, product_shape(c, &dense));
	w = onednn_lane(c, lane);
	pthread_mutex_unlock(&c->products->lock);
	if (!k)
		return;
	if (copied)
		product_copy_in(p, &dense, (float *)(w->temp + bytes));
	product_factors(c, &dense, w, factors);
	pass_run(&k->pass, w, (const void *const[]){ factors[0], factors[1], dense.c });
	product_copy_out(p, &dense);
}

/*
 * How many rows there are may depend on the tokens (adaptive softmax): those beyond a multiple of
 * WHOLE are a product of their own, so that there are few shapes.
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

/* ---- all of them ---- */

void products_open(struct onednn *c, const struct backend_conf *conf)
{
	static const struct ob_products ours = { products_begin, products_multiply };

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

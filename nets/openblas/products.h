/*
 * products.h - nets of tokens whose dense layers are multiplied by another library.
 *
 * All other layers, and the partition of work, are those of the openblas backend.
 */
#ifndef NETS_OPENBLAS_PRODUCTS_H
#define NETS_OPENBLAS_PRODUCTS_H

#include "nets/backend.h"

/* c[m][n] <- a b + beta c; ta: a is stored [k][m]; tb: b is stored [n][k]; ld*: floats of a row. */
struct ob_product {
	bool ta, tb;
	size_t m, n, k;
	const float *a;
	size_t lda;
	const float *b;
	size_t ldb;
	float beta; /* 0 or 1 */
	float *c;
	size_t ldc;
};

/*
 * Products in bf16, of factors in f32, of which b is rounded and packed once for several of them:
 * in panels of some columns, whose rows are pairs of rows of b.
 */
struct ob_packed {
	size_t work;            /* floats */
	size_t columns;         /* of a panel */
	/* Floats of n columns with `pairs` pairs of rows. */
	size_t (*floats)(size_t n, size_t pairs);
	/* The first (k + 1) / 2 of `pairs` rows of panels <- b[k][n]; tb: b is stored [n][k]. */
	void (*make)(bool tb, size_t n, size_t k, const float *b, size_t ldb, size_t pairs,
		     float *to);
	/* p->b is packed, with p->ldb pairs of rows; tb is not used. */
	void (*multiply)(const struct ob_product *p, float *work);
};

struct ob_products {
	bool whole;             /* a product in parts takes longer: each converts its factors */
	/*
	 * Called at the start of a pass, on its thread: x has the parameters of all products until
	 * the next. back: a backward pass follows.
	 */
	void (*begin)(void *by, const float *x, bool back);
	/* Called in a task, on that lane of the team. */
	void (*multiply)(void *by, int lane, const struct ob_product *p);
	const struct ob_packed *packed; /* for attention in bf16; NULL: it is in f32 */
};

/*
 * A context of backend_openblas whose dense products `by` computes; products and by are borrowed.
 */
void *ob_open_with(const struct graph *g, const struct backend_conf *conf, size_t max_batch,
		   struct team *team, const struct ob_products *products, void *by);

#endif

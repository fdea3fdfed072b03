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

struct ob_products {
	bool whole;             /* a product in parts takes longer: each converts its factors */
	/*
	 * Called at the start of a pass, on its thread: x has the parameters of all products until
	 * the next.
	 */
	void (*begin)(void *by, const float *x);
	/* Called in a task, on that lane of the team. */
	void (*multiply)(void *by, int lane, const struct ob_product *p);
};

/*
 * A context of backend_openblas whose dense products `by` computes; products and by are borrowed.
 */
void *ob_open_with(const struct graph *g, const struct backend_conf *conf, size_t max_batch,
		   struct team *team, const struct ob_products *products, void *by);

#endif

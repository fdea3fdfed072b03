/*
 * products.h - nets of tokens whose dense layers another library multiplies.
 *
 * All other layers, and who computes what, are those of the openblas backend.
 */
#ifndef NETS_OPENBLAS_PRODUCTS_H
#define NETS_OPENBLAS_PRODUCTS_H

#include "nets/backend.h"

/* c[m][n] <- a b + beta c; ta: a is stored [k][m]; tb: b is stored [n][k]. ld*: of their rows. */
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
	/* At the start of a call, on its thread: the parameters of all products until the next. */
	void (*begin)(void *by, const float *x);
	/* In a task on that lane of the team. */
	void (*multiply)(void *by, int lane, const struct ob_product *p);
};

/* A context of backend_openblas that leaves its dense products to `by`; both are borrowed. */
void *ob_open_with(const struct graph *g, const struct backend_conf *conf, size_t max_batch,
		   struct team *team, const struct ob_products *products, void *by);

#endif

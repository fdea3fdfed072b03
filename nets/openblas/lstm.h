/* lstm.h - long short-term memory, as both backends compute it. */
#ifndef NETS_OPENBLAS_LSTM_H
#define NETS_OPENBLAS_LSTM_H

#include "nets/openblas/products.h"

/* Computes the products of matrices, on a lane of the team. */
struct lstm_products {
	void (*multiply)(void *by, int lane, const struct ob_product *p);
	void *by;
	int lane;
};

/* Floats of memory from forward to backward for n samples. */
size_t lstm_floats(const struct layer *l, size_t n);

/*
 * y <- outputs of n samples x[n][steps][in]: [n][steps][out], or [n][out] of the last step. `v` are
 * the parameters of the net. Writes memory[lstm_floats()].
 */
void lstm_forward(const struct layer *l, const struct lstm_products *by, const float *v, size_t n,
		  const float *x, float *memory, float *y);

/*
 * g[dim] <- gradients of the layer's parameters; dx <- (or +=) that of x, unless it is NULL.
 * Overwrites the memory.
 */
void lstm_backward(const struct layer *l, const struct lstm_products *by, const float *v, size_t n,
		   const float *x, float *memory, const float *dy, float *g, bool add, float *dx);

#endif

/* lstm.h - long short-term memory in f32, as both backends compute it. */
#ifndef NETS_OPENBLAS_LSTM_H
#define NETS_OPENBLAS_LSTM_H

#include "nets/graph/graph.h"

/* Call before the others: limits the BLAS to one thread. */
void lstm_begin(void);

/* Floats of memory from forward to backward for n samples. */
size_t lstm_floats(const struct layer *l, size_t n);

/*
 * y <- outputs of n samples x[n][steps][in]: [n][steps][out], or [n][out] of the last step. `v` are
 * the parameters of the net. Writes memory[lstm_floats()].
 */
void lstm_forward(const struct layer *l, const float *v, size_t n, const float *x, float *memory,
		  float *y);

/*
 * g[dim] <- gradients of the layer's parameters; dx <- (or +=) that of x, unless it is NULL.
 * Overwrites the memory.
 */
void lstm_backward(const struct layer *l, const float *v, size_t n, const float *x, float *memory,
		   const float *dy, float *g, bool add, float *dx);

#endif

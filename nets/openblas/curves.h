/* curves.h - smooth functions of one value: gelu, tanh, sigmoid and silu, of both backends. */
#ifndef NETS_OPENBLAS_CURVES_H
#define NETS_OPENBLAS_CURVES_H

#include "nets/graph/graph.h"

/*
 * y[n] <- the layer's function of x, slope[n] <- its derivative. Bit-identical on processors with
 * AVX-512, and on all others; NaN stays NaN. x may be y or slope.
 */
void curve_up(const struct layer *l, size_t n, const float *x, float *y, float *slope);

/* x[n] <- s(x) = 1 / (1 + exp(-x)); x[n] <- tanh(x). */
void curve_sigmoid(size_t n, float *x);
void curve_tanh(size_t n, const float *x, float *y);

#endif

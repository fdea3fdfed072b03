/* curves.h - smooth functions of one value: gelu, tanh, sigmoid and silu, of both backends. */
#ifndef NETS_OPENBLAS_CURVES_H
#define NETS_OPENBLAS_CURVES_H

#include "nets/graph/graph.h"

/* y[n] <- the layer's function of x, slope[n] <- its derivative; NaN stays NaN. x may be y. */
void curve_up(const struct layer *l, size_t n, const float *x, float *y, float *slope);

#endif

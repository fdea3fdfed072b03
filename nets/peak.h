/* How fast a machine multiplies square matrices: for backends' peak(). */
#ifndef NETS_PEAK_H
#define NETS_PEAK_H

#include "nets/backend.h"

enum { PEAK_SIDE = 1536 };      /* of the matrices: a product is 2 * 1536^3 = 7.2 GFLOP */

/*
 * FLOP/s of multiply(arg), one product: by the median of several in about a second, so that
 * threads that measure at once are not judged by the moment before the others begin.
 */
double peak_measure(void (*multiply)(void *arg), void *arg);

/* A vector of n numbers in [-1, 1), the same each time; the caller frees with free(). */
float *peak_matrix(size_t n);

/* The backends' peak(). */
double onednn_peak(enum precision precision);
double openblas_peak(enum precision precision);

#endif

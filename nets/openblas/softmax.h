/*
 * softmax.h - softmax cross-entropy over many classes, in float.
 *
 * Sums of exponentials are in float by blocks, and over blocks in double.
 */
#ifndef NETS_OPENBLAS_SOFTMAX_H
#define NETS_OPENBLAS_SOFTMAX_H

#include <stddef.h>

struct ob;

/* z[n] <- scale (softmax(z) - onehot(target)); returns -log softmax(z)[target]. */
double softmax_slope(size_t n, float *z, size_t target, double scale);

/* log sum exp of z[n]; `spare` [n] is overwritten. */
double softmax_norm(size_t n, const float *z, float *spare);

/* z[n] += by */
void softmax_shift(size_t n, float by, float *z);

/* The mean loss of a net of tokens, and the gradient of its logits. */
double softmax_tokens(struct ob *c);

#endif

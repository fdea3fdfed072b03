/*
 * shared.h - a model that several workers read and write at once, without locks.
 *
 * Each coordinate is an atomic float, accessed relaxed: none is ever half written and no
 * addition is lost, but nothing is said of the order in which two of them change. That is
 * what Hogwild assumes: "componentwise addition is atomic", and nothing else.
 */
#ifndef CORE_MATH_SHARED_H
#define CORE_MATH_SHARED_H

#include <stddef.h>

/* to[n] <- the shared x[n], coordinate by coordinate, while others may be writing it. */
void shared_read(size_t n, const float *x, float *to);

/*
 * x_i <- x_i + (after_i - before_i) of the shared x[n], coordinate by coordinate. Where x_i is
 * before_i still, it becomes after_i, to the bit: so nothing is rounded for a worker alone.
 */
void shared_add(size_t n, const float *before, const float *after, float *x);

#endif

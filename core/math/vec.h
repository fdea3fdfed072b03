/*
 * vec.h - flat vectors of float, the only thing algorithms compute with.
 *
 * Sizes first, as BLAS does. Every function accepts NULL vectors and then does
 * nothing: a timing-only run has no vectors, and algorithms need not know.
 * Element-wise results do not depend on the processor (no fused multiply-add).
 */
#ifndef CORE_MATH_VEC_H
#define CORE_MATH_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* y <- x */
void vec_copy(size_t n, const float *x, float *y);

/* sum <- x + y */
void vec_add(size_t n, const float *x, const float *y, float *sum);

/* y <- y + a x */
void vec_axpy(size_t n, float a, const float *x, float *y);

/* y <- a y */
void vec_scale(size_t n, float a, float *y);

/* y <- a x + b y */
void vec_axpby(size_t n, float a, const float *x, float b, float *y);

/* sum of x_i y_i, accumulated in double in a fixed order; 0 for NULL */
double vec_dot(size_t n, const float *x, const float *y);

/* ||x - y||_2, accumulated in double in a fixed order; 0 for NULL */
double vec_dist(size_t n, const float *x, const float *y);

/* y <- mean of the k vectors xs[0..k-1], accumulated in double, in order. */
void vec_mean(size_t n, int k, const float *const *xs, float *y);

/*
 * Floats that copy, axpy, scale and axpby have read or written on this thread so far, including
 * those of NULL vectors, so that an engine can charge a handler for them in a timing-only run too.
 */
size_t vec_passed(void);

/* Sets this thread's count back to an earlier vec_passed(): what it did since is not charged. */
void vec_forget(size_t count);

/*
 * true: from now on, vector functions of this thread only count floats and change no vector; false:
 * ends that.
 */
void vec_only_count(bool yes);

/* Digest of the vector's bits: equal for equal vectors. 0 for NULL. */
uint64_t vec_digest(size_t n, const float *x);

/*
 * A model that several workers read and write at once, without locks.
 *
 * Each coordinate is an atomic float, accessed relaxed: it is never half written and no addition is
 * lost, but the order in which two coordinates change is undefined. Hogwild assumes no more than
 * that: "componentwise addition is atomic".
 */

/* to[n] <- the shared x[n], coordinate by coordinate, while others may be writing it. */
void shared_read(size_t n, const float *x, float *to);

/*
 * x_i <- x_i + (after_i - before_i) of the shared x[n], coordinate by coordinate. If x_i still is
 * before_i, it becomes exactly after_i: so a worker that is alone has no rounding error.
 */
void shared_add(size_t n, const float *before, const float *after, float *x);

#endif

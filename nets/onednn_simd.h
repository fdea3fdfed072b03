/*
 * onednn_simd.h - what lies between the convolutions, on rows of channels.
 *
 * A tensor is [rows][c], rows = n * h * w. Batch normalisation, its gradient, the
 * residual addition and the ReLU are each one pass, so that a chunk of samples
 * is read while it is still in the cache. Sums run over blocks of rows in float
 * and over blocks in double, in an order that does not depend on the processor;
 * nothing here is contracted, so every table below gives the same bits.
 */
#ifndef NETS_ONEDNN_SIMD_H
#define NETS_ONEDNN_SIMD_H

#include <stdbool.h>
#include <stddef.h>

struct simd {
	/* sum[c] += sum of x - pivot; square[c] += sum of (x - pivot)^2 */
	void (*measure)(size_t rows, size_t c, const float *x, const float *pivot, double *sum,
			double *square);
	/*
	 * y <- (x - mean) * mul + add, then + r (NULL: nothing), then ReLU if asked.
	 * coef[3][c]: mean, mul, add. y may be x.
	 */
	void (*normalise)(size_t rows, size_t c, const float *x, const float *coef, const float *r,
			  bool relu, float *y);
	/*
	 * dy <- (dy + extra) where y > 0, elsewhere 0 (extra NULL: nothing; y NULL:
	 * everywhere); sum[c] += sum of dy; dot[c] += sum of dy * (x - mean).
	 */
	void (*gather)(size_t rows, size_t c, const float *x, const float *mean, const float *y,
		       const float *extra, float *dy, double *sum, double *dot);
	/* dx <- (or +=) dy * a + (x - mean) * b + k; coef[4][c]: mean, a, b, k */
	void (*spread)(size_t rows, size_t c, const float *x, const float *coef, const float *dy,
		       bool add, float *dx);
	/* y[n] <- x + r (NULL: nothing), then ReLU if asked */
	void (*join)(size_t n, const float *x, const float *r, bool relu, float *y);
	/* dy[n] <- (dy + extra) where y > 0; NULLs as in gather() */
	void (*mask)(size_t n, const float *y, const float *extra, float *dy);
	/* y[n] += x */
	void (*add)(size_t n, const float *x, float *y);
	/* y[n] <- x * m */
	void (*times)(size_t n, const float *x, const float *m, float *y);
};

/* The widest table that this processor runs. */
const struct simd *simd_best(void);

/* All tables this processor runs, NULL-ended: for the tests. */
const struct simd *const *simd_all(void);

#endif

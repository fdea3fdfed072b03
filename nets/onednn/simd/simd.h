/*
 * simd.h - loops over rows of channels, for the layers between convolutions.
 *
 * A tensor is [rows][c], rows = n * h * w, of f32 or of bf16; arithmetic is in f32. Batch
 * normalisation, its gradient, the residual addition and the ReLU are one pass each, so that a
 * chunk of samples is still in the cache when it is read. Sums are in float over blocks of rows,
 * then in double over blocks, in an order that does not depend on the processor. Multiply-adds are
 * not contracted, and bf16 is rounded to nearest even with subnormal numbers taken as 0. So all
 * tables of one storage type are bit-identical.
 */
#ifndef NETS_ONEDNN_SIMD_SIMD_H
#define NETS_ONEDNN_SIMD_SIMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Floats of a row with its neighbours, and those that the last vector reads beyond. */
#define LRN_WORK(c, half) ((c) + 2 * (half) + 32)

/* Local response normalisation: y = x (k + scale * sum of x^2 over the window)^-power */
struct lrn {
	size_t half;            /* channels of the window on either side */
	float k, scale, power;
};

/* Loops for one storage type, in which tensors (const void *, void *) are. */
struct simd {
	size_t size;            /* bytes of an element */
	/* sum[c] += sum of x - pivot; square[c] += sum of (x - pivot)^2 */
	void (*measure)(size_t rows, size_t c, const void *x, const float *pivot, double *sum,
			double *square);
	/*
	 * y <- (x - mean) * mul + add, then + r (NULL: nothing), then ReLU if asked.
	 * coef[3][c]: mean, mul, add. y may be x.
	 */
	void (*normalise)(size_t rows, size_t c, const void *x, const float *coef, const void *r,
			  bool relu, void *y);
	/*
	 * dy <- (dy + extra) * scale where y > 0, elsewhere 0 (extra NULL: nothing; y NULL:
	 * everywhere); sum[c] += sum of dy; dot[c] += sum of dy * (x - mean).
	 */
	void (*gather)(size_t rows, size_t c, const void *x, const float *mean, const void *y,
		       const void *extra, float scale, void *dy, double *sum, double *dot);
	/* dx <- (or +=) dy * a + (x - mean) * b + k; coef[4][c]: mean, a, b, k */
	void (*spread)(size_t rows, size_t c, const void *x, const float *coef, const void *dy,
		       bool add, void *dx);
	/* y[n] <- x + r (NULL: nothing), then ReLU if asked; y may be x */
	void (*join)(size_t n, const void *x, const void *r, bool relu, void *y);
	/* dy[n] <- (dy + extra) * scale where y > 0; NULLs as in gather() */
	void (*mask)(size_t n, const void *y, const void *extra, float scale, void *dy);
	/* y[n] <- (or +=) x * m, m f32 */
	void (*times)(size_t n, const void *x, const float *m, bool add, void *y);
	/* y <- (or +=) x, rows of n; x_apart, y_apart: elements from row to row */
	void (*copy)(size_t rows, size_t n, const void *x, size_t x_apart, bool add, void *y,
		     size_t y_apart);
	/* y[c] <- mean of x over rows; dx[rows][c] <- (or +=) dy / rows */
	void (*mean)(size_t rows, size_t c, const void *x, void *y);
	void (*unmean)(size_t rows, size_t c, const void *dy, bool add, void *dx);
	/* sum[n] <- sum over rows, `apart` elements apart, of x */
	void (*sums)(size_t rows, size_t n, const void *x, size_t apart, float *sum);
	/* work[LRN_WORK(c, half)] */
	void (*lrn)(size_t rows, size_t c, const struct lrn *l, const void *x, float *work,
		    void *y);
	/*
	 * dx <- (or +=) dy s^-power - 2 power scale x (sum of dy x s^(-power - 1) over the
	 * window), where y = x s^-power; work[3][LRN_WORK(c, half)].
	 */
	void (*lrn_back)(size_t rows, size_t c, const struct lrn *l, const void *x,
			 const void *dy, float *work, bool add, void *dx);
	/* f32 to storage, and back */
	void (*narrow)(size_t n, const float *x, void *y);
	void (*widen)(size_t n, const void *x, float *y);
};

/* The loops of one width of registers: on f32, and on bf16. */
extern const struct simd simd_avx512[2], simd_avx2[2], simd_plain[2];

/* All tables that this processor can run, the widest first, NULL-ended. */
const struct simd *const *simd_all(void);
const struct simd *const *simd_all_bf16(void);

#endif

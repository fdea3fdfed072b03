/*
 * table.h - functions on rows of floats, compiled for each width of registers: attention, layer
 * normalisation, softmax, smooth functions of one value.
 *
 * Sums are accumulated in as many partial sums as a register has floats, added in their order: bits
 * depend on the processor, as those of the BLAS do. NaN stays NaN.
 */
#ifndef NETS_OPENBLAS_LANES_TABLE_H
#define NETS_OPENBLAS_LANES_TABLE_H

#include "nets/graph/graph.h"

#include <stdbool.h>
#include <stddef.h>

enum { LAYERNORM_KEPT = 2 };    /* floats of a token: mean and r */

struct lanes_table {
	/*
	 * A tile is p[rows][keys]: rows of probabilities, or of their gradients, at most TILE.
	 * Query r of a tile has the first `first + r + 1` keys. p <- softmax(scale p), 0 after each
	 * query's own key; lse[rows] <- log sum exp, with which again() recomputes p.
	 */
	void (*softmax)(size_t rows, size_t keys, size_t first, float scale, float *p, float *lse);
	/* p <- the probabilities of softmax(), recomputed from the scores in p and lse. */
	void (*again)(size_t rows, size_t keys, size_t first, float scale, const float *lse,
		      float *p);
	/* d[rows] <- dO . O for each row. Here and below, ld* are floats from row to row. */
	void (*dots)(size_t rows, size_t size, const float *dout, size_t ldd, const float *out,
		     size_t ldo, float *d);
	/* c[rows][keys] <- x[rows][size] yt[size][keys] */
	void (*products)(size_t rows, size_t keys, size_t size, const float *x, size_t ldx,
			 const float *yt, size_t ldy, float *c);
	/*
	 * c[rows][size] <- (add: +=) p[rows][keys] y[keys][size]; p is 0 after the first `first + r
	 * + 1` keys of row r, which need not be read. first = keys: no such zeros.
	 */
	void (*mix)(size_t rows, size_t keys, size_t first, size_t size, const float *p,
		    const float *y, size_t ldy, bool add, float *c, size_t ldc);
	/* c[keys][size] <- (add: +=) p[rows][keys]^T x[rows][size], with p as in mix(). */
	void (*spread)(size_t rows, size_t keys, size_t first, size_t size, const float *p,
		       const float *x, size_t ldx, bool add, float *c, size_t ldc);
	/* y[n] <- the function of x of a kind of layer, slope[n] <- its derivative; see curves.h */
	void (*curve)(enum layer_kind kind, int form, size_t n, const float *x, float *y,
		      float *slope);
	/* x[n] <- 1 / (1 + exp(-x)); y[n] <- tanh(x), y may be x */
	void (*sigmoid)(size_t n, float *x);
	void (*tanh)(size_t n, const float *x, float *y);
	/* y[rows][n] <- (x - mean) r gamma + beta (NULL: none); kept[rows] <- mean and r */
	void (*layernorm)(size_t rows, size_t n, float eps, const float *x, const float *gamma,
			  const float *beta, float *y, float *kept);
	/* dx[rows][n] <- (add: +=) the gradient by x */
	void (*layernorm_back)(size_t rows, size_t n, const float *x, const float *kept,
			       const float *gamma, const float *dy, bool add, float *dx);
	/* dgamma[n] += dy (x - mean) r over rows */
	void (*layernorm_scales)(size_t rows, size_t n, const float *x, const float *kept,
				 const float *dy, float *dgamma);
	/* z[n] <- exp(z - most); returns their sum. */
	double (*sum_exp)(size_t n, float most, float *z);
	/* The largest of z[n], n > 0. */
	float (*most)(size_t n, const float *z);
};

extern const struct lanes_table lanes_avx512, lanes_avx2, lanes_plain;

/* All tables that this processor can run, the widest first, NULL-ended. */
const struct lanes_table *const *lanes_all(void);

static inline const struct lanes_table *lanes_best(void)
{
	return *lanes_all();
}

#endif

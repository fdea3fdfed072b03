/*
 * tile.h - some queries of a head against their keys: what all kinds of attention compute.
 *
 * A tile is p[rows][keys]: rows of probabilities, or of their gradients. Query r of a tile has the
 * first `first + r + 1` keys. Sums over keys are taken in LANES sums, added in their order.
 */
#ifndef NETS_OPENBLAS_TILE_H
#define NETS_OPENBLAS_TILE_H

#include <stddef.h>

enum { TILE = 32 };             /* queries of one tile at most */

/*
 * p <- softmax(scale p), 0 after each query's own key; lse[rows] <- what is to be subtracted to
 * find them again.
 */
void tile_softmax(size_t rows, size_t keys, size_t first, float scale, float *p, float *lse);

/* The same probabilities again. */
void tile_again(size_t rows, size_t keys, size_t first, float scale, const float *lse, float *p);

/* p[n] *= mask[n] */
void tile_multiply(size_t n, const float *mask, float *p);

/* dp[rows][keys] <- scale p (dp - d[rows]) */
void tile_slope(size_t rows, size_t keys, float scale, const float *p, const float *d, float *dp);

/* d[rows] <- dO . O, of the output's rows in its own width. */
void tile_dots(size_t rows, size_t size, const float *dout, const float *out, size_t width,
	       float *d);

/* c[rows][keys] <- x[rows][size] yt[size][keys], yt's rows `window` apart. */
void tile_products(size_t rows, size_t keys, size_t size, const float *x, const float *yt,
		   size_t window, float *c);

/* c[rows][size] <- p[rows][keys] y[keys][size] */
void tile_mix(size_t rows, size_t keys, size_t size, const float *p, const float *y, float *c,
	      size_t ldc);

/* c[keys][size] <- (add: +=) p[rows][keys]^T x[rows][size] */
void tile_spread(size_t rows, size_t keys, size_t size, const float *p, const float *x, int add,
		 float *c);

#endif

/*
 * tile.h - some queries of a head against their keys: what all kinds of attention compute.
 *
 * A tile is p[rows][keys]: rows of probabilities, or of their gradients. Query r of a tile has the
 * first `first + r + 1` keys. Sums over keys are taken in LANES sums, added in their order.
 */
#ifndef NETS_OPENBLAS_TOKENS_TILE_H
#define NETS_OPENBLAS_TOKENS_TILE_H

#include <stddef.h>

enum { TILE = 32 };             /* queries of one tile at most */

/*
 * p <- softmax(scale p), 0 after each query's own key; lse[rows] <- what is to be subtracted to
 * find them again.
 */
void tile_softmax(size_t rows, size_t keys, size_t first, float scale, float *p, float *lse);

/* The same probabilities again. */
void tile_again(size_t rows, size_t keys, size_t first, float scale, const float *lse, float *p);

/* to[size][keys] <- from[keys][size], in rows of `width` floats. */
void tile_turn(size_t keys, size_t size, const float *from, size_t width, float *to);

/* p[n] *= mask[n] */
void tile_multiply(size_t n, const float *mask, float *p);

/* dp[rows][keys] <- scale p (dp - d[rows]) */
void tile_slope(size_t rows, size_t keys, float scale, const float *p, const float *d, float *dp);

/* d[rows] <- dO . O; rows of ld* floats, here and below. */
void tile_dots(size_t rows, size_t size, const float *dout, size_t ldd, const float *out,
	       size_t ldo, float *d);

/* c[rows][keys] <- x[rows][size] yt[size][keys] */
void tile_products(size_t rows, size_t keys, size_t size, const float *x, size_t ldx,
		   const float *yt, size_t ldy, float *c);

/* c[rows][size] <- (add: +=) p[rows][keys] y[keys][size] */
void tile_mix(size_t rows, size_t keys, size_t size, const float *p, const float *y, size_t ldy,
	      int add, float *c, size_t ldc);

/* c[keys][size] <- (add: +=) p[rows][keys]^T x[rows][size] */
void tile_spread(size_t rows, size_t keys, size_t size, const float *p, const float *x, size_t ldx,
		 int add, float *c, size_t ldc);

#endif

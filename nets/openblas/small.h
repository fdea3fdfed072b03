/*
 * small.h - products of matrices too small for the BLAS, whose calls cost more than they compute.
 *
 * Blocks of 8 x 32 of the result stay in registers. To be called in WIDE functions; each number of
 * the result is the sum over k in order, so the clones are bit-identical.
 */
#ifndef NETS_OPENBLAS_SMALL_H
#define NETS_OPENBLAS_SMALL_H

#include "nets/openblas/lanes.h"

enum { SMALL_ROWS = 8, SMALL_COLUMNS = 2 * LANES };

/* c[8][32] <- (add: +=) a b; a(i, k) = a[i * ia + k * ka], b[depth][32] with rows of ldb. */
LANES_INLINE void small_block(size_t depth, const float *a, size_t ia, size_t ka, const float *b,
			      size_t ldb, int add, float *c, size_t ldc)
{
	lanes_at s[SMALL_ROWS][2] = { { { 0 } } };

	for (size_t i = 0; add && i < SMALL_ROWS; i++) {
		s[i][0] = *(const lanes_at *)(c + i * ldc);
		s[i][1] = *(const lanes_at *)(c + i * ldc + LANES);
	}
	for (size_t k = 0; k < depth; k++, b += ldb) {
		const lanes_at left = *(const lanes_at *)b;
		const lanes_at right = *(const lanes_at *)(b + LANES);

		for (size_t i = 0; i < SMALL_ROWS; i++) {
			const float v = a[i * ia + k * ka];

			s[i][0] += left * v;
			s[i][1] += right * v;
		}
	}
	for (size_t i = 0; i < SMALL_ROWS; i++) {
		*(lanes_at *)(c + i * ldc) = s[i][0];
		*(lanes_at *)(c + i * ldc + LANES) = s[i][1];
	}
}

/* What blocks leave over. */
LANES_INLINE void small_rest(size_t rows, size_t columns, size_t depth, const float *a, size_t ia,
			     size_t ka, const float *b, size_t ldb, int add, float *c, size_t ldc)
{
	for (size_t i = 0; i < rows; i++) {
		for (size_t j = 0; !add && j < columns; j++)
			c[i * ldc + j] = 0.0f;
		for (size_t k = 0; k < depth; k++)
			for (size_t j = 0; j < columns; j++)
				c[i * ldc + j] += a[i * ia + k * ka] * b[k * ldb + j];
	}
}

/* c[rows][columns] <- (add: +=) a b; a(i, k) = a[i * ia + k * ka], b[depth][columns]. */
LANES_INLINE void small_product(size_t rows, size_t columns, size_t depth, const float *a,
				size_t ia, size_t ka, const float *b, size_t ldb, int add, float *c,
				size_t ldc)
{
	const size_t full = rows / SMALL_ROWS * SMALL_ROWS;
	const size_t wide = columns / SMALL_COLUMNS * SMALL_COLUMNS;

	for (size_t i = 0; i < full; i += SMALL_ROWS)
		for (size_t j = 0; j < wide; j += SMALL_COLUMNS)
			small_block(depth, a + i * ia, ia, ka, b + j, ldb, add, c + i * ldc + j,
				    ldc);
	if (wide < columns)
		small_rest(full, columns - wide, depth, a, ia, ka, b + wide, ldb, add, c + wide,
			   ldc);
	if (full < rows)
		small_rest(rows - full, columns, depth, a + full * ia, ia, ka, b, ldb, add,
			   c + full * ldc, ldc);
}

#endif

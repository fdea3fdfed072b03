/* matrix.h - products of matrices, by OpenBLAS on one thread. */
#ifndef CORE_MATH_MATRIX_H
#define CORE_MATH_MATRIX_H

#include <stdbool.h>
#include <stddef.h>

/* Limits OpenBLAS to one thread: parallel work is across gradients. */
void matrix_one_thread(void);

/*
 * Sets $OPENBLAS_CORETYPE, unless it is set, where the processor is newer than OpenBLAS, which then
 * chose the kernels of one without AVX: 0.3.21 does on Emerald Rapids, and is a quarter as fast.
 * Then loads OpenBLAS again or, where the program is linked with it, starts the program again. To
 * be called early in main(), with its argv.
 */
void matrix_kernels(char **argv);

/* to[columns][rows] <- the transpose of from[rows][columns], which does not overlap it. */
void matrix_transpose(size_t rows, size_t columns, const float *restrict from,
		      float *restrict to);

/*
 * c[m][n] <- alpha op(a) op(b) + beta c, where op(a) is [m][k] and op(b) [k][n]: a transposed if
 * ta, b transposed if tb. Rows lie lda, ldb and ldc floats apart. The sums' order depends on the
 * processor.
 */
void matrix_product(bool ta, bool tb, size_t m, size_t n, size_t k, float alpha, const float *a,
		    size_t lda, const float *b, size_t ldb, float beta, float *c, size_t ldc);

#endif

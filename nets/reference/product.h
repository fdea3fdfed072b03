/*
 * product.h - the reference's product of matrices, where nearly all of its time goes.
 */
#ifndef NETS_REFERENCE_PRODUCT_H
#define NETS_REFERENCE_PRODUCT_H

#include <stddef.h>

/* Element (i, j) is v[i * row + j * column]; so a transposed matrix has the two exchanged. */
struct matrix {
	const double *v;
	size_t row, column;
};

/*
 * c[i * width + j] += sum over k of a(i, k) b(k, j), for all i < rows and j < columns. Which sums
 * are rounded in which order depends on `depth` alone: the result is bit-identical on every
 * processor, and row i is the same whatever other rows there are.
 */
void reference_product(size_t rows, size_t columns, size_t depth, struct matrix a, struct matrix b,
		       double *c, size_t width);

/*
 * A layer whose outputs are y[rows][out] = x[rows][in] w[out][in]^T: what it adds to y, and what
 * dy adds to the gradients of its weights and, if dx is not NULL, of its inputs.
 */
struct linear {
	size_t rows, in, out;
	const double *w, *x, *dy;
	double *y, *dw, *dx;
	size_t y_row;                   /* from a row of y, and of dy, to the next */
};
void reference_linear_forward(const struct linear *l);
void reference_linear_backward(const struct linear *l);

#endif

/*
 * product.c - a product of matrices, block by block.
 *
 * A tile is ROWS rows of c by COLUMNS columns, whose sums stay in registers while k runs over a
 * part of the depth. The columns of b that a tile needs are copied to a panel, one row after the
 * other, which is used for as many rows of a as fit the second-level cache.
 */

#include "nets/reference/layers.h"

#include "core/math/wide.h"

#include <string.h>

enum { LANE = 4, LANES = 2, COLUMNS = LANE * LANES, ROWS = 6, DEPTH = 256, BAND = 252 };

typedef double lane __attribute__((vector_size(LANE * sizeof(double))));

struct panel {
	lane v[DEPTH][LANES];           /* columns beyond the last one are 0 */
};

struct tile {
	lane v[ROWS][LANES];
};

static size_t product_least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* sum <- rows a[r], whose elements are `step` apart, times the panel. */
WIDE static void product_tile(size_t depth, const double *const a[ROWS], size_t step,
			      const struct panel *b, struct tile *sum)
{
	struct tile s = { 0 };

	for (size_t k = 0; k < depth; k++)
		for (int r = 0; r < ROWS; r++)
			for (int l = 0; l < LANES; l++)
				s.v[r][l] += a[r][k * step] * b->v[k][l];
	*sum = s;
}

WIDE static void product_pack(struct matrix b, size_t columns, size_t depth, struct panel *to)
{
	double *v = (double *)to;

	if (columns < COLUMNS)
		memset(to, 0, sizeof(*to));
	for (size_t j = 0; j < columns; j++)
		for (size_t k = 0; k < depth; k++)
			v[k * COLUMNS + j] = b.v[k * b.row + j * b.column];
}

/* Up to COLUMNS columns of c, for rows first to end; c and a begin at row 0. */
static void product_band(size_t first, size_t end, size_t columns, size_t depth, struct matrix a,
			 const struct panel *b, double *c, size_t width)
{
	const double *rows[ROWS];
	struct tile sum;

	for (size_t i = first; i < end; i += ROWS) {
		for (size_t r = 0; r < ROWS; r++)       /* the last rows are repeated */
			rows[r] = a.v + product_least(i + r, end - 1) * a.row;
		product_tile(depth, rows, a.column, b, &sum);
		for (size_t r = 0; r < ROWS && i + r < end; r++)
			for (size_t j = 0; j < columns; j++)
				c[(i + r) * width + j] += sum.v[r][j / LANE][j % LANE];
	}
}

/* Adds the products of one part of the depth. */
static void product_part(size_t first, size_t end, size_t columns, size_t depth, struct matrix a,
			 struct matrix b, double *c, size_t width)
{
	struct panel panel;

	for (size_t j = 0; j < columns; j += COLUMNS) {
		const size_t n = product_least(COLUMNS, columns - j);
		const struct matrix from = { b.v + j * b.column, b.row, b.column };

		product_pack(from, n, depth, &panel);
		product_band(first, end, n, depth, a, &panel, c + j, width);
	}
}

void reference_product(size_t rows, size_t columns, size_t depth, struct matrix a, struct matrix b,
		       double *c, size_t width)
{
	for (size_t i = 0; i < rows; i += BAND)
		for (size_t k = 0; k < depth; k += DEPTH) {
			const struct matrix left = { a.v + k * a.column, a.row, a.column };
			const struct matrix right = { b.v + k * b.row, b.row, b.column };

			product_part(i, product_least(i + BAND, rows), columns,
				     product_least(DEPTH, depth - k), left, right, c, width);
		}
}

void reference_linear_forward(const struct linear *l)
{
	const struct matrix x = { l->x, l->in, 1 }, transposed = { l->w, 1, l->in };

	reference_product(l->rows, l->out, l->in, x, transposed, l->y, l->y_row);
}

void reference_linear_backward(const struct linear *l)
{
	const struct matrix x = { l->x, l->in, 1 }, w = { l->w, l->in, 1 };
	const struct matrix dy = { l->dy, l->y_row, 1 }, transposed = { l->dy, 1, l->y_row };

	reference_product(l->out, l->in, l->rows, transposed, x, l->dw, l->in);
	if (l->dx)
		reference_product(l->rows, l->in, l->out, dy, w, l->dx, l->in);
}

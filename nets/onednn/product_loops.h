/*
 * product_loops.h - product_loops(), product_compute() in registers of LANES floats, which copies
 * both factors; the includer defines LANES and BLOCK_TARGET (see block.h).
 */
#include "nets/onednn/product.h"

#include <string.h>

#define BLOCK_DEPTH 256
#define BLOCK_ADD(sum, x, v) LANES_OP(fmadd_ps)(x, v, sum)
#include "nets/onednn/block.h"

enum { B_COLUMNS = 512 };       /* most of a block of b */

_Static_assert(PRODUCT_BYTES >= 4 * (A_ELEMENTS + BLOCK_DEPTH * B_COLUMNS), "bytes of the copies");

/* to[rows][A_APART] <- a part of a; from: its first element */
static KERNEL void product_copy_a(const struct ob_product *p, size_t rows, size_t depth,
				  const float *from, float *to)
{
	size_t k = 0;

	if (!p->ta) {
		for (size_t i = 0; i < rows; i++)
			memcpy(to + i * A_APART, from + i * p->lda, depth * sizeof(*to));
		return;
	}
	for (; k + SQUARE <= depth; k += SQUARE)
		for (size_t i = 0; i < rows; i += SQUARE)
			square_turn(size_least(rows - i, SQUARE), from + k * p->lda + i, p->lda,
				    to + i * A_APART + k, A_APART);
	for (; k < depth; k++)
		for (size_t i = 0; i < rows; i++)
			to[i * A_APART + k] = from[k * p->lda + i];
}

/* to[columns / COLUMNS][depth][COLUMNS] <- a part of b, with 0 in columns beyond it */
static KERNEL void product_copy_b(const struct ob_product *p, size_t depth, size_t columns,
				  const float *from, float *to)
{
	for (size_t j = 0; j < columns; j += COLUMNS)
		for (size_t k = 0; k < depth; k++, to += COLUMNS) {
			const float *row = from + k * p->ldb + j;
			const size_t n = columns - j;

			if (n >= COLUMNS) {
				LANES_OP(storeu_ps)(to, LANES_OP(loadu_ps)(row));
				LANES_OP(storeu_ps)(to + VECTOR, LANES_OP(loadu_ps)(row + VECTOR));
			} else {
				memset(to, 0, COLUMNS * sizeof(*to));
				memcpy(to, row, n * sizeof(*to));
			}
		}
}

static void product_loops(const struct ob_product *p, float *work)
{
	const size_t rows = part_of(p->m, A_ROWS, 1), columns = part_of(p->n, B_COLUMNS, COLUMNS);
	const size_t depth = part_of(p->k, BLOCK_DEPTH, SQUARE);
	float *a = work, *b = work + A_ELEMENTS;

	for (size_t j = 0; j < p->n; j += columns)
		for (size_t k = 0; k < p->k; k += depth) {
			const size_t n = size_least(p->n - j, columns);
			const size_t deep = size_least(p->k - k, depth);

			product_copy_b(p, deep, n, p->b + k * p->ldb + j, b);
			for (size_t i = 0; i < p->m; i += rows) {
				const size_t m = size_least(p->m - i, rows);

				product_copy_a(p, m, deep,
					       p->a + (p->ta ? k * p->lda + i : i * p->lda + k), a);
				product_blocks(m, n, deep, a, b, deep, p->beta != 0.0f || k,
					       p->c + i * p->ldc + j, p->ldc);
			}
		}
}


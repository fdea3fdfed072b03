/*
 * block.h - products of copied factors in registers of LANES floats, or of as many pairs of bf16.
 *
 * An element is a float, or a pair of bf16 that follow each other in k; both have 4 bytes. a is
 * copied into rows of A_APART elements, b into panels of COLUMNS columns, whose rows follow each
 * other. A kernel for each number of rows keeps ROWS x COLUMNS sums in registers, and fetches the
 * next parts of b and c early.
 *
 * Before it is included: LANES, 16 with AVX-512 and 8 with AVX2; BLOCK_TARGET, the instructions;
 * BLOCK_DEPTH, most elements of a row of a; BLOCK_ADD(sum, x, v): sum + x v.
 */
#include "nets/onednn/simd/turn.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	VECTOR = LANES,         /* elements of a register */
	ROWS = LANES == 16 ? 14 : 6, COLUMNS = 2 * VECTOR,      /* of a block of c in registers */
	LINE = 16,              /* elements of a line of the cache */
	A_ROWS = 264,           /* most of a block of a */
	B_AHEAD = 12,           /* rows of b that are fetched early */
	A_APART = BLOCK_DEPTH + 16      /* elements from row to row of a: no large power of two */
};

/* Elements of a's copy: transposing fills whole squares. */
enum { A_ELEMENTS = A_APART * (A_ROWS + SQUARE) };

#define KERNEL __attribute__((target(BLOCK_TARGET)))
#define INSIDE static inline __attribute__((always_inline, target(BLOCK_TARGET)))

/* c[rows][COLUMNS, or as many as the masks have] <- (or +=) a[rows][depth] b[depth][COLUMNS] */
INSIDE void product_block(size_t rows, size_t depth, const float *a, const float *b,
			  const LANES_MASK mask[2], bool adds, float *c, size_t ldc)
{
	lanes left[ROWS], right[ROWS];

#pragma GCC unroll 14
	for (size_t i = 0; i < rows; i++) {
		left[i] = LANES_OP(setzero_ps)();
		right[i] = LANES_OP(setzero_ps)();
		if (adds) {
			left[i] = lanes_read(mask[0], c + i * ldc);
			right[i] = lanes_read(mask[1], c + i * ldc + VECTOR);
		}
	}
#pragma GCC unroll 14
	for (size_t i = 0; i < rows; i++) {
		__builtin_prefetch(c + i * ldc + COLUMNS);
		__builtin_prefetch(c + i * ldc + 2 * COLUMNS - 1);
	}
	for (size_t k = 0; k < depth; k++, b += COLUMNS) {
		const lanes u = LANES_OP(loadu_ps)(b), v = LANES_OP(loadu_ps)(b + VECTOR);

		for (size_t line = 0; line < COLUMNS; line += LINE)
			__builtin_prefetch(b + B_AHEAD * COLUMNS + line);
#pragma GCC unroll 14
		for (size_t i = 0; i < rows; i++) {
			const lanes x = LANES_OP(set1_ps)(a[i * A_APART + k]);

			left[i] = BLOCK_ADD(left[i], x, u);
			right[i] = BLOCK_ADD(right[i], x, v);
		}
	}
#pragma GCC unroll 14
	for (size_t i = 0; i < rows; i++) {
		lanes_write(c + i * ldc, mask[0], left[i]);
		lanes_write(c + i * ldc + VECTOR, mask[1], right[i]);
	}
}

typedef void product_kernel(size_t depth, const float *a, const float *b, const LANES_MASK mask[2],
			    bool adds, float *c, size_t ldc);

#if LANES == 16
#define PRODUCT_ROWS(DO) \
	DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14)
#else
#define PRODUCT_ROWS(DO) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6)
#endif
#define PRODUCT_KERNEL(rows) \
	static KERNEL void product_rows_##rows(size_t depth, const float *a, const float *b, \
					       const LANES_MASK mask[2], bool adds, float *c, \
					       size_t ldc) \
	{ \
		product_block(rows, depth, a, b, mask, adds, c, ldc); \
	}
PRODUCT_ROWS(PRODUCT_KERNEL)

#define PRODUCT_ENTRY(rows) [rows] = product_rows_##rows,
static product_kernel *const kernels[ROWS + 1] = { PRODUCT_ROWS(PRODUCT_ENTRY) };

/* c[rows][columns] <- (or +=) the product of two copies; a panel of b has b_depth rows. */
static KERNEL void product_blocks(size_t rows, size_t columns, size_t depth, const float *a,
				  const float *b, size_t b_depth, bool adds, float *c, size_t ldc)
{
	const size_t blocks = (rows + ROWS - 1) / ROWS;

	for (size_t k = 0; k < blocks; k++) {
		const size_t first = rows * k / blocks, n = rows * (k + 1) / blocks - first;

		for (size_t j = 0; j < columns; j += COLUMNS) {
			const size_t left = columns - j;
			const LANES_MASK mask[2] = {
				lanes_first(left), lanes_first(left > VECTOR ? left - VECTOR : 0)
			};

			kernels[n](depth, a + first * A_APART, b + j * b_depth, mask, adds,
				   c + first * ldc + j, ldc);
		}
	}
}

/* Length of equal parts of n, of at most `most`, in multiples of `of`. */
static size_t part_of(size_t n, size_t most, size_t of)
{
	const size_t parts = (n + most - 1) / most, each = (n + parts - 1) / parts;

	return (each + of - 1) / of * of;
}

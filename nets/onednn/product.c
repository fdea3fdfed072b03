/*
 * product.c - products of f32 matrices on one thread, by AVX-512.
 *
 * Both factors are copied in blocks: a into rows of A_APART floats, b into panels
 * of COLUMNS columns, whose rows follow each other. A kernel for each number of rows keeps
 * ROWS x COLUMNS sums in registers, and fetches the next part of c early.
 */
#include "nets/onednn/product.h"

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include "nets/onednn/simd/turn.h"

enum {
	VECTOR = 16,            /* floats of a register */
	ROWS = 14, COLUMNS = 2 * VECTOR,        /* of a block of c in registers */
	A_ROWS = 264, B_COLUMNS = 512, DEPTH = 256,     /* most of a block of a, of b, of both */
	A_APART = DEPTH + 16    /* floats from row to row of a's copy: no large power of two */
};

/* Transposing fills whole squares. */
enum { A_FLOATS = A_APART * (A_ROWS + SQUARE), B_FLOATS = DEPTH * B_COLUMNS };
_Static_assert(PRODUCT_BYTES == 4 * (A_FLOATS + B_FLOATS), "bytes of the copies");

#define KERNEL __attribute__((target("avx512f")))
#define INSIDE static inline __attribute__((always_inline, target("avx512f")))

/* c[rows][COLUMNS, or as many as the masks have] <- (or +=) a[rows][depth] b[depth][COLUMNS] */
INSIDE void product_block(size_t rows, size_t depth, const float *a, const float *b,
			  const __mmask16 mask[2], bool adds, float *c, size_t ldc)
{
	__m512 left[ROWS], right[ROWS];

#pragma GCC unroll 14
	for (size_t i = 0; i < rows; i++) {
		left[i] = _mm512_setzero_ps();
		right[i] = _mm512_setzero_ps();
		if (adds) {
			left[i] = _mm512_maskz_loadu_ps(mask[0], c + i * ldc);
			right[i] = _mm512_maskz_loadu_ps(mask[1], c + i * ldc + VECTOR);
		}
	}
#pragma GCC unroll 14
	for (size_t i = 0; i < rows; i++) {
		__builtin_prefetch(c + (rows + i) * ldc);
		__builtin_prefetch(c + (rows + i) * ldc + COLUMNS - 1);
	}
	for (size_t k = 0; k < depth; k++, b += COLUMNS) {
		const __m512 u = _mm512_loadu_ps(b), v = _mm512_loadu_ps(b + VECTOR);

#pragma GCC unroll 14
		for (size_t i = 0; i < rows; i++) {
			const __m512 x = _mm512_set1_ps(a[i * A_APART + k]);

			left[i] = _mm512_fmadd_ps(x, u, left[i]);
			right[i] = _mm512_fmadd_ps(x, v, right[i]);
		}
	}
#pragma GCC unroll 14
	for (size_t i = 0; i < rows; i++) {
		_mm512_mask_storeu_ps(c + i * ldc, mask[0], left[i]);
		_mm512_mask_storeu_ps(c + i * ldc + VECTOR, mask[1], right[i]);
	}
}

typedef void product_kernel(size_t depth, const float *a, const float *b, const __mmask16 mask[2],
			    bool adds, float *c, size_t ldc);

#define PRODUCT_ROWS(DO) \
	DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14)
#define PRODUCT_KERNEL(rows) \
	static KERNEL void product_rows_##rows(size_t depth, const float *a, const float *b, \
					       const __mmask16 mask[2], bool adds, float *c, \
					       size_t ldc) \
	{ \
		product_block(rows, depth, a, b, mask, adds, c, ldc); \
	}
PRODUCT_ROWS(PRODUCT_KERNEL)

#define PRODUCT_ENTRY(rows) [rows] = product_rows_##rows,
static product_kernel *const kernels[ROWS + 1] = { PRODUCT_ROWS(PRODUCT_ENTRY) };

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
				_mm512_storeu_ps(to, _mm512_loadu_ps(row));
				_mm512_storeu_ps(to + VECTOR, _mm512_loadu_ps(row + VECTOR));
			} else {
				memset(to, 0, COLUMNS * sizeof(*to));
				memcpy(to, row, n * sizeof(*to));
			}
		}
}

/* c[rows][columns] <- (or +=) the product of two copies */
static KERNEL void product_blocks(size_t rows, size_t columns, size_t depth, const float *a,
				  const float *b, bool adds, float *c, size_t ldc)
{
	const size_t blocks = (rows + ROWS - 1) / ROWS;

	for (size_t j = 0; j < columns; j += COLUMNS, b += depth * COLUMNS) {
		const uint32_t all = (uint32_t)((1ull << size_least(columns - j, COLUMNS)) - 1);
		const __mmask16 mask[2] = { (__mmask16)all, (__mmask16)(all >> VECTOR) };

		for (size_t k = 0; k < blocks; k++) {
			const size_t first = rows * k / blocks, n = rows * (k + 1) / blocks - first;

			kernels[n](depth, a + first * A_APART, b, mask, adds, c + first * ldc + j,
				   ldc);
		}
	}
}

/* Length of equal parts of n, of at most `most`, in multiples of `of`. */
static size_t part_of(size_t n, size_t most, size_t of)
{
	const size_t parts = (n + most - 1) / most, each = (n + parts - 1) / parts;

	return (each + of - 1) / of * of;
}

void product_compute(const struct ob_product *p, float *work)
{
	const size_t rows = part_of(p->m, A_ROWS, 1), columns = part_of(p->n, B_COLUMNS, COLUMNS);
	const size_t depth = part_of(p->k, DEPTH, SQUARE);
	float *a = work, *b = work + A_FLOATS;

	for (size_t j = 0; j < p->n; j += columns)
		for (size_t k = 0; k < p->k; k += depth) {
			const size_t n = size_least(p->n - j, columns);
			const size_t deep = size_least(p->k - k, depth);

			product_copy_b(p, deep, n, p->b + k * p->ldb + j, b);
			for (size_t i = 0; i < p->m; i += rows) {
				const size_t m = size_least(p->m - i, rows);

				product_copy_a(p, m, deep,
					       p->a + (p->ta ? k * p->lda + i : i * p->lda + k), a);
				product_blocks(m, n, deep, a, b, p->beta != 0.0f || k,
					       p->c + i * p->ldc + j, p->ldc);
			}
		}
}

/* Least product of k and the largest power of two that divides ldb with which oneDNN is slower. */
enum { ALIASES = 224 * 1024, LEAST_COLUMNS = 256, LEAST_ROWS = 32 };

bool product_is_ours(const struct ob_product *p)
{
	const size_t power = p->ldb & (~p->ldb + 1);

	return !p->tb && p->ldb != power && p->k >= ALIASES / power && p->n >= LEAST_COLUMNS
		&& p->m >= LEAST_ROWS && __builtin_cpu_supports("avx512f");
}
#else
bool product_is_ours(const struct ob_product *p)
{
	(void)p;
	return false;
}

void product_compute(const struct ob_product *p, float *work)
{
	(void)p;
	(void)work;
}
#endif

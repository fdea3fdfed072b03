/*
 * product_bf16.c - products of matrices in bf16 on one thread, by vdpbf16ps.
 *
 * Factors are in f32 and rounded while they are copied in blocks of pairs. A pair has two numbers
 * that follow each other in k; the last number of an odd k is followed by 0. Copying fetches early
 * what it reads next: that comes from memory more often than from the cache.
 */
#include "nets/onednn/product.h"

#if defined(__x86_64__)
#define LANES 16
#define BLOCK_DEPTH 384
#define BLOCK_TARGET "avx512f,avx512bw,avx512bf16"
#define BLOCK_ADD(sum, x, v) _mm512_dpbf16_ps(sum, (__m512bh)(x), (__m512bh)(v))
#include "nets/onednn/block.h"

enum {
	DEEP = 2 * SQUARE,      /* numbers of a row of pairs in a square */
	B_COLUMNS = 8 * COLUMNS,        /* of b that are multiplied, or copied, together */
	B_ELEMENTS = 128 * 1024 /* most of a copy of b */
};

_Static_assert(PRODUCT_BF16_BYTES == 4 * (A_ELEMENTS + B_ELEMENTS), "bytes of the copies");

/* Bits of the first n numbers of two registers; n may be any number. */
static inline uint32_t bits_below(size_t n)
{
	return (uint32_t)((1ull << size_least(n, DEEP)) - 1);
}

/* Pairs of the first n of DEEP numbers of a row; 0 follows. */
INSIDE __m512 pairs_of_row(const float *x, size_t n)
{
	const uint32_t mask = bits_below(n);

	return (__m512)_mm512_cvtne2ps_pbh(
		_mm512_maskz_loadu_ps((__mmask16)(mask >> VECTOR), x + VECTOR),
		_mm512_maskz_loadu_ps((__mmask16)mask, x));
}

/* Pairs of the first n of VECTOR numbers of two rows, of which `rows` are there; 0 follows. */
INSIDE __m512 pairs_of_rows(const float *x, size_t apart, size_t rows, size_t n)
{
	const __m512i order = _mm512_set_epi16(
		31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8,
		23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
	const __mmask16 first = (__mmask16)bits_below(n), second = rows > 1 ? first : 0;

	return (__m512)_mm512_permutexvar_epi16(
		order, (__m512i)_mm512_cvtne2ps_pbh(_mm512_maskz_loadu_ps(second, x + apart),
						    _mm512_maskz_loadu_ps(first, x)));
}

/* A square of pairs before it is transposed. */
struct square {
	_Alignas(64) float v[SQUARE * SQUARE];
};

/* to[rows][A_APART] <- pairs of a[rows][deep] */
static KERNEL void copy_a(size_t rows, size_t deep, const float *a, size_t lda, float *to)
{
	for (size_t i = 0; i < rows; i++, a += lda, to += A_APART)
		for (size_t k = 0; k < deep; k += DEEP) {
			__builtin_prefetch(a + 2 * lda + k);
			__builtin_prefetch(a + 2 * lda + k + VECTOR);
			_mm512_storeu_ps(to + k / 2, pairs_of_row(a + k, deep - k));
		}
}

/* copy_a() of a stored [deep][rows] */
static KERNEL void copy_a_turned(size_t rows, size_t deep, const float *a, size_t lda, float *to)
{
	struct square s;

	for (size_t k = 0; k < deep; k += DEEP, a += DEEP * lda)
		for (size_t i = 0; i < rows; i += SQUARE) {
			const size_t next = i + 3 * SQUARE;

			for (size_t r = 0; r < DEEP; r++)
				__builtin_prefetch(a + (next < rows ? r : r + DEEP) * lda
						   + (next < rows ? next : next - rows));
			for (size_t r = 0; r < DEEP && k + r < deep; r += 2)
				_mm512_store_ps(s.v + r / 2 * SQUARE,
						pairs_of_rows(a + r * lda + i, lda, deep - k - r,
							      rows - i));
			square_turn(size_least(rows - i, SQUARE), s.v, SQUARE,
				    to + i * A_APART + k / 2, A_APART);
		}
}

/* to[n / COLUMNS][all][COLUMNS] <- pairs of b[deep][n] in the first rows of each panel */
static KERNEL void copy_b(size_t n, size_t deep, const float *b, size_t ldb, size_t all, float *to)
{
	for (size_t first = 0; first < n; first += B_COLUMNS)
		for (size_t k = 0; k < deep; k += 2)
			for (size_t j = first; j < size_least(n, first + B_COLUMNS); j += COLUMNS) {
				const float *from = b + k * ldb + j;
				float *at = to + j * all + k / 2 * COLUMNS;

				for (size_t r = 0; r < 2; r++) {
					__builtin_prefetch(from + (DEEP + r) * ldb);
					__builtin_prefetch(from + (DEEP + r) * ldb + VECTOR);
				}
				_mm512_storeu_ps(at, pairs_of_rows(from, ldb, deep - k, n - j));
				_mm512_storeu_ps(at + VECTOR,
						 pairs_of_rows(from + VECTOR, ldb, deep - k,
							       n - j > VECTOR ? n - j - VECTOR
									      : 0));
			}
}

/* copy_b() of b stored [n][deep] */
static KERNEL void copy_b_turned(size_t n, size_t deep, const float *b, size_t ldb, size_t all,
				 float *to)
{
	const size_t whole = (n + COLUMNS - 1) / COLUMNS * COLUMNS;
	struct square s;

	for (size_t j = 0; j < whole; j += SQUARE, b += SQUARE * ldb)
		for (size_t k = 0; k < deep; k += DEEP) {
			const size_t next = k + 8 * DEEP;
			const float *ahead =
				next < deep ? b + next : b + SQUARE * ldb + next - deep;

			for (size_t i = 0; i < SQUARE; i++) {
				__builtin_prefetch(ahead + i * ldb);
				__builtin_prefetch(ahead + i * ldb + VECTOR);
				_mm512_store_ps(s.v + i * SQUARE,
						j + i < n ? pairs_of_row(b + i * ldb + k, deep - k)
							  : _mm512_setzero_ps());
			}
			square_turn(size_least((deep - k + 1) / 2, SQUARE), s.v, SQUARE,
				    to + j / COLUMNS * COLUMNS * all + j % COLUMNS
					    + k / 2 * COLUMNS, COLUMNS);
		}
}

/*
 * c[m][columns] <- (or +=) the terms k to k + deep of a product's sums; b: their rows, packed with
 * `pairs` rows in a panel.
 */
static void product_part(const struct ob_product *p, size_t columns, size_t k, size_t deep,
			 const float *b, size_t pairs, float *c, float *work)
{
	const size_t rows = part_of(p->m, A_ROWS, 1);

	for (size_t i = 0; i < p->m; i += rows) {
		const size_t m = size_least(p->m - i, rows);

		if (p->ta)
			copy_a_turned(m, deep, p->a + k * p->lda + i, p->lda, work);
		else
			copy_a(m, deep, p->a + i * p->lda + k, p->lda, work);
		for (size_t j = 0; j < columns; j += B_COLUMNS)
			product_blocks(m, size_least(columns - j, B_COLUMNS), (deep + 1) / 2, work,
				       b + j * pairs, pairs, p->beta != 0.0f || k,
				       c + i * p->ldc + j, p->ldc);
	}
}

static size_t packed_floats(size_t n, size_t pairs)
{
	return (n + COLUMNS - 1) / COLUMNS * COLUMNS * pairs;
}

static void packed_make(bool tb, size_t n, size_t k, const float *b, size_t ldb, size_t pairs,
			float *to)
{
	(tb ? copy_b_turned : copy_b)(n, k, b, ldb, pairs, to);
}

/* Most numbers of a sum whose copies fit the cache. */
static size_t product_depth(const struct ob_product *p)
{
	return 2 * part_of((p->k + 1) / 2, BLOCK_DEPTH, SQUARE);
}

static void packed_multiply(const struct ob_product *p, float *work)
{
	const size_t depth = product_depth(p);

	for (size_t k = 0; k < p->k; k += depth)
		product_part(p, p->n, k, size_least(p->k - k, depth), p->b + k / 2 * COLUMNS,
			     p->ldb, p->c, work);
}

void product_bf16_compute(const struct ob_product *p, float *work)
{
	const size_t depth = product_depth(p);
	const size_t columns = part_of(p->n, B_ELEMENTS / (depth / 2) / COLUMNS * COLUMNS, COLUMNS);
	float *b = work + A_ELEMENTS;

	for (size_t j = 0; j < p->n; j += columns)
		for (size_t k = 0; k < p->k; k += depth) {
			const size_t n = size_least(p->n - j, columns);
			const size_t deep = size_least(p->k - k, depth);

			packed_make(p->tb, n, deep,
				    p->b + (p->tb ? j * p->ldb + k : k * p->ldb + j), p->ldb,
				    (deep + 1) / 2, b);
			product_part(p, n, k, deep, b, (deep + 1) / 2, p->c + j, work);
		}
}

const struct ob_packed *product_bf16(void)
{
	static const struct ob_packed packed = {
		.work = A_ELEMENTS, .columns = COLUMNS, .floats = packed_floats,
		.make = packed_make, .multiply = packed_multiply,
	};

	return __builtin_cpu_supports("avx512bf16") ? &packed : NULL;
}
#else
void product_bf16_compute(const struct ob_product *p, float *work)
{
	(void)p;
	(void)work;
}

const struct ob_packed *product_bf16(void)
{
	return NULL;
}
#endif

/*
 * gemm.c - products of matrices, their rate, and sums for each channel over rows.
 *
 * Blocks of BLOCK rows are added in float, channel by channel, and the blocks in double: fast,
 * accurate, and in an order that does not depend on the processor.
 */
#include "nets/openblas/openblas.h"

#include "core/math/blas_library.h"
#include "core/math/matrix.h"
#include "core/math/wide.h"

#include <stdlib.h>
#include <string.h>

void ob_gemm(bool ta, bool tb, size_t m, size_t n, size_t k, const float *a, size_t lda,
	     const float *b, size_t ldb, float beta, float *c, size_t ldc)
{
	matrix_product(ta, tb, m, n, k, 1.0f, a, lda, b, ldb, beta, c, ldc);
}

void ob_multiply(const struct ob *c, const struct ob_part *p, bool ta, bool tb, size_t m, size_t n,
		 size_t k, const float *a, size_t lda, const float *b, size_t ldb, float beta,
		 float *to, size_t ldc)
{
	const struct ob_product product = { ta, tb, m, n, k, a, lda, b, ldb, beta, to, ldc };

	if (c->products)
		c->products->multiply(c->by, p->lane, &product);
	else
		ob_gemm(ta, tb, m, n, k, a, lda, b, ldb, beta, to, ldc);
}

void ob_threads(int threads)
{
	openblas_set_num_threads(threads);
}

const char *ob_kernels(void)
{
	return openblas_get_corename();
}

const char *ob_version(void)
{
	return openblas_get_config();
}

/* ---- sums over rows of channels ---- */

enum { BLOCK = 64, LANES = 64 };        /* rows; channels handled at once */

static void rows_flush(size_t lanes, const float *part, double *sum)
{
	for (size_t k = 0; k < lanes; k++)
		sum[k] += (double)part[k];
}

WIDE static void block_sum(size_t rows, size_t c, size_t lanes, const float *x, float *s)
{
	for (size_t r = 0; r < rows; r++, x += c)
		for (size_t k = 0; k < lanes; k++)
			s[k] += x[k];
}

WIDE static void block_square(size_t rows, size_t c, size_t lanes, const float *x,
			      const float *mean, float *s)
{
	for (size_t r = 0; r < rows; r++, x += c)
		for (size_t k = 0; k < lanes; k++)
			s[k] += (x[k] - mean[k]) * (x[k] - mean[k]);
}

WIDE static void block_dot(size_t rows, size_t c, size_t lanes, const float *x,
			   const float *mean, const float *dy, float *s, float *d)
{
	for (size_t r = 0; r < rows; r++, x += c, dy += c)
		for (size_t k = 0; k < lanes; k++) {
			s[k] += dy[k];
			d[k] += dy[k] * (x[k] - mean[k]);
		}
}

WIDE void ob_add_into(size_t n, const float *x, float *y)
{
	for (size_t k = 0; k < n; k++)
		y[k] += x[k];
}

void ob_sum(size_t rows, size_t c, const float *x, double *sum)
{
	memset(sum, 0, c * sizeof(*sum));
	for (size_t r = 0; r < rows; r += BLOCK)
		for (size_t k = 0; k < c; k += LANES) {
			float s[LANES] = { 0 };

			block_sum(size_least(BLOCK, rows - r), c,
				  size_least(LANES, c - k), x + r * c + k, s);
			rows_flush(size_least(LANES, c - k), s, sum + k);
		}
}

void ob_square(size_t rows, size_t c, const float *x, const float *mean, double *sum)
{
	memset(sum, 0, c * sizeof(*sum));
	for (size_t r = 0; r < rows; r += BLOCK)
		for (size_t k = 0; k < c; k += LANES) {
			float s[LANES] = { 0 };

			block_square(size_least(BLOCK, rows - r), c,
				     size_least(LANES, c - k), x + r * c + k, mean + k, s);
			rows_flush(size_least(LANES, c - k), s, sum + k);
		}
}

void ob_dot(size_t rows, size_t c, const float *x, const float *mean, const float *dy,
	    double *sum, double *dot)
{
	memset(sum, 0, c * sizeof(*sum));
	memset(dot, 0, c * sizeof(*dot));
	for (size_t r = 0; r < rows; r += BLOCK)
		for (size_t k = 0; k < c; k += LANES) {
			size_t lanes = size_least(LANES, c - k), at = r * c + k;
			float s[LANES] = { 0 }, d[LANES] = { 0 };

			block_dot(size_least(BLOCK, rows - r), c, lanes, x + at, mean + k,
				  dy + at, s, d);
			rows_flush(lanes, s, sum + k);
			rows_flush(lanes, d, dot + k);
		}
}

WIDE void ob_scale(size_t rows, size_t c, const float *x, const float *mean, const float *a,
		   const float *b, float *y)
{
	for (size_t r = 0; r < rows; r++, x += c, y += c)
		for (size_t k = 0; k < c; k++)
			y[k] = (x[k] - mean[k]) * a[k] + b[k];
}

WIDE void ob_spread(size_t rows, size_t c, const float *x, const float *mean, const float *dy,
		    const float *a, const float *b, const float *o, bool add, float *dx)
{
	for (size_t r = 0; r < rows; r++, x += c, dy += c, dx += c)
		for (size_t k = 0; k < c; k++) {
			float d = dy[k] * a[k] + (x[k] - mean[k]) * b[k] + o[k];

			dx[k] = add ? dx[k] + d : d;
		}
}

/* ---- the rate of a large product ---- */

struct peak_product {
	float *a, *b, *c;       /* [PEAK_SIDE][PEAK_SIDE] */
};

static void peak_multiply(void *arg)
{
	const struct peak_product *p = arg;

	ob_gemm(false, false, PEAK_SIDE, PEAK_SIDE, PEAK_SIDE, p->a, PEAK_SIDE, p->b, PEAK_SIDE,
		0, p->c, PEAK_SIDE);
}

double openblas_peak(enum precision precision)
{
	const size_t n = (size_t)PEAK_SIDE * PEAK_SIDE;
	struct peak_product p;
	double rate;

	if (precision != PRECISION_F32)
		return 0;
	matrix_one_thread();
	p = (struct peak_product){ peak_matrix(n), peak_matrix(n), vec_new(n) };
	rate = peak_measure(peak_multiply, &p);
	free(p.a);
	free(p.b);
	free(p.c);
	return rate;
}

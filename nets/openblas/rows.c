/*
 * rows.c - sums per channel over the rows of x[rows][c].
 *
 * Blocks of BLOCK rows are summed in float, channel by channel, and the blocks in
 * double: fast, accurate, and in an order that does not depend on the processor.
 */
#include "core/math/wide.h"
#include "nets/openblas/openblas.h"

#include <string.h>

enum { BLOCK = 64, LANES = 64 };        /* rows; channels handled at once */

static size_t openblas_rows_least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static void openblas_rows_flush(size_t lanes, const float *part, double *sum)
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

			block_sum(openblas_rows_least(BLOCK, rows - r), c,
				  openblas_rows_least(LANES, c - k), x + r * c + k, s);
			openblas_rows_flush(openblas_rows_least(LANES, c - k), s, sum + k);
		}
}

void ob_square(size_t rows, size_t c, const float *x, const float *mean, double *sum)
{
	memset(sum, 0, c * sizeof(*sum));
	for (size_t r = 0; r < rows; r += BLOCK)
		for (size_t k = 0; k < c; k += LANES) {
			float s[LANES] = { 0 };

			block_square(openblas_rows_least(BLOCK, rows - r), c,
				     openblas_rows_least(LANES, c - k), x + r * c + k, mean + k, s);
			openblas_rows_flush(openblas_rows_least(LANES, c - k), s, sum + k);
		}
}

void ob_dot(size_t rows, size_t c, const float *x, const float *mean, const float *dy,
	    double *sum, double *dot)
{
	memset(sum, 0, c * sizeof(*sum));
	memset(dot, 0, c * sizeof(*dot));
	for (size_t r = 0; r < rows; r += BLOCK)
		for (size_t k = 0; k < c; k += LANES) {
			size_t lanes = openblas_rows_least(LANES, c - k), at = r * c + k;
			float s[LANES] = { 0 }, d[LANES] = { 0 };

			block_dot(openblas_rows_least(BLOCK, rows - r), c, lanes, x + at, mean + k,
				  dy + at, s, d);
			openblas_rows_flush(lanes, s, sum + k);
			openblas_rows_flush(lanes, d, dot + k);
		}
}

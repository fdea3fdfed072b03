/* The discrete cosine transform of squares. */
#include "algos/common/dct.h"

#include "core/math/wide.h"

#include <math.h>
#include <string.h>

size_t dct_floats(size_t side)
{
	return 2 * side * side;
}

void dct_basis(size_t side, float *basis)
{
	const double pi = acos(-1.0), n = (double)side;
	float *transpose = basis + side * side;

	for (size_t k = 0; k < side; k++)
		for (size_t i = 0; i < side; i++) {
			const double wave = cos(pi * (double)k * ((double)i + 0.5) / n);

			basis[k * side + i] = (float)(sqrt((k ? 2.0 : 1.0) / n) * wave);
			transpose[i * side + k] = basis[k * side + i];
		}
}

/* c <- a b, of squares; c is neither of them. */
WIDE static void dct_multiply(size_t n, const float *a, const float *b, float *c)
{
	memset(c, 0, n * n * sizeof(*c));
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++)
			for (size_t j = 0; j < n; j++)
				c[i * n + j] += a[i * n + k] * b[k * n + j];
}

void dct_forward(size_t side, const float *basis, float *a, float *half)
{
	dct_multiply(side, a, basis + side * side, half);
	dct_multiply(side, basis, half, a);
}

void dct_back(size_t side, const float *basis, float *a, float *half)
{
	dct_multiply(side, a, basis, half);
	dct_multiply(side, basis + side * side, half, a);
}

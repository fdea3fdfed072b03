/* tile.c - see tile.h. */
#include "nets/openblas/tokens/tile.h"

#include "core/math/wide.h"
#include "nets/openblas/lanes.h"
#include "nets/openblas/small.h"
#include "nets/openblas/vmath.h"

#include <math.h>

/*
 * Whole vectors of a row that has n of `keys`: the rest of the last one is made so small that its
 * exponential is 1.6e-38, which changes no sum with a row's largest, 1; it becomes 0 afterwards.
 */
static inline size_t tile_pad(size_t n, size_t keys, float *p)
{
	const size_t whole = (n + LANES - 1) / LANES * LANES;

	if (whole > keys)
		return n;
	for (size_t k = n; k < whole; k++)
		p[k] = -1e30f;
	return whole;
}

/* p[n] <- exp(scale (p - most)); their sum. */
static inline float tile_exp(size_t n, float scale, float most, float *p)
{
	float s[LANES] = { 0 };
	size_t k = 0;

	for (; k + LANES <= n; k += LANES)
		for (size_t j = 0; j < LANES; j++) {
			p[k + j] = vexp(scale * (p[k + j] - most));
			s[j] += p[k + j];
		}
	for (size_t j = 0; k + j < n; j++) {
		p[k + j] = vexp(scale * (p[k + j] - most));
		s[j] += p[k + j];
	}
	return lanes_sum(s);
}

WIDE void tile_softmax(size_t rows, size_t keys, size_t first, float scale, float *p,
				   float *lse)
{
	for (size_t r = 0; r < rows; r++, p += keys) {
		const size_t n = first + r + 1;
		const size_t whole = tile_pad(n, keys, p);
		const float most = lanes_most(whole, p);
		const float sum = tile_exp(whole, scale, most, p);

		for (size_t k = 0; k < whole; k++)
			p[k] *= 1.0f / sum;
		for (size_t k = n; k < keys; k++)
			p[k] = 0.0f;
		lse[r] = scale * most + logf(sum);
	}
}

WIDE void tile_again(size_t rows, size_t keys, size_t first, float scale,
				 const float *lse, float *p)
{
	for (size_t r = 0; r < rows; r++, p += keys) {
		const size_t n = first + r + 1;

		const size_t whole = tile_pad(n, keys, p);

		for (size_t k = 0; k < whole; k++)
			p[k] = vexp(scale * p[k] - lse[r]);
		for (size_t k = n; k < keys; k++)
			p[k] = 0.0f;
	}
}

WIDE void tile_multiply(size_t n, const float *mask, float *p)
{
	for (size_t k = 0; k < n; k++)
		p[k] *= mask[k];
}

WIDE void tile_slope(size_t rows, size_t keys, float scale, const float *p,
				 const float *d, float *dp)
{
	for (size_t r = 0; r < rows; r++, p += keys, dp += keys)
		for (size_t k = 0; k < keys; k++)
			dp[k] = scale * (p[k] * (dp[k] - d[r]));
}

static inline float tile_dot(size_t n, const float *a, const float *b)
{
	float s[LANES] = { 0 };
	size_t k = 0;

	for (; k + LANES <= n; k += LANES)
		for (size_t j = 0; j < LANES; j++)
			s[j] += a[k + j] * b[k + j];
	for (size_t j = 0; k + j < n; j++)
		s[j] += a[k + j] * b[k + j];
	return lanes_sum(s);
}

WIDE void tile_dots(size_t rows, size_t size, const float *dout, size_t ldd, const float *out,
		    size_t ldo, float *d)
{
	for (size_t r = 0; r < rows; r++)
		d[r] = tile_dot(size, dout + r * ldd, out + r * ldo);
}

WIDE void tile_products(size_t rows, size_t keys, size_t size, const float *x, size_t ldx,
			const float *yt, size_t ldy, float *c)
{
	small_product(rows, keys, size, x, ldx, 1, yt, ldy, 0, c, keys);
}

WIDE void tile_mix(size_t rows, size_t keys, size_t size, const float *p, const float *y,
		   size_t ldy, int add, float *c, size_t ldc)
{
	small_product(rows, size, keys, p, keys, 1, y, ldy, add, c, ldc);
}

WIDE void tile_spread(size_t rows, size_t keys, size_t size, const float *p, const float *x,
		      size_t ldx, int add, float *c, size_t ldc)
{
	small_product(keys, size, rows, p, 1, keys, x, ldx, add, c, ldc);
}

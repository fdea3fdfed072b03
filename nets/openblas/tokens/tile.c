/* tile.c - see tile.h. */
#include "nets/openblas/tokens/tile.h"

#include "core/math/wide.h"
#include "nets/openblas/lanes.h"
#include "nets/openblas/small.h"
#include "nets/openblas/vmath.h"

#include <math.h>

/*
 * Whole vectors of a row that has n of `keys`, where the row goes on so far: the rest of the last
 * one is made so small that its exponential is 1.6e-38, which changes no sum with a row's largest,
 * 1; tile_clear() makes it 0.
 */
LANES_INLINE size_t tile_pad(size_t n, size_t keys, float *p)
{
	const size_t whole = (n + LANES - 1) / LANES * LANES;

	if (whole > keys)
		return n;
	for (size_t k = n; k < whole; k++)
		p[k] = -1e30f;
	return whole;
}

/* 0 after a row's n keys. */
LANES_INLINE void tile_clear(size_t n, size_t keys, float *p)
{
	for (size_t k = n; k < keys; k++)
		p[k] = 0.0f;
}

/* p[n] <- exp(scale (p - most)); their sum. */
LANES_INLINE float tile_exp(size_t n, float scale, float most, float *p)
{
	lanes s = { 0 }, v;

	for (size_t k = 0; k < n; k += LANES) {
		lanes_load(lanes_left(n, k), p + k, -1e30f, &v);
		v = scale * (v - most);
		lanes_exp(&v);
		s += v;
		lanes_store(lanes_left(n, k), &v, p + k);
	}
	return lanes_sum(&s);
}

WIDE void tile_softmax(size_t rows, size_t keys, size_t first, float scale, float *p, float *lse)
{
	lanes v;

	for (size_t r = 0; r < rows; r++, p += keys) {
		const size_t n = tile_pad(first + r + 1, keys, p);
		const float most = lanes_most(n, p), sum = tile_exp(n, scale, most, p);
		const float share = 1.0f / sum;

		for (size_t k = 0; k < n; k += LANES) {
			lanes_load(lanes_left(n, k), p + k, 0.0f, &v);
			v *= share;
			lanes_store(lanes_left(n, k), &v, p + k);
		}
		tile_clear(first + r + 1, keys, p);
		lse[r] = scale * most + logf(sum);
	}
}

WIDE void tile_again(size_t rows, size_t keys, size_t first, float scale, const float *lse,
		     float *p)
{
	lanes v;

	for (size_t r = 0; r < rows; r++, p += keys) {
		const size_t n = tile_pad(first + r + 1, keys, p);

		for (size_t k = 0; k < n; k += LANES) {
			lanes_load(lanes_left(n, k), p + k, -1e30f, &v);
			v = scale * v - lse[r];
			lanes_exp(&v);
			lanes_store(lanes_left(n, k), &v, p + k);
		}
		tile_clear(first + r + 1, keys, p);
	}
}

enum { SIDE = 4, TURN = 16 };   /* of a block; keys at a time, whose rows stay cached */

typedef float side __attribute__((vector_size(4 * SIDE)));
typedef float side_at __attribute__((vector_size(4 * SIDE), aligned(4), may_alias));

#ifdef __clang__
#define PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
typedef int32_t side_bits __attribute__((vector_size(4 * SIDE)));
#define PICK(a, b, ...) __builtin_shuffle(a, b, (side_bits){ __VA_ARGS__ })
#endif

/* A block of SIDE x SIDE: to's rows have `keys` floats. */
static inline void tile_turn_block(const float *from, size_t width, size_t keys, float *to)
{
	const side a = *(const side_at *)from, b = *(const side_at *)(from + width);
	const side c = *(const side_at *)(from + 2 * width);
	const side d = *(const side_at *)(from + 3 * width);
	const side ab = PICK(a, b, 0, 4, 1, 5), cd = PICK(c, d, 0, 4, 1, 5);
	const side ab2 = PICK(a, b, 2, 6, 3, 7), cd2 = PICK(c, d, 2, 6, 3, 7);

	*(side_at *)to = PICK(ab, cd, 0, 1, 4, 5);
	*(side_at *)(to + keys) = PICK(ab, cd, 2, 3, 6, 7);
	*(side_at *)(to + 2 * keys) = PICK(ab2, cd2, 0, 1, 4, 5);
	*(side_at *)(to + 3 * keys) = PICK(ab2, cd2, 2, 3, 6, 7);
}

/* Rows first to end. */
static void tile_turn_rows(size_t first, size_t end, size_t keys, size_t size, const float *from,
			   size_t width, float *to)
{
	const size_t whole = size / SIDE * SIDE;
	size_t r = first;

	for (; r + SIDE <= end; r += SIDE)
		for (size_t k = 0; k < whole; k += SIDE)
			tile_turn_block(from + r * width + k, width, keys, to + k * keys + r);
	for (size_t k = 0; k < size; k++)
		for (size_t j = k < whole ? r : first; j < end; j++)
			to[k * keys + j] = from[j * width + k];
}

void tile_turn(size_t keys, size_t size, const float *from, size_t width, float *to)
{
	for (size_t first = 0; first < keys; first += TURN)
		tile_turn_rows(first, first + TURN < keys ? first + TURN : keys, keys, size, from,
			       width, to);
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

LANES_INLINE float tile_dot(size_t n, const float *a, const float *b)
{
	lanes s = { 0 }, u, v;

	for (size_t k = 0; k < n; k += LANES) {
		lanes_load(lanes_left(n, k), a + k, 0.0f, &u);
		lanes_load(lanes_left(n, k), b + k, 0.0f, &v);
		s += u * v;
	}
	return lanes_sum(&s);
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

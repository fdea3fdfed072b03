/*
 * lanes.h - vectors of LANES floats, as many as a register has: sums, maxima, exp, small products.
 *
 * LANES is 16, 8 or 4: the includer defines it. Reductions of a vector have a fixed order. Vectors
 * are passed by address, since the way that registers pass them depends on the processor.
 */
#ifndef NETS_OPENBLAS_LANES_LANES_H
#define NETS_OPENBLAS_LANES_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef float lanes __attribute__((vector_size(4 * LANES)));
typedef int32_t lanes_bits __attribute__((vector_size(4 * LANES)));
/* lanes at any address. */
typedef float lanes_at __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

#define LANES_INLINE static inline __attribute__((always_inline))

/* v <- p[n], with `rest` in the lanes after it; n <= LANES. */
LANES_INLINE void lanes_load(size_t n, const float *p, float rest, lanes *v)
{
	float all[LANES];

	if (n == LANES) {
		*v = *(const lanes_at *)p;
		return;
	}
	for (size_t j = 0; j < LANES; j++)
		all[j] = j < n ? p[j] : rest;
	memcpy(v, all, sizeof(all));
}

/* p[n] <- the first n lanes of v; n <= LANES. */
LANES_INLINE void lanes_store(size_t n, const lanes *v, float *p)
{
	if (n == LANES)
		*(lanes_at *)p = *v;
	else
		memcpy(p, v, n * sizeof(*p));
}

/* Lanes in use of the vector that begins at k, of n floats. */
LANES_INLINE size_t lanes_left(size_t n, size_t k)
{
	return n - k < LANES ? n - k : LANES;
}

/* b <- a in lanes where the condition's bits are set. */
LANES_INLINE void lanes_choose(const lanes_bits *condition, const lanes *a, lanes *b)
{
	*b = (lanes)(((lanes_bits)*a & *condition) | ((lanes_bits)*b & ~*condition));
}

/* The numbers of the lanes, each changed by OF(number, n). */
#define LANES_FOUR(OF, k, n) OF(k, n), OF(k + 1, n), OF(k + 2, n), OF(k + 3, n)
#if LANES == 16
#define LANES_EACH(OF, n) LANES_FOUR(OF, 0, n), LANES_FOUR(OF, 4, n), LANES_FOUR(OF, 8, n), \
			  LANES_FOUR(OF, 12, n)
#elif LANES == 8
#define LANES_EACH(OF, n) LANES_FOUR(OF, 0, n), LANES_FOUR(OF, 4, n)
#else
#define LANES_EACH(OF, n) LANES_FOUR(OF, 0, n)
#endif
#define LANES_AFTER(k, n) (((k) + (n)) % LANES)
#define LANES_ITSELF(k, n) (k)

/* Rotates a vector by n lanes: lane i gets the value of lane i + n, modulo LANES. */
#ifdef __clang__
#define LANES_TURNED(v, n) __builtin_shufflevector(v, v, LANES_EACH(LANES_AFTER, n))
#else
#define LANES_TURNED(v, n) __builtin_shuffle(v, (lanes_bits){ LANES_EACH(LANES_AFTER, n) })
#endif

/* Sum of the lanes: halves are added to each other until one is left. */
LANES_INLINE float lanes_sum(const lanes *v)
{
	lanes s = *v;

#if LANES > 8
	s += LANES_TURNED(s, 8);
#endif
#if LANES > 4
	s += LANES_TURNED(s, 4);
#endif
	s += LANES_TURNED(s, 2);
	s += LANES_TURNED(s, 1);
	return s[0];
}

/* b <- the larger of a and b in each lane; b if one is NaN. */
LANES_INLINE void lanes_larger(const lanes *a, lanes *b)
{
	const lanes_bits above = *a > *b;

	lanes_choose(&above, a, b);
}

/* All lanes <- the largest of them. */
LANES_INLINE void lanes_spread_most(lanes *s)
{
	lanes v;

#if LANES > 8
	v = LANES_TURNED(*s, 8);
	lanes_larger(&v, s);
#endif
#if LANES > 4
	v = LANES_TURNED(*s, 4);
	lanes_larger(&v, s);
#endif
	v = LANES_TURNED(*s, 2);
	lanes_larger(&v, s);
	v = LANES_TURNED(*s, 1);
	lanes_larger(&v, s);
}

/* The largest of p[n], n > 0. */
LANES_INLINE float lanes_most(size_t n, const float *p)
{
	lanes s = (lanes){ 0 } + p[0], v;

	for (size_t k = 0; k < n; k += LANES) {
		lanes_load(lanes_left(n, k), p + k, p[0], &v);
		lanes_larger(&v, &s);
	}
	lanes_spread_most(&s);
	return s[0];
}

/* All bits of the first n lanes; n may be any number. */
#define LANES_BELOW(n) (((lanes_bits){ LANES_EACH(LANES_ITSELF, 0) } - (n)) >> 31)

/*
 * ---- exp and functions of it ----
 *
 * Only additions, products, comparisons and shifts. NaN stays NaN.
 */

/* Limits x to [least, most]. */
LANES_INLINE void lanes_clamp(float least, float most, lanes *x)
{
	const lanes v = *x, low = (lanes){ 0 } + least, high = (lanes){ 0 } + most;
	const lanes_bits below = v < low;
	const lanes_bits above = v > high;

	lanes_choose(&below, &low, x);
	lanes_choose(&above, &high, x);
}

/*
 * x <- exp(x) to 1.5 units in the last place for -87 <= x <= 88; below, exp(-87) = 1.6e-38; above,
 * exp(88). Cody and Waite: x = k ln 2 + r, 2^k by the exponent's bits, exp(r) by its series.
 */
LANES_INLINE void lanes_exp(lanes *x)
{
	const float shift = 12582912.0f;        /* 1.5 2^23: adding it rounds to a whole number */
	lanes k, r, p;
	lanes_bits bits;

	lanes_clamp(-87.0f, 88.0f, x);
	k = *x * 1.44269504088896f + shift;
	bits = (lanes_bits)k;
	k -= shift;
	r = *x - k * 0.693145751953125f;
	r -= k * 1.428606765330187e-6f;
	p = (lanes){ 0 } + 1.0f / 5040.0f;
	p = p * r + 1.0f / 720.0f;
	p = p * r + 1.0f / 120.0f;
	p = p * r + 1.0f / 24.0f;
	p = p * r + 1.0f / 6.0f;
	p = p * r + 0.5f;
	p = p * r * r + r + 1.0f;
	bits = (bits << 23) + 0x3f800000;       /* the low bits of k, made an exponent */
	*x = p * (lanes)bits;
}

/*
 * x <- log(x), to 1e-7 or 1e-7 of it, of a positive and normal x: 2^k m with m from sqrt(1/2) to
 * sqrt(2), and log(m) by the polynomial of Cephes' logf().
 */
LANES_INLINE void lanes_log(lanes *x)
{
	const lanes v = *x;
	const lanes_bits half = (lanes_bits)v - 0x3f3504f3;     /* sqrt(1/2) */
	const lanes k = __builtin_convertvector(half >> 23, lanes);
	const lanes f = (lanes)((lanes_bits)v - (half & ~0x7fffff)) - 1.0f;
	lanes p = (lanes){ 0 } + 7.0376836292e-2f;

	p = p * f - 1.1514610310e-1f;
	p = p * f + 1.1676998740e-1f;
	p = p * f - 1.2420140846e-1f;
	p = p * f + 1.4249322787e-1f;
	p = p * f - 1.6668057665e-1f;
	p = p * f + 2.0000714765e-1f;
	p = p * f - 2.4999993993e-1f;
	p = p * f + 3.3333331174e-1f;
	p = p * f * f * f - 2.12194440e-4f * k;
	p = f + (p - 0.5f * f * f) + 0.693359375f * k;
	*x = p + (v - v);       /* NaN stays NaN */
}

/*
 * share <- Phi(x), the normal distribution, to 2e-7 (Abramowitz and Stegun 7.1.26); density <-
 * phi(x).
 */
LANES_INLINE void lanes_normal(const lanes *x, lanes *share, lanes *density)
{
	const lanes v = *x, z = (lanes)((lanes_bits)v & 0x7fffffff);
	const lanes_bits negative = v < 0.0f;
	const lanes t = 1.0f / (1.0f + 0.2316418882f * z);
	lanes e = -0.5f * v * v, tail;

	lanes_exp(&e);
	tail = 0.5307027145f * t - 0.7265760135f;
	tail = tail * t + 0.7107068705f;
	tail = tail * t - 0.142248368f;
	tail = tail * t + 0.127414796f;
	tail = tail * t * e;
	*density = 0.3989422804f * e;
	*share = 1.0f - tail;
	lanes_choose(&negative, &tail, share);
}

/*
 * ---- products of matrices too small for the BLAS, whose calls cost more than they compute ----
 *
 * Blocks of the result stay in registers: AVX-512 has 32, the others 16. Each number of the result
 * is a sum over k in order.
 */

enum { SMALL_ROWS = LANES == 16 ? 8 : 4, SMALL_COLUMNS = 2 * LANES };

/*
 * A block of c <- (add: +=) a b; a(i, k) = a[i * ia + k * ka], b[depth][SMALL_COLUMNS] with rows of
 * ldb.
 */
LANES_INLINE void small_block(size_t depth, const float *a, size_t ia, size_t ka, const float *b,
			      size_t ldb, bool add, float *c, size_t ldc)
{
	lanes_at s[SMALL_ROWS][2] = { { { 0 } } };

	for (size_t i = 0; add && i < SMALL_ROWS; i++) {
		s[i][0] = *(const lanes_at *)(c + i * ldc);
		s[i][1] = *(const lanes_at *)(c + i * ldc + LANES);
	}
	for (size_t k = 0; k < depth; k++, b += ldb) {
		const lanes_at left = *(const lanes_at *)b;
		const lanes_at right = *(const lanes_at *)(b + LANES);

		for (size_t i = 0; i < SMALL_ROWS; i++) {
			const float v = a[i * ia + k * ka];

			s[i][0] += left * v;
			s[i][1] += right * v;
		}
	}
	for (size_t i = 0; i < SMALL_ROWS; i++) {
		*(lanes_at *)(c + i * ldc) = s[i][0];
		*(lanes_at *)(c + i * ldc + LANES) = s[i][1];
	}
}

/* c[rows][n] <- (add: +=) a b, n <= LANES; rows of b are ldb apart and have a whole vector. */
LANES_INLINE void small_column(size_t rows, size_t n, size_t depth, const float *a, size_t ia,
			       size_t ka, const float *b, size_t ldb, bool add, float *c,
			       size_t ldc)
{
	for (size_t i = 0; i < rows; i++) {
		lanes s = { 0 };

		if (add)
			lanes_load(n, c + i * ldc, 0.0f, &s);
		for (size_t k = 0; k < depth; k++)
			s += *(const lanes_at *)(b + k * ldb) * a[i * ia + k * ka];
		lanes_store(n, &s, c + i * ldc);
	}
}

/*
 * small_product() for rows and columns that do not fill a block. Columns that do not fill a vector
 * are copied SMALL_DEPTH rows at a time, so that all are computed alike.
 */
LANES_INLINE void small_rest(size_t rows, size_t columns, size_t depth, const float *a, size_t ia,
			     size_t ka, const float *b, size_t ldb, bool add, float *c,
			     size_t ldc)
{
	enum { SMALL_DEPTH = 32 };
	lanes part[SMALL_DEPTH];
	size_t j = 0;

	for (; j + LANES <= columns; j += LANES)
		small_column(rows, LANES, depth, a, ia, ka, b + j, ldb, add, c + j, ldc);
	for (size_t k = 0; j < columns && (k < depth || !k); k += SMALL_DEPTH) {
		const size_t deep = depth - k < SMALL_DEPTH ? depth - k : SMALL_DEPTH;

		for (size_t m = 0; m < deep; m++)
			lanes_load(columns - j, b + (k + m) * ldb + j, 0.0f, &part[m]);
		small_column(rows, columns - j, deep, a + k * ka, ia, ka, (const float *)part,
			     LANES, add || k, c + j, ldc);
	}
}

/* c[rows][columns] <- (add: +=) a b; a(i, k) = a[i * ia + k * ka], b[depth][columns]. */
LANES_INLINE void small_product(size_t rows, size_t columns, size_t depth, const float *a,
				size_t ia, size_t ka, const float *b, size_t ldb, bool add,
				float *c, size_t ldc)
{
	const size_t full = rows / SMALL_ROWS * SMALL_ROWS;
	const size_t wide = columns / SMALL_COLUMNS * SMALL_COLUMNS;

	for (size_t i = 0; i < full; i += SMALL_ROWS)
		for (size_t j = 0; j < wide; j += SMALL_COLUMNS)
			small_block(depth, a + i * ia, ia, ka, b + j, ldb, add, c + i * ldc + j,
				    ldc);
	if (wide < columns)
		small_rest(full, columns - wide, depth, a, ia, ka, b + wide, ldb, add, c + wide,
			   ldc);
	if (full < rows)
		small_rest(rows - full, columns, depth, a + full * ia, ia, ka, b, ldb, add,
			   c + full * ldc, ldc);
}

#endif

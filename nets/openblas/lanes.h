/*
 * lanes.h - vectors of LANES floats at every width of registers, and their sums and maxima.
 *
 * To be used in WIDE functions. What is taken over a vector has a fixed order, so the clones are
 * bit-identical. Vectors are passed by their address, since how registers pass them depends on the
 * clone.
 */
#ifndef NETS_OPENBLAS_LANES_H
#define NETS_OPENBLAS_LANES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { LANES = 16 };

typedef float lanes __attribute__((vector_size(4 * LANES)));
typedef int32_t lanes_bits __attribute__((vector_size(4 * LANES)));
/* As lanes, wherever its first float may lie. */
typedef float lanes_at __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

#define LANES_INLINE static inline __attribute__((always_inline))

/* v <- p[n], and `rest` after it; n <= LANES. */
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

/* p[n] <- the first of v; n <= LANES. */
LANES_INLINE void lanes_store(size_t n, const lanes *v, float *p)
{
	if (n == LANES)
		*(lanes_at *)p = *v;
	else
		memcpy(p, v, n * sizeof(*p));
}

/* Of n floats, how many a vector has that begins at k. */
LANES_INLINE size_t lanes_left(size_t n, size_t k)
{
	return n - k < LANES ? n - k : LANES;
}

/* a where the condition's bits are set, else b. */
LANES_INLINE void lanes_choose(const lanes_bits *condition, const lanes *a, lanes *b)
{
	*b = (lanes)(((lanes_bits)*a & *condition) | ((lanes_bits)*b & ~*condition));
}

/* Each lane's value is the one that lies n lanes later, after the last the first again. */
#define LANES_ORDER(n) (n) & 15, ((n) + 1) & 15, ((n) + 2) & 15, ((n) + 3) & 15, ((n) + 4) & 15, \
		       ((n) + 5) & 15, ((n) + 6) & 15, ((n) + 7) & 15, ((n) + 8) & 15, \
		       ((n) + 9) & 15, ((n) + 10) & 15, ((n) + 11) & 15, ((n) + 12) & 15, \
		       ((n) + 13) & 15, ((n) + 14) & 15, ((n) + 15) & 15
#ifdef __clang__
#define LANES_TURNED(v, n) __builtin_shufflevector(v, v, LANES_ORDER(n))
#else
#define LANES_TURNED(v, n) __builtin_shuffle(v, (lanes_bits){ LANES_ORDER(n) })
#endif

/* The sum: halves are added to each other, four times. */
LANES_INLINE float lanes_sum(const lanes *v)
{
	lanes s = *v;

	s += LANES_TURNED(s, 8);
	s += LANES_TURNED(s, 4);
	s += LANES_TURNED(s, 2);
	s += LANES_TURNED(s, 1);
	return s[0];
}

/* b <- the larger of each; b where one is NaN. */
LANES_INLINE void lanes_larger(const lanes *a, lanes *b)
{
	const lanes_bits above = *a > *b;

	lanes_choose(&above, a, b);
}

/* The largest of p[n], n > 0. */
LANES_INLINE float lanes_most(size_t n, const float *p)
{
	lanes s = (lanes){ 0 } + p[0], v;

	for (size_t k = 0; k < n; k += LANES) {
		lanes_load(lanes_left(n, k), p + k, p[0], &v);
		lanes_larger(&v, &s);
	}
	v = LANES_TURNED(s, 8);
	lanes_larger(&v, &s);
	v = LANES_TURNED(s, 4);
	lanes_larger(&v, &s);
	v = LANES_TURNED(s, 2);
	lanes_larger(&v, &s);
	v = LANES_TURNED(s, 1);
	lanes_larger(&v, &s);
	return s[0];
}

#endif

/*
 * lanes.h - sums and maxima of floats in LANES parts, for loops that the compiler vectorises.
 *
 * The parts are then taken in a fixed order, so the clones of a WIDE function are bit-identical.
 */
#ifndef NETS_OPENBLAS_LANES_H
#define NETS_OPENBLAS_LANES_H

#include <stddef.h>

enum { LANES = 16 };

/* The sum of s[LANES]. */
static inline float lanes_sum(const float *s)
{
	float t[LANES / 2], u[LANES / 4];

	for (int k = 0; k < LANES / 2; k++)
		t[k] = s[k] + s[k + LANES / 2];
	for (int k = 0; k < LANES / 4; k++)
		u[k] = t[k] + t[k + LANES / 4];
	return (u[0] + u[2]) + (u[1] + u[3]);
}

/* The largest of p[n], n > 0. */
static inline float lanes_most(size_t n, const float *p)
{
	float s[LANES];
	size_t k = 0;

	for (size_t j = 0; j < LANES; j++)
		s[j] = p[0];
	for (; k + LANES <= n; k += LANES)
		for (size_t j = 0; j < LANES; j++)
			s[j] = p[k + j] > s[j] ? p[k + j] : s[j];
	for (; k < n; k++)
		s[0] = p[k] > s[0] ? p[k] : s[0];
	for (size_t half = LANES / 2; half; half /= 2)
		for (size_t j = 0; j < half; j++)
			s[j] = s[j + half] > s[j] ? s[j + half] : s[j];
	return s[0];
}

#endif

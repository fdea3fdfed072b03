/*
 * lanes.h - sums and maxima of floats in LANES parts, for loops that the compiler vectorises.
 *
 * The parts are then taken in their order, so the clones of a WIDE function are bit-identical.
 */
#ifndef NETS_OPENBLAS_LANES_H
#define NETS_OPENBLAS_LANES_H

#include <stddef.h>

enum { LANES = 16 };

/* The sum of s[LANES]. */
static inline float lanes_sum(const float *s)
{
	float sum = 0.0f;

	for (int k = 0; k < LANES; k++)
		sum += s[k];
	return sum;
}

/* The largest of p[n], n > 0. */
static inline float lanes_most(size_t n, const float *p)
{
	float s[LANES], most;
	size_t k = 0;

	for (size_t j = 0; j < LANES; j++)
		s[j] = p[0];
	for (; k + LANES <= n; k += LANES)
		for (size_t j = 0; j < LANES; j++)
			s[j] = p[k + j] > s[j] ? p[k + j] : s[j];
	for (; k < n; k++)
		s[0] = p[k] > s[0] ? p[k] : s[0];
	most = s[0];
	for (size_t j = 1; j < LANES; j++)
		most = s[j] > most ? s[j] : most;
	return most;
}

#endif

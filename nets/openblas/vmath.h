/*
 * vmath.h - exp and what is made of it, in float, for loops that the compiler vectorises.
 *
 * Only additions, products, comparisons and shifts, none contracted: the clones of a WIDE
 * function are bit-identical. NaN stays NaN.
 */
#ifndef NETS_OPENBLAS_VMATH_H
#define NETS_OPENBLAS_VMATH_H

#include <stdint.h>
#include <string.h>

/*
 * exp(x) to 1.5 units in the last place for -87 <= x <= 88; below, exp(-87) = 1.6e-38; above,
 * exp(88). Cody and Waite: x = k ln 2 + r, 2^k by the exponent's bits, exp(r) by its series.
 */
static inline float vexp(float x)
{
	const float shift = 12582912.0f;        /* 1.5 2^23: adding it rounds to a whole number */
	float k, r, p, scale;
	uint32_t bits;

	x = x < -87.0f ? -87.0f : x;
	x = x > 88.0f ? 88.0f : x;
	k = x * 1.44269504088896f + shift;
	memcpy(&bits, &k, sizeof(bits));
	k -= shift;
	r = x - k * 0.693145751953125f;
	r -= k * 1.428606765330187e-6f;
	p = 1.0f / 5040.0f;
	p = p * r + 1.0f / 720.0f;
	p = p * r + 1.0f / 120.0f;
	p = p * r + 1.0f / 24.0f;
	p = p * r + 1.0f / 6.0f;
	p = p * r + 0.5f;
	p = p * r * r + r + 1.0f;
	bits = (bits << 23) + 0x3f800000u;      /* the low bits of k, made an exponent */
	memcpy(&scale, &bits, sizeof(scale));
	return p * scale;
}

/*
 * Phi(x), the normal distribution, to 2e-7 (Abramowitz and Stegun 7.1.26); *density <- phi(x).
 */
static inline float vnormal(float x, float *density)
{
	const float z = x < 0.0f ? -x : x;
	const float t = 1.0f / (1.0f + 0.2316418882f * z);
	const float e = vexp(-0.5f * x * x);
	float tail = 0.5307027145f;

	tail = tail * t - 0.7265760135f;
	tail = tail * t + 0.7107068705f;
	tail = tail * t - 0.142248368f;
	tail = tail * t + 0.127414796f;
	tail = tail * t * e;
	*density = 0.3989422804f * e;
	return x < 0.0f ? tail : 1.0f - tail;
}

#endif

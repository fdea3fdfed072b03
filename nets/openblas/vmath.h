/*
 * vmath.h - exp and what is made of it, in vectors of floats.
 *
 * Only additions, products, comparisons and shifts, none contracted: the clones of a WIDE
 * function are bit-identical. NaN stays NaN.
 */
#ifndef NETS_OPENBLAS_VMATH_H
#define NETS_OPENBLAS_VMATH_H

#include "nets/openblas/lanes.h"

/* x, but at least `least` and at most `most`. */
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

#endif

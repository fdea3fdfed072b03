/* The bits of a float as an integer, and back. */
#ifndef CORE_MATH_BITS_H
#define CORE_MATH_BITS_H

#include <stdint.h>
#include <string.h>

static inline uint32_t float_bits(float x)
{
	uint32_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static inline float float_of_bits(uint32_t bits)
{
	float x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

#endif

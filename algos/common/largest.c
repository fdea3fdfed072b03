/* Finds the floats of largest magnitude, digit by digit of their bits. */
#include "algos/common/largest.h"

#include "core/math/bits.h"

#include <string.h>

enum { DIGIT = 11, DIGITS = 1 << DIGIT };       /* a magnitude's 31 bits are three digits */

/* |x| as an integer with the same order; NaN is after infinity. */
static uint32_t key_of(float x)
{
	return float_bits(x) & 0x7fffffff;
}

/* count[] <- frequency of each value of a digit, among keys whose higher bits equal `prefix`. */
static void count_digits(size_t n, const float *v, int shift, uint32_t prefix, size_t *count)
{
	const int above = shift + DIGIT;

	memset(count, 0, DIGITS * sizeof(*count));
	for (size_t i = 0; i < n; i++) {
		const uint32_t key = key_of(v[i]);

		if ((uint64_t)key >> above == (uint64_t)prefix >> above)
			count[key >> shift & (DIGITS - 1)]++;
	}
}

/*
 * The k-th largest key of v[n], found digit by digit; *equal: how many floats with that key are
 * kept.
 */
static uint32_t find_key(size_t n, const float *v, size_t k, size_t *equal)
{
	uint32_t key = 0;

	for (int shift = 2 * DIGIT; shift >= 0; shift -= DIGIT) {
		size_t count[DIGITS];
		uint32_t digit = DIGITS - 1;

		count_digits(n, v, shift, key, count);
		while (count[digit] < k)
			k -= count[digit--];
		key |= digit << shift;
	}
	*equal = k;
	return key;
}

void largest_select(size_t n, const float *v, size_t k, uint32_t *index)
{
	size_t equal = 0, done = 0;
	const uint32_t least = find_key(n, v, k, &equal);

	for (size_t i = 0; i < n && done < k; i++) {
		const uint32_t key = key_of(v[i]);

		if (key < least || (key == least && equal == 0))
			continue;
		equal -= key == least;
		index[done++] = (uint32_t)i;
	}
}

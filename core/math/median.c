/* Sorts an array of doubles by its digits, and finds its median. */
#include "core/math/median.h"

#include "core/base/mem.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = 8, DIGITS = 64 / DIGIT_BITS, DIGIT_VALUES = 1 << DIGIT_BITS, SORT_FEW = 256 };

static const uint64_t sign = UINT64_C(1) << 63;

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Turns bits of doubles into integers of the same order, and back. */
static inline uint64_t ordered(uint64_t bits)
{
	return bits & sign ? ~bits : bits | sign;
}

static inline uint64_t unordered(uint64_t key)
{
	return key & sign ? key & ~sign : ~key;
}

static inline size_t digit(uint64_t key, int k)
{
	return key >> (k * DIGIT_BITS) & (DIGIT_VALUES - 1);
}

/* Copies from[n] to `to` in order of digit k, equal ones as they were; count[] is of that digit. */
static void move_by_digit(const uint64_t *from, uint64_t *to, size_t n, int k, const size_t *count)
{
	size_t at[DIGIT_VALUES], sum = 0;

	for (size_t d = 0; d < DIGIT_VALUES; d++) {
		at[d] = sum;
		sum += count[d];
	}
	for (size_t i = 0; i < n; i++)
		to[at[digit(from[i], k)]++] = from[i];
}

/* A radix sort from the last digit to the first; a digit that all have in common is left out. */
static void sort_by_digits(double *v, size_t n)
{
	uint64_t *key = xcalloc(2 * n, sizeof(*key)), *other = key + n, *own = key, *swap;
	size_t count[DIGITS][DIGIT_VALUES] = { 0 };

	memcpy(key, v, n * sizeof(*key));
	for (size_t i = 0; i < n; i++) {
		key[i] = ordered(key[i]);
		for (int k = 0; k < DIGITS; k++)
			count[k][digit(key[i], k)]++;
	}
	for (int k = 0; k < DIGITS; k++) {
		if (count[k][digit(key[0], k)] == n)
			continue;
		move_by_digit(key, other, n, k, count[k]);
		swap = key;
		key = other;
		other = swap;
	}
	for (size_t i = 0; i < n; i++)
		key[i] = unordered(key[i]);
	memcpy(v, key, n * sizeof(*key));
	free(own);
}

void sort_doubles(double *v, size_t n)
{
	if (n > SORT_FEW)
		sort_by_digits(v, n);
	else if (n)
		qsort(v, n, sizeof(*v), by_size);
}

double median_of(double *v, size_t n)
{
	if (n == 0)
		return (double)NAN;
	sort_doubles(v, n);
	return 0.5 * (v[(n - 1) / 2] + v[n / 2]);
}

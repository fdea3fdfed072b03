/* The rounds of many Philox blocks together, in loops that become vector code. */
#ifndef CORE_MATH_PHILOX_H
#define CORE_MATH_PHILOX_H

#include <Random123/philox.h>
#include <stdint.h>

/* n blocks, whose counters are the words a, b, c and d: their results in the same words. */
static inline void philox_rounds(const uint32_t *key, uint32_t n, uint32_t *restrict a,
				 uint32_t *restrict b, uint32_t *restrict c,
				 uint32_t *restrict d)
{
	uint32_t k0 = key[0], k1 = key[1];

	for (int round = 0; round < philox4x32_rounds; round++) {
		for (uint32_t i = 0; i < n; i++) {
			const uint64_t left = (uint64_t)PHILOX_M4x32_0 * a[i];
			const uint64_t right = (uint64_t)PHILOX_M4x32_1 * c[i];

			a[i] = (uint32_t)(right >> 32) ^ b[i] ^ k0;
			b[i] = (uint32_t)right;
			c[i] = (uint32_t)(left >> 32) ^ d[i] ^ k1;
			d[i] = (uint32_t)left;
		}
		k0 += PHILOX_W32_0;
		k1 += PHILOX_W32_1;
	}
}

#endif

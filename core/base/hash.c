/* 64-bit FNV-1a over bytes and over texts, which can be continued from an earlier hash. */
#include "core/base/hash.h"

#include <string.h>

enum { WORD = 8, HALF = 4 };

/* Powers of the prime, modulo 2^64. A zero byte only multiplies a hash, so n of them do by Pn. */
#define P1 UINT64_C(0x100000001b3)
#define P2 (P1 * P1)
#define P4 (P2 * P2)
#define P8 (P4 * P4)

/* Continues the hash by four bytes. */
static inline uint64_t fnv_half(uint64_t h, const unsigned char *b)
{
	for (int i = 0; i < HALF; i++)
		h = fnv_step(h, b[i]);
	return h;
}

uint64_t fnv(uint64_t h, const void *bytes, size_t n)
{
	const unsigned char *b = bytes;

	/* each step needs the one before; zero bytes only multiply by P, so several are one step */
	for (; n >= WORD; n -= WORD, b += WORD) {
		uint32_t half[2];

		memcpy(half, b, sizeof(half));
		if (half[0] | half[1]) {
			h = half[0] ? fnv_half(h, b) : h * P4;
			h = half[1] ? fnv_half(h, b + HALF) : h * P4;
		} else {
			h *= P8;
		}
	}
	for (size_t i = 0; i < n; i++)
		h = fnv_step(h, b[i]);
	return h;
}

uint64_t fnv_text(uint64_t h, const char *text)
{
	return fnv(h, text, strlen(text));
}

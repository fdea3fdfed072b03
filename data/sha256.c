#include "data/sha256.h"

#include <stdio.h>
#include <string.h>

/* The first 32 bits of the fractions of the cube roots of the first 64 primes. */
static const uint32_t round_constant[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2
};

static uint32_t turn(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

/* w[64] <- the schedule of one block */
static void expand(const uint8_t *block, uint32_t *w)
{
	for (int i = 0; i < 16; i++)
		w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16
		       | (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (int i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + w[i - 7]
		       + (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
	}
}

static void compress(uint32_t h[8], const uint8_t *block)
{
	uint32_t w[64], v[8];

	expand(block, w);
	memcpy(v, h, sizeof(v));
	for (int i = 0; i < 64; i++) {
		uint32_t choose = (v[4] & v[5]) ^ (~v[4] & v[6]);
		uint32_t most = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
		uint32_t a = v[7] + (turn(v[4], 6) ^ turn(v[4], 11) ^ turn(v[4], 25)) + choose
			     + round_constant[i] + w[i];
		uint32_t b = (turn(v[0], 2) ^ turn(v[0], 13) ^ turn(v[0], 22)) + most;

		memmove(v + 1, v, 7 * sizeof(*v));
		v[4] += a;
		v[0] = a + b;
	}
	for (int i = 0; i < 8; i++)
		h[i] += v[i];
}

void sha256_start(struct sha256 *s)
{
	/* The first 32 bits of the fractions of the square roots of the first 8 primes. */
	static const uint32_t start[8] = {
		0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
		0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19
	};

	memcpy(s->h, start, sizeof(start));
	s->bytes = 0;
}

void sha256_add(struct sha256 *s, const void *at, size_t n)
{
	const uint8_t *from = at;
	size_t held = s->bytes % 64;

	s->bytes += n;
	if (held + n < 64) {
		memcpy(s->block + held, from, n);
		return;
	}
	memcpy(s->block + held, from, 64 - held);
	compress(s->h, s->block);
	from += 64 - held;
	n -= 64 - held;
	for (; n >= 64; from += 64, n -= 64)
		compress(s->h, from);
	memcpy(s->block, from, n);
}

void sha256_finish(struct sha256 *s, char text[SHA256_TEXT])
{
	static const uint8_t padding[64] = { 0x80 };
	uint64_t bits = 8 * s->bytes;
	uint8_t length[8];

	for (int i = 0; i < 8; i++)
		length[i] = (uint8_t)(bits >> (56 - 8 * i));
	sha256_add(s, padding, 1 + (119 - s->bytes % 64) % 64);
	sha256_add(s, length, 8);
	for (int i = 0; i < 8; i++)
		snprintf(text + 8 * i, 9, "%08x", (unsigned)s->h[i]);
}

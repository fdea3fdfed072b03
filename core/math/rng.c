/* Random numbers at an address (seed, purpose, rank, index): uniform, normal, permutation. */
#include "core/math/rng.h"

#include "core/base/error.h"
#include "core/math/wide.h"

#include <Random123/philox.h>
#include <math.h>
#include <stdbool.h>

/* Computes n Philox blocks in place; a, b, c, d have word 0, 1, 2, 3 of each counter. */
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

enum { PURPOSE_SHIFT = 24, BLOCK_MASK = (1 << PURPOSE_SHIFT) - 1 };

void rng_at(struct rng *r, uint64_t seed, enum rng_purpose purpose, uint32_t rank,
	    uint64_t index)
{
	*r = (struct rng){
		.key = { (uint32_t)seed, (uint32_t)(seed >> 32) },
		.ctr = { (uint32_t)index, (uint32_t)(index >> 32), rank,
			 (uint32_t)purpose << PURPOSE_SHIFT },
	};
}

void rng_block(struct rng *r)
{
	philox4x32_ctr_t c = { { r->ctr[0], r->ctr[1], r->ctr[2], r->ctr[3] } };
	philox4x32_key_t k = { { r->key[0], r->key[1] } };

	c = philox4x32(c, k);
	for (int i = 0; i < 4; i++)
		r->out[i] = c.v[i];
	r->left = 4;
	if ((++r->ctr[3] & BLOCK_MASK) == 0)
		BUG("a random address was asked for more than 2^26 words");
}

void rng_skip(struct rng *r, size_t n)
{
	r->ctr[3] += (uint32_t)(n / 4);
	for (size_t i = 0; i < n % 4; i++)
		rng_u32(r);
}

enum { TOGETHER = 16 };                 /* blocks that are computed in vectors */

/*
 * out[TOGETHER][4] <- blocks from a counter on, with words in the order in which rng_u32() uses
 * them.
 */
WIDE static void rng_blocks(const uint32_t *key, const uint32_t *ctr, uint32_t *out)
{
	uint32_t a[TOGETHER], b[TOGETHER], c[TOGETHER], d[TOGETHER];

	for (uint32_t i = 0; i < TOGETHER; i++) {
		a[i] = ctr[0];
		b[i] = ctr[1];
		c[i] = ctr[2];
		d[i] = ctr[3] + i;
	}
	philox_rounds(key, TOGETHER, a, b, c, d);
	for (int i = 0; i < TOGETHER; i++) {
		out[4 * i] = d[i];
		out[4 * i + 1] = c[i];
		out[4 * i + 2] = b[i];
		out[4 * i + 3] = a[i];
	}
}

void rng_words(struct rng *r, size_t n, uint32_t *words)
{
	size_t i = 0;

	while (i < n && r->left)
		words[i++] = rng_u32(r);
	for (; n - i >= 4 * TOGETHER && (r->ctr[3] & BLOCK_MASK) < BLOCK_MASK - TOGETHER;
	     i += 4 * TOGETHER) {
		rng_blocks(r->key, r->ctr, words + i);
		r->ctr[3] += TOGETHER;
	}
	while (i < n)
		words[i++] = rng_u32(r);
}

void rng_fill(uint64_t seed, enum rng_purpose purpose, uint32_t rank, uint64_t index, size_t n,
	      uint32_t *words)
{
	struct rng r;

	rng_at(&r, seed, purpose, rank, index);
	rng_words(&r, n, words);
}

double rng_normal(struct rng *r)
{
	const double two_pi = 6.283185307179586;

	if (r->has_spare) {
		r->has_spare = 0;
		return r->radius * sin(r->angle);
	}
	r->radius = sqrt(-2.0 * log(rng_uniform(r)));
	r->angle = two_pi * rng_uniform(r);
	r->has_spare = 1;
	return r->radius * cos(r->angle);
}

uint64_t rng_below(struct rng *r, uint64_t n)
{
	uint64_t reject = -n % n;       /* 2^64 mod n: the incomplete last interval */
	uint64_t u;

	do
		u = rng_u64(r);
	while (u < reject);
	return u % n;
}

/* Key for Feistel networks and shuffles, different from that of draws. */
static uint64_t permutation_key(uint64_t seed)
{
	return seed ^ 0x5eed5eedu;
}

void rng_shuffle(uint64_t seed, enum rng_purpose purpose, uint64_t index, size_t n,
		 uint16_t *order)
{
	struct rng r;

	rng_at(&r, permutation_key(seed), purpose, 0, index);
	for (size_t i = 0; i < n; i++) {
		const uint64_t k = rng_below(&r, i + 1);

		order[i] = order[k];
		order[k] = (uint16_t)i;
	}
}

/* Feistel round function: at most 32 bits in and out. */
static uint32_t feistel_round(uint64_t seed, enum rng_purpose purpose, uint64_t index,
			      uint32_t round, uint32_t half)
{
	philox4x32_ctr_t c = { { (uint32_t)index, (uint32_t)(index >> 32), half,
				 (uint32_t)purpose << PURPOSE_SHIFT | (round + 1) } };
	philox4x32_key_t k = { { (uint32_t)permutation_key(seed), (uint32_t)(seed >> 32) } };

	return philox4x32(c, k).v[0];
}

enum { FEISTEL_ROUNDS = 6 };

/* Bits of each half of a Feistel network for [0, n): 4^bits >= n. */
static int feistel_bits(uint64_t n)
{
	int bits = 1;

	while (bits < 32 && (uint64_t)1 << 2 * bits < n)
		bits++;
	return bits;
}

/* A permutation of [0, 4^bits), or its inverse, which exchanges halves and reverses the rounds. */
static uint64_t feistel(uint64_t seed, enum rng_purpose purpose, uint64_t index, int bits,
			bool back, uint64_t i)
{
	const uint32_t mask = (uint32_t)(((uint64_t)1 << bits) - 1);
	const uint32_t half[2] = { (uint32_t)(i >> bits), (uint32_t)i & mask };
	uint32_t left = half[back], right = half[!back];

	for (uint32_t k = 0; k < FEISTEL_ROUNDS; k++) {
		const uint32_t round = back ? FEISTEL_ROUNDS - 1 - k : k, old = right;

		right = left ^ (feistel_round(seed, purpose, index, round, right) & mask);
		left = old;
	}
	return back ? (uint64_t)right << bits | left : (uint64_t)left << bits | right;
}

/* A thread's latest shuffles: nodes in two different rounds need one each. */
struct shuffle {
	uint64_t seed, index, n, used;  /* n: 0: unused; used: number of its last call */
	enum rng_purpose purpose;
	uint16_t order[RNG_EXACT], back[RNG_EXACT];
};

static const struct shuffle *shuffle_take(uint64_t seed, enum rng_purpose purpose, uint64_t index,
					  uint64_t n)
{
	enum { KEPT = 4 };
	static _Thread_local struct shuffle kept[KEPT];
	static _Thread_local uint64_t calls;
	struct shuffle *oldest = kept;

	calls++;
	for (struct shuffle *s = kept; s < kept + KEPT; s++) {
		if (s->n == n && s->index == index && s->seed == seed && s->purpose == purpose) {
			s->used = calls;
			return s;
		}
		if (s->used < oldest->used)
			oldest = s;
	}
	oldest->seed = seed;
	oldest->purpose = purpose;
	oldest->index = index;
	oldest->n = n;
	oldest->used = calls;
	rng_shuffle(seed, purpose, index, n, oldest->order);
	for (uint64_t i = 0; i < n; i++)
		oldest->back[oldest->order[i]] = (uint16_t)i;
	return oldest;
}

uint64_t rng_permute(uint64_t seed, enum rng_purpose purpose, uint64_t index, uint64_t n,
		     uint64_t i)
{
	const int bits = feistel_bits(n);

	if (n <= RNG_EXACT)
		return shuffle_take(seed, purpose, index, n)->order[i];
	do
		i = feistel(seed, purpose, index, bits, false, i);
	while (i >= n);
	return i;
}

uint64_t rng_permute_back(uint64_t seed, enum rng_purpose purpose, uint64_t index, uint64_t n,
			  uint64_t i)
{
	const int bits = feistel_bits(n);

	if (n <= RNG_EXACT)
		return shuffle_take(seed, purpose, index, n)->back[i];
	do
		i = feistel(seed, purpose, index, bits, true, i);
	while (i >= n);
	return i;
}

/* ---- computes the first blocks of several random addresses in vectors ---- */

/* out[4][RNG_EACH] <- words of the first blocks at RNG_EACH addresses from index on. */
WIDE static void rng_first_blocks(const struct rng *r, uint64_t index, uint32_t (*out)[RNG_EACH])
{
	for (uint32_t i = 0; i < RNG_EACH; i++) {
		out[0][i] = (uint32_t)(index + i);
		out[1][i] = (uint32_t)((index + i) >> 32);
		out[2][i] = r->ctr[2];
		out[3][i] = r->ctr[3];
	}
	philox_rounds(r->key, RNG_EACH, out[0], out[1], out[2], out[3]);
}

void rng_at_each(struct rng *r, size_t n, uint64_t seed, enum rng_purpose purpose, uint32_t rank,
		 uint64_t index)
{
	uint32_t words[4][RNG_EACH];

	rng_at(r, seed, purpose, rank, index);
	rng_first_blocks(r, index, words);
	for (size_t i = n; i-- > 0;) {
		r[i] = r[0];
		r[i].ctr[0] = (uint32_t)(index + i);
		r[i].ctr[1] = (uint32_t)((index + i) >> 32);
		r[i].ctr[3]++;
		for (int k = 0; k < 4; k++)
			r[i].out[k] = words[k][i];
		r[i].left = 4;
	}
}

/*
 * rng.h - random numbers found by an address, not read from a stream.
 *
 * A draw is a pure function of (seed, purpose, rank, index), through Philox
 * 4x32-10 (Salmon et al. 2011; Random123). Two purposes never share numbers,
 * so a delay model's draws cannot disturb the data.
 */
#ifndef CORE_MATH_RNG_H
#define CORE_MATH_RNG_H

#include <stddef.h>
#include <stdint.h>

enum rng_purpose {
	RNG_INIT,               /* initial parameters; index = blob */
	RNG_SHUFFLE,            /* order of the samples; index = epoch */
	RNG_AUGMENT,            /* crops and flips; index = use of a sample */
	RNG_DROPOUT,            /* masks; rank = layer, index = use of a sample */
	RNG_DELAY,              /* compute times; rank = node, index = gradient */
	RNG_LINK,               /* message times */
	RNG_ALGO,               /* node_rand(); rank = node, index = call; node_rand_common() */
	RNG_DATA,               /* procedural data sets; index = sample */
	RNG_NOISE,              /* gradient noise of the analytic problems */
	RNG_GRAPH,              /* random communication graphs */
	RNG_CODEC,              /* rounding of packed gradients; index: algos/codec/fixed.h */
	RNG_ADVISE,             /* uncertain values; index = hash of their name */
	RNG_FAULT,              /* times between failures; rank = node, index = failure */
	RNG_PARTITION           /* parts of the samples; rank = attempt */
};

struct rng {
	uint32_t key[2], ctr[4], out[4];
	int left;               /* words of out not yet handed out */
	int has_spare;          /* a second normal deviate is ready ... */
	double radius, angle;   /* ... its sine is computed when it is asked for */
};

/* Moves r to an address; the numbers there never change. At most 2^24 * 4 words. */
void rng_at(struct rng *r, uint64_t seed, enum rng_purpose purpose, uint32_t rank,
	    uint64_t index);

/* The next four words. */
void rng_block(struct rng *r);

static inline uint32_t rng_u32(struct rng *r)
{
	if (r->left == 0)
		rng_block(r);
	return r->out[--r->left];
}

static inline uint64_t rng_u64(struct rng *r)
{
	uint64_t hi;

	if (r->left >= 2) {
		r->left -= 2;
		return (uint64_t)r->out[r->left + 1] << 32 | r->out[r->left];
	}
	hi = rng_u32(r);
	return hi << 32 | rng_u32(r);
}

/* Skips the first n words of the address to which r was just moved. */
void rng_skip(struct rng *r, size_t n);

/* words[n] <- the results of n calls of rng_u32(), five times as fast. */
void rng_words(struct rng *r, size_t n, uint32_t *words);

/* rng_at() and rng_words() in one call. */
void rng_fill(uint64_t seed, enum rng_purpose purpose, uint32_t rank, uint64_t index, size_t n,
	      uint32_t *words);

/* Uniform in the open interval (0, 1), 53 bits. */
static inline double rng_uniform(struct rng *r)
{
	return ((double)(rng_u64(r) >> 11) + 0.5) * 0x1p-53;
}

/* Standard normal (Box-Muller). */
double rng_normal(struct rng *r);

/* Uniform integer in [0, n), without bias; n >= 1. */
uint64_t rng_below(struct rng *r, uint64_t n);

/* Permutations of at most RNG_EXACT numbers are drawn exactly; larger ones need no memory. */
enum { RNG_EXACT = 4096 };

/*
 * order[n] <- the permutation of [0, n) that rng_permute() uses, n <= RNG_EXACT: all n! are equally
 * likely (Fisher-Yates).
 */
void rng_shuffle(uint64_t seed, enum rng_purpose purpose, uint64_t index, size_t n,
		 uint16_t *order);

/*
 * Image of i under a random permutation of [0, n) given by (seed, purpose, index): that of
 * rng_shuffle(), which is cached for the next call; for larger n a pseudo-random one, a Feistel
 * network with cycle walking. n >= 1, i < n.
 */
uint64_t rng_permute(uint64_t seed, enum rng_purpose purpose, uint64_t index, uint64_t n,
		     uint64_t i);

/* Inverse of rng_permute(): the number whose image is i. */
uint64_t rng_permute_back(uint64_t seed, enum rng_purpose purpose, uint64_t index, uint64_t n,
			  uint64_t i);

/* ---- addresses of consecutive indices, computed together ---- */

enum { RNG_EACH = 16 };         /* largest n of rng_at_each() */

/* r[n] <- rng_at() for the indices index .. index + n - 1, but faster. */
void rng_at_each(struct rng *r, size_t n, uint64_t seed, enum rng_purpose purpose, uint32_t rank,
		 uint64_t index);

#endif

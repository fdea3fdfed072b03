/* Computes the first blocks of several random addresses in vectors. */
#include "core/math/rng.h"

#include "core/math/philox.h"
#include "core/math/wide.h"

/* out[4][RNG_EACH] <- the words of the first blocks at so many addresses from an index on. */
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

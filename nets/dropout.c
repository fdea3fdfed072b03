/* The units that dropout drops: drawn alike for all backends. */
#include "core/math/rng.h"
#include "core/math/wide.h"
#include "nets/backend.h"

void dropout_mask(size_t n, size_t count, double rate, uint64_t seed, int layer,
		  const uint64_t *use, float *mask)
{
	for (size_t i = 0; i < n; i++)
		dropout_units(0, count, rate, seed, (uint32_t)layer, use[i], mask + i * count);
}

enum { DRAWS = 256 };                   /* words that are drawn at once */

WIDE static void dropout_choose(size_t n, const uint32_t *words, uint32_t threshold, float kept,
				float *mask)
{
	for (size_t k = 0; k < n; k++)
		mask[k] = words[k] < threshold ? 0.0f : kept;
}

void dropout_units(size_t first, size_t count, double rate, uint64_t seed, uint32_t address,
		   uint64_t use, float *mask)
{
	const float kept = (float)(1.0 / (1.0 - rate));
	const uint32_t threshold = (uint32_t)(rate * 0x1p32);
	uint32_t words[DRAWS];
	struct rng r;

	rng_at(&r, seed, RNG_DROPOUT, address, use);
	rng_skip(&r, first);
	for (size_t k = 0, n; k < count; k += n) {
		n = count - k < DRAWS ? count - k : DRAWS;
		rng_words(&r, n, words);
		dropout_choose(n, words, threshold, kept, mask + k);
	}
}

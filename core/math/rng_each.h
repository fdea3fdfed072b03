/* Random numbers at the addresses of neighbouring indices, begun together. */
#ifndef CORE_MATH_RNG_EACH_H
#define CORE_MATH_RNG_EACH_H

#include "core/math/rng.h"

enum { RNG_EACH = 8 };          /* the most of them */

/* r[n] <- the addresses of n indices from that one on: as rng_at() of each, but quicker. */
void rng_at_each(struct rng *r, size_t n, uint64_t seed, enum rng_purpose purpose, uint32_t rank,
		 uint64_t index);

#endif

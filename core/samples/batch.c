/* Draws the samples of a worker's k-th minibatch, and shuffles each epoch. */
#include "core/samples/batch.h"

#include "core/math/rng.h"

void sampler_batch(const struct sampler *s, int rank, int64_t index, int64_t *sample,
		   uint64_t *use)
{
	const int64_t round = (int64_t)s->size * s->workers;
	const int64_t rounds = s->samples / round;      /* in an epoch */
	const int64_t epoch = index / rounds;
	const int64_t first = index % rounds * round +
			      slice_from(s->slice, s->size, rank);
	const size_t n = sampler_size(s, rank);

	for (size_t i = 0; i < n; i++) {
		uint64_t place = (uint64_t)first + i;

		sample[i] = (int64_t)rng_permute(s->seed, RNG_SHUFFLE, (uint64_t)epoch,
						 (uint64_t)s->samples, place);
		use[i] = (uint64_t)epoch * (uint64_t)s->samples + place;
	}
}

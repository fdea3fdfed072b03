/* Draws the samples of a worker's k-th minibatch, and shuffles each epoch. */
#include "core/samples/batch.h"

#include "core/math/rng.h"

/* The samples of a part, in an order of their own in each epoch of the part. */
static void sampler_own_batch(const struct sampler *s, int rank, int64_t index, int64_t *sample,
			      uint64_t *use)
{
	const struct sample_part *part = &s->part[rank];
	const size_t n = sampler_size(s, rank);

	for (size_t i = 0; i < n; i++) {
		const int64_t drawn = index * (int64_t)n + (int64_t)i;
		const int64_t epoch = drawn / part->n, position = drawn % part->n;

		sample[i] = part->first +
			    (int64_t)rng_permute(s->seed, RNG_SHUFFLE,
						 (uint64_t)(epoch * s->workers + rank),
						 (uint64_t)part->n, (uint64_t)position);
		use[i] = (uint64_t)(epoch * s->samples + part->first + position);
	}
}

/* The samples of all, in one order in each epoch. */
static void sampler_shared_batch(const struct sampler *s, int rank, int64_t index,
				 int64_t *sample, uint64_t *use)
{
	const int64_t round = (int64_t)s->size * s->workers;
	const int64_t rounds = sampler_rounds(s);
	const int64_t epoch = index / rounds, turn = index % rounds;
	const int64_t own = slice_from(s->slice, s->size, rank);
	const size_t n = sampler_size(s, rank);

	for (size_t i = 0; i < n; i++) {
		const uint64_t position = (uint64_t)(turn * round + own) + i;

		if (s->streams)
			sample[i] = (own + (int64_t)i) * rounds + turn;
		else
			sample[i] = (int64_t)rng_permute(s->seed, RNG_SHUFFLE, (uint64_t)epoch,
							 (uint64_t)s->samples, position);
		use[i] = (uint64_t)epoch * (uint64_t)s->samples + position;
	}
}

void sampler_batch(const struct sampler *s, int rank, int64_t index, int64_t *sample,
		   uint64_t *use)
{
	if (s->part)
		sampler_own_batch(s, rank, index, sample, use);
	else
		sampler_shared_batch(s, rank, index, sample, use);
}

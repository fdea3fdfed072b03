/*
 * batch.h - which samples the k-th minibatch of worker w holds.
 *
 * Every epoch shuffles all samples; the shuffled row is dealt out in rounds of
 * workers * size, of which worker w takes the w-th slice (slice.h). So the k-th batch of
 * a worker is the same in every engine and for every algorithm, and N workers
 * of batch b see, round by round, what one worker of batch N * b sees. The
 * samples that do not fill a round wait for the next epoch's shuffle.
 */
#ifndef CORE_SAMPLES_BATCH_H
#define CORE_SAMPLES_BATCH_H

#include "core/samples/slice.h"

struct sampler {
	uint64_t seed;
	int64_t samples;        /* in the training set, >= workers * size */
	int workers;
	size_t size;            /* samples of a minibatch, on average */
	const int64_t *slice;   /* [workers + 1] of a round, borrowed; NULL: equal ones */
};

struct batch {
	size_t n;
	const int64_t *sample;  /* [n] indices into the split; borrowed */
	/* [n] address of each use: epoch * samples + place in the shuffle; NULL: no augmentation */
	const uint64_t *use;
	uint64_t seed;
};

/* Samples of a minibatch of that worker. */
static inline size_t sampler_size(const struct sampler *s, int rank)
{
	return slice_size(s->slice, s->size, rank);
}

/*
 * Writes the indices and uses of minibatch `index` of worker `rank`:
 * sample[n], use[n], where n is its sampler_size(). The arrays belong to the caller.
 */
void sampler_batch(const struct sampler *s, int rank, int64_t index, int64_t *sample,
		   uint64_t *use);

#endif

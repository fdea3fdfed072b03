/*
 * batch.h - the samples in minibatch k of worker w.
 *
 * Every epoch shuffles all samples; the shuffled sequence is dealt out in rounds of workers * size,
 * of which worker w takes the w-th slice (slice.h). So the k-th batch of a worker is the same in
 * every engine and for every algorithm, and N workers of batch b see, round by round, what one
 * worker of batch N * b sees. Samples that do not fill a round are left out until the next epoch's
 * shuffle.
 *
 * If each worker has its own part of the samples, it shuffles that part, and begins again when it
 * has used all of it: a round has the same size as ever, and parts may be unequal.
 *
 * If samples are read as streams, nothing is shuffled: the samples are cut into as many streams as
 * a round has samples, and a round takes the next sample of each. So batch k of a worker continues
 * its batch k - 1, and every epoch begins at the streams' beginnings. The samples after the last
 * stream, fewer than a round, are not used.
 */
#ifndef CORE_SAMPLES_BATCH_H
#define CORE_SAMPLES_BATCH_H

#include "core/samples/slice.h"

#include <stdbool.h>

struct sample_part {            /* a worker's own part of the training samples */
	int64_t first, n;
};

struct shuffles;               /* shuffled orders, cached for the next batches */

struct sampler {
	uint64_t seed;
	int64_t samples;        /* in the training set, >= workers * size */
	int workers;
	size_t size;            /* samples of a minibatch, on average */
	const int64_t *slice;   /* [workers + 1] slices of a round, borrowed; NULL: equal */
	const struct sample_part *part; /* [workers], borrowed; NULL: all share all samples */
	/* [samples] borrowed: the parts are stretches of this list of samples; NULL: of the set */
	const int64_t *order;
	bool streams;           /* samples are read in order, in parallel streams */
	/*
	 * Cache, owned by the caller of shuffles_open(); NULL: each batch of a small set shuffles
	 * again.
	 */
	struct shuffles *shuffles;
};

struct batch {
	size_t n;
	const int64_t *sample;  /* [n] indices into the split; borrowed */
	/*
	 * [n] random address of each use: epoch * samples + position in the shuffle, where a
	 * worker's own part comes after those of lower ranks; NULL: no augmentation
	 */
	const uint64_t *use;
	uint64_t seed;
};

/*
 * Cache of the orders of a run's samples in this epoch and the next, if all of them, or a worker's
 * own, are few enough to be shuffled exactly (RNG_EXACT). Threads may share it. The caller frees.
 */
struct shuffles *shuffles_open(const struct sampler *s);
void shuffles_free(struct shuffles *s);

/* Rounds in an epoch, which is also the number of batches of each worker. */
static inline int64_t sampler_rounds(const struct sampler *s)
{
	return s->samples / ((int64_t)s->size * s->workers);
}

/* Samples in each minibatch of that worker. */
static inline size_t sampler_size(const struct sampler *s, int rank)
{
	return slice_size(s->slice, s->size, rank);
}

/* Weight of that worker's gradient: its samples over the mean (slice.h). */
static inline double sampler_weight(const struct sampler *s, int rank)
{
	return slice_weight(s->slice, s->size, rank);
}

/*
 * sample[n], use[n] <- indices and uses of minibatch `index` of worker `rank`, n = sampler_size().
 * The arrays belong to the caller.
 */
void sampler_batch(const struct sampler *s, int rank, int64_t index, int64_t *sample,
		   uint64_t *use);

#endif

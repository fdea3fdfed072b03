/*
 * batch.h - which samples the k-th minibatch of worker w holds.
 *
 * Every epoch shuffles all samples; the shuffled row is dealt out in rounds of
 * workers * size, of which worker w takes the w-th slice (slice.h). So the k-th batch of
 * a worker is the same in every engine and for every algorithm, and N workers
 * of batch b see, round by round, what one worker of batch N * b sees. The
 * samples that do not fill a round wait for the next epoch's shuffle.
 *
 * Where workers have parts of the samples, each shuffles its own, and begins again when it has
 * used them all: a round is then as large as ever, and parts may be unequal.
 *
 * Where samples are read in streams nothing is shuffled: they are cut into as many streams as a
 * round has samples, and a round takes the next one of each. So batch k of a worker begins where
 * its batch k - 1 ended, and every epoch begins at the streams' beginnings. The samples after the
 * last stream, fewer than a round, are not used.
 */
#ifndef CORE_SAMPLES_BATCH_H
#define CORE_SAMPLES_BATCH_H

#include "core/samples/slice.h"

#include <stdbool.h>

struct sample_part {            /* of the training samples: a worker's own */
	int64_t first, n;
};

struct shuffles;               /* of parts and epochs, kept for the next batches */

struct sampler {
	uint64_t seed;
	int64_t samples;        /* in the training set, >= workers * size */
	int workers;
	size_t size;            /* samples of a minibatch, on average */
	const int64_t *slice;   /* [workers + 1] of a round, borrowed; NULL: equal ones */
	const struct sample_part *part; /* [workers], borrowed; NULL: all share all samples */
	bool streams;           /* samples are read in order, in parallel streams */
	/* Owned by who opened them; NULL: every batch of a small set shuffles it again. */
	struct shuffles *shuffles;
};

struct batch {
	size_t n;
	const int64_t *sample;  /* [n] indices into the split; borrowed */
	/*
	 * [n] address of each use: epoch * samples + index in the shuffle, that of a worker's own
	 * part after those of the parts before it; NULL: no augmentation
	 */
	const uint64_t *use;
	uint64_t seed;
};

/*
 * Memory for the orders of a run's samples in this epoch and the next, where all or a worker's own
 * are few enough to be shuffled exactly (RNG_EXACT). Threads may share it. The caller frees.
 */
struct shuffles *shuffles_open(const struct sampler *s);
void shuffles_free(struct shuffles *s);

/* Rounds of an epoch: batches of each worker. */
static inline int64_t sampler_rounds(const struct sampler *s)
{
	return s->samples / ((int64_t)s->size * s->workers);
}

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

/* Draws the samples of a worker's k-th minibatch, and shuffles each epoch. */
#include "core/samples/batch.h"

#include "core/base/mem.h"
#include "core/math/rng.h"

#include <pthread.h>
#include <stdlib.h>

/* ---- orders of few samples ---- */

struct batch_order {
	int64_t epoch;          /* -1: not used yet */
	uint16_t *at;           /* [samples]; NULL until needed */
};

struct shuffles {
	pthread_mutex_t lock;           /* guards all orders */
	int parts;                      /* workers with samples of their own, or 0 */
	struct batch_order order[][2];  /* [parts + 1] even and odd epochs; last: all samples */
};

struct shuffles *shuffles_open(const struct sampler *s)
{
	const int parts = s->part ? s->workers : 0;
	struct shuffles *sh = xcalloc(1, sizeof(*sh) + (size_t)(parts + 1) * sizeof(*sh->order));

	pthread_mutex_init(&sh->lock, NULL);
	sh->parts = parts;
	for (int i = 0; i <= parts; i++)
		sh->order[i][0].epoch = sh->order[i][1].epoch = -1;
	return sh;
}

void shuffles_free(struct shuffles *s)
{
	if (!s)
		return;
	for (int i = 0; i <= s->parts; i++)
		for (int k = 0; k < 2; k++)
			free(s->order[i][k].at);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

struct row {                    /* samples that are shuffled together, in one epoch */
	int part;               /* worker that has the part; -1: all workers share it */
	int64_t epoch;
	uint64_t index;         /* of the permutation */
	uint64_t n;
};

/* out[n] <- the samples at positions from, from + 1, ... of the row. Called with the lock held. */
static void row_read(const struct sampler *s, const struct row *r, uint64_t from, size_t n,
		     int64_t *out)
{
	struct shuffles *sh = s->shuffles;
	struct batch_order *o = &sh->order[r->part < 0 ? sh->parts : r->part][r->epoch & 1];

	if (o->epoch != r->epoch) {
		if (!o->at)
			o->at = xcalloc(r->n, sizeof(*o->at));
		rng_shuffle(s->seed, RNG_SHUFFLE, r->index, r->n, o->at);
		o->epoch = r->epoch;
	}
	for (size_t i = 0; i < n; i++)
		out[i] = o->at[from + i];
}

static void row_take(const struct sampler *s, const struct row *r, uint64_t from, size_t n,
		     int64_t *out)
{
	if (s->shuffles && r->n <= RNG_EXACT) {
		pthread_mutex_lock(&s->shuffles->lock);
		row_read(s, r, from, n, out);
		pthread_mutex_unlock(&s->shuffles->lock);
		return;
	}
	for (size_t i = 0; i < n; i++)
		out[i] = (int64_t)rng_permute(s->seed, RNG_SHUFFLE, r->index, r->n, from + i);
}

/* ---- batches ---- */

/* Minibatch of a worker with its own part of the samples, shuffled in each epoch of the part. */
static void sampler_own_batch(const struct sampler *s, int rank, int64_t index, int64_t *sample,
			      uint64_t *use)
{
	const struct sample_part *part = &s->part[rank];
	const size_t n = sampler_size(s, rank);
	size_t some;

	for (size_t i = 0; i < n; i += some) {
		const int64_t drawn = index * (int64_t)n + (int64_t)i;
		const int64_t epoch = drawn / part->n, position = drawn % part->n;
		const struct row row = { rank, epoch, (uint64_t)(epoch * s->workers + rank),
					 (uint64_t)part->n };

		some = n - i < (size_t)(part->n - position) ? n - i
							    : (size_t)(part->n - position);
		row_take(s, &row, (uint64_t)position, some, sample + i);
		for (size_t k = i; k < i + some; k++) {
			sample[k] += part->first;
			if (s->order)
				sample[k] = s->order[sample[k]];
			use[k] = (uint64_t)(epoch * s->samples + part->first + position) + k - i;
		}
	}
}

/* Minibatch from the samples of all workers, shuffled in each epoch. */
static void sampler_shared_batch(const struct sampler *s, int rank, int64_t index,
				 int64_t *sample, uint64_t *use)
{
	const int64_t round = (int64_t)s->size * s->workers;
	const int64_t rounds = sampler_rounds(s);
	const int64_t epoch = index / rounds, turn = index % rounds;
	const int64_t own = slice_from(s->slice, s->size, rank);
	const size_t n = sampler_size(s, rank);
	const uint64_t position = (uint64_t)(turn * round + own);
	const struct row row = { -1, epoch, (uint64_t)epoch, (uint64_t)s->samples };

	if (!s->streams)
		row_take(s, &row, position, n, sample);
	for (size_t i = 0; i < n; i++) {
		if (s->streams)
			sample[i] = (own + (int64_t)i) * rounds + turn;
		use[i] = (uint64_t)epoch * (uint64_t)s->samples + position + i;
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

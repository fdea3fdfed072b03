/* Threads that read announced batches into slots before a job asks for them. */
#include "core/samples/loader.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/base/thread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* A batch that is read ahead. */
struct loader_slot {
	bool used;
	bool taken;             /* the caller that asked for the batch is here */
	bool sure;
	uint64_t order;         /* of announcement */
	uint64_t received;      /* number of the last loader_expect() that named it */
	enum split split;
	struct batch batch;     /* its arrays are the slot's */
	size_t capacity;        /* samples that the arrays hold */
	int64_t *sample;
	uint64_t *use;
	uint8_t *pixels;        /* [capacity][sample bytes] */
	int32_t *labels;        /* [capacity] */
	size_t begun, done;     /* samples */
};

struct loader {
	const struct dataset *ds;
	size_t size;                    /* bytes of a sample */
	pthread_mutex_t lock;           /* guards all below but the pixels */
	pthread_cond_t work, whole;     /* there are samples to read; a slot is complete */
	struct loader_slot **slot;      /* [slots] */
	size_t slots;
	uint64_t announced, calls;      /* batches announced; calls of loader_expect() */
	bool closing;
	atomic_bool failed;             /* a sample could not be read */
	pthread_t *thread;
	int threads;
};

/* ---- slots; functions are called with the lock held, unless they say otherwise ---- */

static bool same_batch(const struct loader_slot *s, enum split split, const struct batch *b)
{
	const struct batch *own = &s->batch;

	return s->split == split && own->n == b->n && own->seed == b->seed &&
	       !own->use == !b->use &&
	       memcmp(own->sample, b->sample, b->n * sizeof *b->sample) == 0 &&
	       (!b->use || memcmp(own->use, b->use, b->n * sizeof *b->use) == 0);
}

static struct loader_slot *loader_find(const struct loader *l, enum split split,
				       const struct batch *b)
{
	for (size_t i = 0; i < l->slots; i++)
		if (l->slot[i]->used && !l->slot[i]->taken && same_batch(l->slot[i], split, b))
			return l->slot[i];
	return NULL;
}

/*
 * The slot whose samples to read next: sure before likely, then in order of announcement; NULL:
 * none.
 */
static struct loader_slot *next_slot(const struct loader *l)
{
	struct loader_slot *best = NULL;

	for (size_t i = 0; i < l->slots; i++) {
		struct loader_slot *s = l->slot[i];

		if (!s->used || s->begun == s->batch.n)
			continue;
		if (!best || s->sure > best->sure ||
		    (s->sure == best->sure && s->order < best->order))
			best = s;
	}
	return best;
}

/*
 * True for a batch that was read, but has not been announced for so long that it was probably
 * fetched before. A batch that is about to be taken is not announced either, but not for so long.
 */
static bool is_stale(const struct loader *l, const struct loader_slot *s)
{
	return !s->taken && s->done == s->batch.n && l->calls - s->received > 4 * l->slots;
}

/* A free or stale slot; for a sure batch, else that of the last likely one that no thread reads. */
static struct loader_slot *loader_free_slot(const struct loader *l, bool sure)
{
	struct loader_slot *last = NULL;

	for (size_t i = 0; i < l->slots; i++) {
		struct loader_slot *s = l->slot[i];

		if (!s->used || is_stale(l, s))
			return s;
		if (sure && !s->sure && !s->taken && s->begun == s->done &&
		    (!last || s->order > last->order))
			last = s;
	}
	return last;
}

static void slot_clear(struct loader_slot *s)
{
	free_all(s->sample, s->use, s->pixels, s->labels);
	*s = (struct loader_slot){ 0 };
}

static void slot_grow(struct loader_slot *s, size_t n, size_t size)
{
	if (n <= s->capacity)
		return;
	slot_clear(s);
	s->sample = xcalloc(n, sizeof *s->sample);
	s->use = xcalloc(n, sizeof *s->use);
	s->pixels = xcalloc(n, size);
	s->labels = xcalloc(n, sizeof *s->labels);
	s->capacity = n;
}

/* Reads one sample; releases the lock meanwhile. */
static void read_one(struct loader *l, struct loader_slot *s)
{
	const size_t k = s->begun++;

	pthread_mutex_unlock(&l->lock);
	if (!atomic_load(&l->failed) &&
	    dataset_view(l->ds, s->split, &s->batch, k, s->pixels + k * l->size,
			 &s->labels[k]) < 0)
		atomic_store(&l->failed, true);
	pthread_mutex_lock(&l->lock);
	if (++s->done == s->batch.n)
		pthread_cond_broadcast(&l->whole);
}

static void *reader_main(void *arg)
{
	struct loader *l = arg;
	struct loader_slot *s;

	pthread_mutex_lock(&l->lock);
	while (!l->closing) {
		s = next_slot(l);
		if (s)
			read_one(l, s);
		else
			pthread_cond_wait(&l->work, &l->lock);
	}
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

/* ---- public functions ---- */

struct loader *loader_new(const struct dataset *ds, int threads)
{
	struct loader *l = xcalloc(1, sizeof *l);

	l->ds = ds;
	l->size = dataset_sample_bytes(ds);
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->work, NULL);
	pthread_cond_init(&l->whole, NULL);
	l->thread = xcalloc((size_t)threads, sizeof *l->thread);
	for (; l->threads < threads; l->threads++)
		if (thread_start(&l->thread[l->threads], reader_main, l)) {
			warning("cannot start reading thread %d of %d: reading may take longer",
				l->threads + 1, threads);
			break;
		}
	return l;
}

void loader_free(struct loader *l)
{
	if (!l)
		return;
	pthread_mutex_lock(&l->lock);
	l->closing = true;
	pthread_cond_broadcast(&l->work);
	pthread_mutex_unlock(&l->lock);
	for (int i = 0; i < l->threads; i++)
		pthread_join(l->thread[i], NULL);
	for (size_t i = 0; i < l->slots; i++) {
		slot_clear(l->slot[i]);
		free(l->slot[i]);
	}
	pthread_cond_destroy(&l->whole);
	pthread_cond_destroy(&l->work);
	pthread_mutex_destroy(&l->lock);
	free_all(l->slot, l->thread, l);
}

void loader_add_reader(struct loader *l)
{
	const size_t more = (size_t)l->ds->ahead + 1;  /* one is being taken */

	pthread_mutex_lock(&l->lock);
	l->slot = xrealloc(l->slot, l->slots + more, sizeof(*l->slot));
	for (size_t i = 0; i < more; i++)
		l->slot[l->slots++] = xcalloc(1, sizeof(**l->slot));
	pthread_mutex_unlock(&l->lock);
}

bool loader_expect(struct loader *l, enum split split, const struct batch *b, bool sure)
{
	struct loader_slot *s;

	pthread_mutex_lock(&l->lock);
	l->calls++;
	s = loader_find(l, split, b);
	if (s) {
		s->sure |= sure;
	} else if ((s = loader_free_slot(l, sure))) {
		slot_grow(s, b->n, l->size);
		memcpy(s->sample, b->sample, b->n * sizeof *b->sample);
		if (b->use)
			memcpy(s->use, b->use, b->n * sizeof *b->use);
		s->batch = (struct batch){ b->n, s->sample, b->use ? s->use : NULL, b->seed };
		s->split = split;
		s->begun = s->done = 0;
		s->used = true;
		s->taken = false;
		s->sure = sure;
		s->order = ++l->announced;
		pthread_cond_broadcast(&l->work);
	}
	if (s)
		s->received = l->calls;
	pthread_mutex_unlock(&l->lock);
	return s;
}

/* Slot of the batch, completely read, and marked as taken; NULL when it was not announced. */
static struct loader_slot *loader_take(struct loader *l, enum split split, const struct batch *b)
{
	struct loader_slot *s;

	pthread_mutex_lock(&l->lock);
	s = loader_find(l, split, b);
	if (s) {
		s->taken = true;
		while (s->begun < s->batch.n)
			read_one(l, s);
		while (s->done < s->batch.n)
			pthread_cond_wait(&l->whole, &l->lock);
	}
	pthread_mutex_unlock(&l->lock);
	return s;
}

bool loader_failed(const struct loader *l)
{
	return l && atomic_load(&l->failed);
}

int loader_fetch(struct loader *l, enum split split, const struct batch *b, float *images,
		 int32_t *labels)
{
	struct loader_slot *s = loader_take(l, split, b);

	if (!s)
		return loader_failed(l) ? -1 : dataset_fetch(l->ds, split, b, images, labels);
	dataset_normalise(l->ds, b->n, s->pixels, images);
	memcpy(labels, s->labels, b->n * sizeof *labels);
	pthread_mutex_lock(&l->lock);
	s->used = false;
	pthread_mutex_unlock(&l->lock);
	return loader_failed(l) ? -1 : 0;
}

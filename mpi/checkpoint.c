/*
 * checkpoint.c - a run put aside, and taken up again.
 *
 * When one is due, all hold back gradients that are ready, and what is under way is
 * delivered. Then nothing of the run is outside of the nodes, and every process writes
 * its own: their memory (hold.c), the gradient being computed as its snapshot, a sum
 * that others have not asked for yet. Held gradients are then delivered; nothing else
 * has changed. Files of process p are PATH.G.p, of generation G, its number of
 * gradients; PATH itself, written last, says which generation is whole.
 */
#include "mpi/state.h"

#include "core/clock.h"
#include "core/error.h"
#include "core/vault.h"
#include "core/vec.h"
#include "mpi/mark.h"
#include "mpi/sum_codes.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

struct title {                  /* of every file */
	char magic[24];
	char id[24];            /* of the run */
	int64_t generation;
	int32_t rank, size;
};

struct common {                 /* of a process */
	double elapsed;
	int64_t known, counter;         /* counter: on process 0 */
	int32_t stopped_workers, room;
	uint64_t used;                  /* bytes of the hold */
};

struct saved {                  /* of a node */
	struct ledger ledger;
	int64_t step, stamp_of_snapshot, index, sums, summed;
	uint64_t draws, packed;
	double idle;            /* seconds since it began to be idle; HUGE_VAL: it is not */
	int32_t computing, adds, stopped, summing, coded, timers, letters, room;
	uint64_t into;          /* the gradient's sum: where in the hold */
	uint64_t v, n;          /* the sum's vector: where in the hold, and how long */
};

struct saved_timer {
	double left;            /* seconds */
	int64_t token;
};

static char *file_of(const struct real *r, int64_t generation)
{
	return xasprintf("%s.%lld.%d", r->conf->checkpoint, (long long)generation, r->rank);
}

static struct title title_of(const struct real *r, int64_t generation, int rank)
{
	struct title t = { .magic = "convoy checkpoint 2", .generation = generation,
			   .rank = rank, .size = r->size };

	snprintf(t.id, sizeof(t.id), "%s", r->conf->id);
	return t;
}

/* ---- when ---- */

void checkpoint_if_due(struct real *r, int64_t gradients)
{
	if (r->conf->checkpoint &&
	    real_ends_span(&r->run, gradients, r->conf->checkpoint_every))
		post_all(r, &(struct header){ .kind = LETTER_PAUSE, .tag = PAUSE_CHECKPOINT,
					      .stamp = gradients });
}

/* ---- writing ---- */

static void put_timers(struct vault *s, const struct real_node *sn, double now)
{
	for (const struct timer *t = sn->timers; t; t = t->next)
		vault_put(s, &(struct saved_timer){ t->time - now, t->token },
			  sizeof(struct saved_timer));
}

/* Messages that came while it did not listen. */
static void put_inbox(struct vault *s, const struct letters *inbox)
{
	for (const struct letter *l = inbox->head; l; l = l->next)
		vault_put(s, l->at, sizeof(struct header) + letter_header(l)->bytes);
}

static int32_t count_letters(const struct letters *q)
{
	int32_t n = 0;

	for (const struct letter *l = q->head; l; l = l->next)
		n++;
	return n;
}

static int32_t count_timers(const struct real_node *sn)
{
	int32_t n = 0;

	for (const struct timer *t = sn->timers; t; t = t->next)
		n++;
	return n;
}

static uint64_t place_of(const struct real *r, const float *v)
{
	return (uint64_t)((const char *)v - r->hold.at);
}

static void put_node(const struct real *r, struct vault *s, const struct node *nd)
{
	const struct real_node *sn = real_node(nd);
	const double now = real_now(r);
	const bool adds = sn->task && nd->adds;
	const struct saved saved = {
		.ledger = nd->ledger, .step = nd->step, .draws = nd->draws,
		.packed = nd->packed, .coded = sn->summing && sn->coded,
		.stamp_of_snapshot = sn->stamp, .index = sn->index, .sums = sn->sums,
		.summed = sn->summed, .computing = sn->task != NULL, .adds = adds,
		.into = adds ? place_of(r, nd->into) : 0, .stopped = sn->stopped,
		.summing = sn->summing, .timers = count_timers(sn),
		.letters = count_letters(&sn->inbox),
		.idle = isfinite(sn->idle_from) ? now - sn->idle_from : HUGE_VAL,
		.v = sn->summing ? place_of(r, sn->v) : 0, .n = sn->n,
	};

	vault_put(s, &saved, sizeof(saved));
	if (sn->task)
		vault_put(s, sn->task->x, nd->dim * sizeof(float));
	if (sn->summing)
		vault_put(s, real_sum_own(r, sn), real_sum_bytes(r, sn));
	put_timers(s, sn, now);
	put_inbox(s, &sn->inbox);
}

static int write_own(struct real *r, int64_t generation)
{
	const struct title title = title_of(r, generation, r->rank);
	const struct common common = {
		.elapsed = real_now(r), .known = r->known,
		.counter = r->rank ? 0 : *r->counter.at,
		.stopped_workers = r->stopped_workers, .used = r->hold.used,
	};
	char *path = file_of(r, generation);
	struct vault s;
	int ret = vault_create(&s, path);

	if (!ret) {
		vault_put(&s, &title, sizeof(title));
		vault_put(&s, &common, sizeof(common));
		vault_put(&s, r->hold.at, r->hold.used);
		for (int i = 0; i < r->n; i++)
			put_node(r, &s, &r->nodes[i]);
		if (!r->rank)
			marks_put(r, &s);
		if (!r->rank && r->conf->save)
			r->conf->save(r->conf->ctx, &s);
		ret = vault_finish(&s, path);
	}
	free(path);
	return ret;
}

/* Process 0: from here on this generation is the one to go on from. */
static int write_index(struct real *r, int64_t generation)
{
	const struct title title = title_of(r, generation, -1);
	struct vault s;

	if (vault_create(&s, r->conf->checkpoint) < 0)
		return -1;
	vault_put(&s, &title, sizeof(title));
	return vault_finish(&s, r->conf->checkpoint);
}

static void drop_own(struct real *r, int64_t generation)
{
	char *path = file_of(r, generation);

	if (generation >= 0)
		unlink(path);
	free(path);
}

/* The old generation stays until the new one is whole. */
void checkpoint_write(struct real *r)
{
	const int64_t generation = r->pause;
	bool failed = real_agree(write_own(r, generation) < 0) != 0;

	if (!failed && !r->rank)
		failed = write_index(r, generation) < 0;
	real_share(&failed, sizeof(failed));
	if (failed && !r->rank)
		warning("no checkpoint after %lld gradients; the run goes on",
			(long long)generation);
	if (failed && generation == r->generation)
		return;
	drop_own(r, failed ? generation : r->generation == generation ? -1 : r->generation);
	if (!failed)
		r->generation = generation;
}

void checkpoint_drop(struct real *r)
{
	if (!r->conf->checkpoint)
		return;
	drop_own(r, r->generation);
	if (!r->rank)
		unlink(r->conf->checkpoint);
}

/* ---- reading ---- */

static int check_title(const struct real *r, const struct title *t, const char *path, int rank)
{
	const struct title want = title_of(r, t->generation, rank);

	if (memcmp(t->magic, want.magic, sizeof(want.magic)))
		return error("'%s' is no checkpoint of this version", path);
	if (memcmp(t->id, want.id, sizeof(want.id)))
		return error("'%s' is of another run", path);
	if (t->rank != want.rank || t->size != want.size)
		return error("'%s' is of rank %d of %d, not of %d of %d", path, (int)t->rank,
			     (int)t->size, rank, r->size);
	return 0;
}

static int read_index(struct real *r, int64_t *generation)
{
	struct title title;
	struct vault s;

	if (vault_open(&s, r->conf->checkpoint) < 0)
		return -1;
	vault_get(&s, &title, sizeof(title));
	if (vault_close(&s, r->conf->checkpoint) < 0 ||
	    check_title(r, &title, r->conf->checkpoint, -1) < 0)
		return -1;
	*generation = title.generation;
	return 0;
}

static void get_timers(struct real *r, struct vault *s, struct real_node *sn, int n)
{
	struct timer **at = &sn->timers;

	for (int i = 0; i < n && !s->failed; i++) {
		struct saved_timer t;

		vault_get(s, &t, sizeof(t));
		*at = xcalloc(1, sizeof(**at));
		(*at)->time = real_now(r) + t.left;
		(*at)->token = (int)t.token;
		at = &(*at)->next;
	}
}

static void get_inbox(struct real *r, struct vault *s, struct real_node *sn, int n)
{
	for (int i = 0; i < n && !s->failed; i++) {
		struct header h;
		struct letter *l;

		vault_get(s, &h, sizeof(h));
		if (s->failed || h.bytes > SIZE_MAX - 2 * sizeof(h)) {
			s->failed = true;
			return;
		}
		l = letter_new(r, h.bytes);
		*letter_header(l) = h;
		vault_get(s, letter_vec(l), h.bytes);
		letters_push(&sn->inbox, l);
	}
}

/* The vector [n] at that place in the hold; NULL when there is none. */
static float *vector_at(const struct real *r, struct vault *s, uint64_t at, uint64_t n)
{
	if (at <= r->hold.used && n <= (r->hold.used - at) / sizeof(float))
		return (float *)(void *)(r->hold.at + at);
	s->failed = true;
	return NULL;
}

/* A gradient is computed anew. */
static void get_gradient(struct real *r, struct vault *s, struct node *nd,
			 const struct saved *saved)
{
	nd->adds = saved->adds;
	nd->into = saved->adds ? vector_at(r, s, saved->into, nd->dim) : NULL;
	if (!s->failed)
		real_compute(r, nd, saved->index - 1, s);
}

/* A sum is asked for anew. */
static void get_sum(struct real *r, struct vault *s, struct node *nd, const struct saved *saved)
{
	float *v = vector_at(r, s, saved->v, saved->n);

	if (!v)
		return;
	real_sum_again(r, s, nd, v, saved->n, saved->coded);
}

static void get_node(struct real *r, struct vault *s, struct node *nd)
{
	struct real_node *sn = real_node(nd);
	struct saved saved;

	vault_get(s, &saved, sizeof(saved));
	nd->step = saved.step;
	nd->draws = saved.draws;
	nd->packed = saved.packed;
	sn->stopped = saved.stopped;
	sn->index = saved.index;
	sn->sums = saved.sums;
	sn->summed = saved.summed;
	sn->idle_from = isfinite(saved.idle) ? real_now(r) - saved.idle : HUGE_VAL;
	if (saved.computing && !s->failed)
		get_gradient(r, s, nd, &saved);
	sn->stamp = saved.stamp_of_snapshot;
	if (saved.summing && !s->failed)
		get_sum(r, s, nd, &saved);
	get_timers(r, s, sn, saved.timers);
	get_inbox(r, s, sn, saved.letters);
	nd->ledger = saved.ledger;
}

static void get_all(struct real *r, struct vault *s, const struct common *common)
{
	r->began = clock_s() - common->elapsed;
	r->known = common->known;
	r->stopped_workers = common->stopped_workers;
	if (!r->rank) {
		counter_set(r, common->counter);
		tape_resume(r, common->counter);
	}
	hold_grow(&r->hold, common->used);
	vault_get(s, r->hold.at, common->used);
	for (int i = 0; i < r->n && !s->failed; i++)
		get_node(r, s, &r->nodes[i]);
	if (!r->rank && !s->failed)
		marks_get(r, s);
	if (!r->rank && !s->failed && r->conf->load)
		r->conf->load(r->conf->ctx, s);
}

/* Opens this process's file of a generation, at what follows its title and its common part. */
static int open_own(struct real *r, struct vault *s, const char *path, struct common *common)
{
	struct title title;

	if (vault_open(s, path) < 0)
		return -1;
	vault_get(s, &title, sizeof(title));
	vault_get(s, common, sizeof(*common));
	if (!s->failed && check_title(r, &title, path, r->rank) == 0)
		return 0;
	vault_close(s, path);
	return -1;
}

int checkpoint_read(struct real *r)
{
	int ret = r->rank ? 0 : read_index(r, &r->generation);
	struct common common;
	struct vault s;
	char *path;

	if (real_agree(ret < 0))
		return -1;
	real_share(&r->generation, sizeof(r->generation));
	path = file_of(r, r->generation);
	ret = open_own(r, &s, path, &common);
	if (!real_agree(ret < 0)) {
		get_all(r, &s, &common);
		ret = vault_close(&s, path);
	}
	free(path);
	return real_agree(ret < 0) ? -1 : 0;
}

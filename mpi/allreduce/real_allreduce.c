/*
 * real_allreduce.c - all-reduces during the event loop: in pieces, by MPI's own, or by a ring.
 *
 * Every process begins the pieces of a vector in the same order; those of a gradient may begin
 * while it is being computed. When the all-reduce is asked for, two numbers are all-reduced too:
 * the gradients that a member knows of, so that all members step at the same epoch, and the time at
 * which the last member asked. Codes of gradients are gathered from all by every process, or, if
 * they can be added, summed in shares; in one piece.
 */
#include "core/base/error.h"

#include "core/codec.h"
#include "core/engine/pieces.h"
#include "core/file/checked.h"
#include "core/math/vec.h"
#include "mpi/state.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/*
 * Final parts of a gradient of which the rest is still being computed.
 *
 * All ranks begin buckets (core/engine/pieces.h) in the same order, whichever is final first. A
 * thread of the pool counts the floats that are final; the event loop reads how many buckets are
 * ready, and sends these.
 */

static struct allreduce_rule rule_of(const struct real *r, size_t n)
{
	return allreduce_rule(n, r->run.workers, r->near, (size_t)r->conf->bucket / sizeof(float));
}

/* Subtracts g[from, to), which is final, from the floats that its buckets wait for. */
static void count_down(struct buckets *b, size_t from, size_t to)
{
	while (from < to) {
		const int k = (int)((b->n - 1 - from) / b->size);
		const size_t end = b->n - (size_t)k * b->size;
		const size_t until = to < end ? to : end;

		b->left[k] -= until - from;
		from = until;
	}
}

/* Called on a thread of the pool when g[from, to) is final. */
static void part_done(struct grad_hook *h, size_t from, size_t to)
{
	struct buckets *b = (struct buckets *)h;
	int ready = atomic_load_explicit(&b->ready, memory_order_relaxed);

	count_down(b, from, to);
	while (ready < b->count && b->left[ready] == 0)
		ready++;
	atomic_store_explicit(&b->ready, ready, memory_order_release);
}

void buckets_open(struct real *r, struct buckets *b, size_t n)
{
	const size_t size = r->conf->allreduce == ALLREDUCE_BUCKETS ? rule_of(r, n).piece : n;
	size_t from;

	if (!b->left)
		b->left = arena_alloc(&r->arena, (size_t)bucket_count(n, size), sizeof(*b->left));
	b->hook = (struct grad_hook){ part_done };
	b->n = n;
	b->size = size;
	b->count = bucket_count(n, size);
	for (int k = 0; k < b->count; k++)
		b->left[k] = bucket_at(n, size, k, &from);
	atomic_store_explicit(&b->ready, 0, memory_order_relaxed);
}

/*
 * All-reduces of packed gradients.
 *
 * Every member gathers the codes of all, decodes them, and adds them in the order of ranks. Codes
 * that are floats of fewer bits are added: each member gets all codes of its share of the words,
 * adds what they stand for in the order of ranks, and packs the sum, and these shares are gathered.
 * So the results are bit-identical on all members, in every run.
 */

/* Bytes that arrive at most: the codes of all, or those of a share, which may be a word longer. */
static size_t codes_arriving(const struct real *r)
{
	const size_t n = (size_t)r->run.workers, bytes = codec_bytes(&r->run);

	return codec_adds(&r->run) ? bytes + n * sizeof(uint32_t) : n * bytes;
}

static void codes_open(struct real *r, struct real_node *sn)
{
	const size_t n = (size_t)r->run.workers;
	struct code_shares *s = &sn->shares;

	if (sn->codes)
		return;
	sn->codes = arena_alloc(&r->arena, 1, codes_arriving(r) + codec_bytes(&r->run));
	s->words = arena_alloc(&r->arena, n, sizeof(int));
	s->from = arena_alloc(&r->arena, n, sizeof(int));
	s->own = arena_alloc(&r->arena, n, sizeof(int));
	s->at = arena_alloc(&r->arena, n, sizeof(int));
}

/* Our own part of an all-reduce of codes, [codec_bytes]. */
static void *codes_own(const struct real *r, const struct real_node *sn)
{
	return sn->codes + codes_arriving(r);
}

static void shares_begin(struct real *r, struct real_node *sn)
{
	const size_t words = codec_part_bytes(&r->run, sn->n) / sizeof(uint32_t);
	struct code_shares *s = &sn->shares;
	const int n = r->run.workers;

	for (int k = 0; k < n; k++) {
		s->words[k] = (int)ring_length(words, n, k);
		s->from[k] = (int)ring_start(words, n, k);
		s->own[k] = (int)ring_length(words, n, r->rank);
		s->at[k] = k * s->own[k];
	}
	s->added = false;
	MPI_Ialltoallv(codes_own(r, sn), s->words, s->from, MPI_UINT32_T, sn->codes, s->own, s->at,
		       MPI_UINT32_T, r->workers, &sn->request[0]);
}

/* Begins to gather the shares once all codes of ours are here; true once it has begun. */
static bool shares_go_on(struct real *r, struct real_node *sn)
{
	struct code_shares *s = &sn->shares;
	const size_t each = sizeof(uint32_t) / codec_float_bytes(&r->run);
	const size_t from = each * (size_t)s->from[r->rank];
	size_t n = each * (size_t)s->words[r->rank];
	int done;

	if (s->added)
		return true;
	MPI_Test(&sn->request[0], &done, MPI_STATUS_IGNORE);
	if (!done)
		return false;
	n = from + n > sn->n ? sn->n - from : n;        /* the last word may be half full */
	codec_unpack(&r->run, n, sn->codes, sn->v + from);
	for (int k = 1; k < r->run.workers; k++)
		codec_add(&r->run, n, sn->codes + sizeof(uint32_t) * (size_t)s->at[k],
			  sn->v + from);
	codec_pack_sum(&r->run, n, sn->v + from,
		       sn->codes + sizeof(uint32_t) * (size_t)s->from[r->rank]);
	MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, sn->codes, s->words, s->from,
			MPI_UINT32_T, r->workers, &sn->request[0]);
	s->added = true;
	return true;
}

/* Begins an all-reduce of codes; request[0] is done when they, or the sum's, have arrived. */
static void codes_begin(struct real *r, struct real_node *sn)
{
	const int bytes = (int)codec_part_bytes(&r->run, sn->n);

	if (codec_adds(&r->run))
		shares_begin(r, sn);
	else
		MPI_Iallgather(codes_own(r, sn), bytes, MPI_BYTE, sn->codes, bytes, MPI_BYTE,
			       r->workers, &sn->request[0]);
}

size_t real_allreduce_bytes(const struct real *r, const struct real_node *sn)
{
	return sn->coded ? codec_part_bytes(&r->run, sn->n) : sn->n * sizeof(float);
}

void real_allreduce_decode(const struct real *r, const struct real_node *sn)
{
	const size_t bytes = codec_part_bytes(&r->run, sn->n);

	if (!sn->coded)
		return;
	codec_unpack(&r->run, sn->n, sn->codes, sn->v);
	for (int k = 1; k < r->run.workers && !codec_adds(&r->run); k++)
		codec_add(&r->run, sn->n, sn->codes + (size_t)k * bytes, sn->v);
}

/*
 * The ring all-reduce of the papers (Patarasuk, Yuan 2009), piece by piece.
 *
 * The vector is cut into as many pieces as there are workers. At step t worker i sends piece i - t
 * to its right and gets piece i - t - 1 from its left, which it adds to its own in the first n - 1
 * steps, and which replaces its own in the last n - 1 (all modulo n). So
 *
 *     piece c of the sum = (((v_c + v_c+1) + v_c+2) + ...) + v_c-1
 *
 * on every worker and in every run, bit by bit, whatever arrives first.
 */

/* Index of the piece that a worker sends at this step, and has received at the one before. */
static int piece_at(int n, int worker, int step)
{
	return (worker - step % n + n) % n;
}

static void allreduce_ring_post(struct real *r, struct real_node *sn)
{
	const int n = r->run.workers, i = r->rank, t = sn->ring.step;
	const int out = piece_at(n, i, t), in = piece_at(n, i, t + 1);
	float *at = t < n - 1 ? sn->side : sn->v + ring_start(sn->n, n, in);

	MPI_Irecv(at, (int)ring_length(sn->n, n, in), MPI_FLOAT, (i + n - 1) % n, 0, r->workers,
		  &sn->ring.request[1]);
	MPI_Isend(sn->v + ring_start(sn->n, n, out), (int)ring_length(sn->n, n, out), MPI_FLOAT,
		  (i + 1) % n, 0, r->workers, &sn->ring.request[0]);
}

/* Begins to add sn->v over the workers by a ring; sn->side can hold a piece. */
static void ring_begin(struct real *r, struct real_node *sn)
{
	sn->ring.step = 0;
	if (r->run.workers > 1)
		allreduce_ring_post(r, sn);
}

/* Continues the ring; true once the all-reduce is done. */
static bool ring_done(struct real *r, struct real_node *sn)
{
	const int n = r->run.workers, steps = 2 * (n - 1);
	int done, in;

	while (sn->ring.step < steps) {
		MPI_Testall(2, sn->ring.request, &done, MPI_STATUSES_IGNORE);
		if (!done)
			return false;
		in = piece_at(n, r->rank, sn->ring.step + 1);
		if (sn->ring.step < n - 1)
			vec_axpy(ring_length(sn->n, n, in), 1.0f, sn->side,
				 sn->v + ring_start(sn->n, n, in));
		if (++sn->ring.step < steps)
			allreduce_ring_post(r, sn);
	}
	return true;
}

/* ---- the operations ---- */

static bool in_pieces(const struct real *r, const struct real_node *sn)
{
	return r->conf->allreduce == ALLREDUCE_BUCKETS && !sn->coded;
}

/* Allocates at least n floats at *at; the content is lost. */
static void allreduce_grow(struct real *r, float **at, size_t *capacity, size_t n)
{
	if (*capacity >= n)
		return;
	*at = arena_alloc(&r->arena, n, sizeof(float));
	*capacity = n;
}

static void open_allreduce(struct real *r, struct real_node *sn, float *v, const float *own,
			   size_t n)
{
	sn->open = true;
	sn->v = v;
	sn->own = own;
	sn->n = n;
	sn->request[0] = sn->request[1] = MPI_REQUEST_NULL;
	if (in_pieces(r, sn)) {
		const struct allreduce_rule rule = rule_of(r, n);

		sn->pieces.comm = r->workers;
		sn->pieces.rank = r->rank;
		sn->pieces.ranks = r->run.workers;
		sn->pieces.arena = &r->arena;
		allreduce_open(&sn->pieces, &rule, own, v, n);
	}
}

/*
 * Begins to all-reduce the two numbers; not in place, for which Open MPI 4.1 takes twice as long.
 */
static void begin_rest(struct real *r, struct real_node *sn)
{
	if (sn->coded)
		codes_begin(r, sn);
	else if (r->conf->allreduce == ALLREDUCE_RING)
		ring_begin(r, sn);
	else if (r->conf->allreduce == ALLREDUCE_WHOLE)
		MPI_Iallreduce(sn->own, sn->v, (int)sn->n, MPI_FLOAT, MPI_SUM, r->workers,
			       &sn->request[0]);
	else
		allreduce_go_on(&sn->pieces, sn->pieces.pieces);
	if (!sn->mosts)
		sn->mosts = arena_alloc(&r->arena, 2 * (size_t)r->run.workers, sizeof(double));
	MPI_Iallgather(sn->most, 2, MPI_DOUBLE, sn->mosts, 2, MPI_DOUBLE, r->workers,
		       &sn->request[1]);
}

/* ---- requests ---- */

static void ask(struct real *r, struct node *nd)
{
	struct real_node *sn = real_node(nd);
	const size_t bytes = real_allreduce_bytes(r, sn);
	const bool gathers = sn->coded && !codec_adds(&r->run);
	/*
	 * Twice the others' share, as in every optimal all-reduce; where codes are gathered, those
	 * of all others.
	 */
	const int64_t wire =
		gathers ? (int64_t)bytes * (nd->workers - 1) :
			  (int64_t)(2.0 * (nd->workers - 1) / nd->workers * (double)bytes);

	sn->allreducing = true;
	sn->allreduces++;
	sn->most[0] = (double)r->known;
	sn->most[1] = real_now(r);
	nd->ledger.bytes_sent += wire;
	nd->ledger.bytes_received += wire;
	nd->ledger.messages += (gathers ? 1 : 2) * (nd->workers - 1);
	begin_rest(r, sn);
}

/* Memory for our part of an all-reduce of v[n]; 0, or -1 after real_fail(). */
static int allreduce_prepare(struct real *r, struct real_node *sn, size_t n, bool coded)
{
	if ((coded ? codec_part_bytes(&r->run, n) : n) > INT_MAX) {
		error("an all-reduce of %zu floats: MPI takes %d at most", n, INT_MAX);
		real_fail(r);
		return -1;
	}
	sn->coded = coded;
	if (coded)
		codes_open(r, sn);
	else
		allreduce_grow(r, &sn->side, &sn->side_capacity, n);
	return 0;
}

/* Copies our part, v[n], to the buffer from which it is added. */
static void put_own(struct real *r, struct real_node *sn, const float *v, size_t n)
{
	if (r->conf->allreduce == ALLREDUCE_RING && r->conf->checkpoint.path) {
		allreduce_grow(r, &sn->kept, &sn->kept_capacity, n);
		vec_copy(n, v, sn->kept);
	} else if (r->conf->allreduce != ALLREDUCE_RING) {
		vec_copy(n, v, sn->side);
	}
}

void real_allreduce(struct real *r, struct node *nd, float *v, size_t n, bool codes)
{
	struct real_node *sn = real_node(nd);

	if (sn->open)
		BUG("%s: rank %d requests a second all-reduce before the first is done",
		    r->run.algo->plugin.name, nd->rank);
	if (allreduce_prepare(r, sn, n, codes && codec_packs(&r->run)) < 0)
		return;
	if (sn->coded)
		codec_pack(nd, n, v, codes_own(r, sn));
	else
		put_own(r, sn, v, n);
	open_allreduce(r, sn, v, sn->side, n);
	ask(r, nd);
}

void real_allreduce_read(struct real *r, struct checked *s, struct node *nd, float *v, size_t n,
			 bool coded)
{
	struct real_node *sn = real_node(nd);

	if (allreduce_prepare(r, sn, n, coded) < 0)
		return;
	if (coded) {
		checked_get(s, codes_own(r, sn), codec_part_bytes(&r->run, n));
	} else {
		checked_get(s, v, n * sizeof(*v));
		put_own(r, sn, v, n);
	}
	sn->allreducing = true;
	sn->v = v;
	sn->n = n;
}

void real_allreduce_again(struct real *r, struct node *nd)
{
	struct real_node *sn = real_node(nd);
	const struct ledger counted = nd->ledger;       /* this request among others */

	open_allreduce(r, sn, sn->v, sn->side, sn->n);
	ask(r, nd);
	nd->ledger = counted;
}

void real_allreduce_task(struct real *r, struct node *nd, struct task *t)
{
	struct real_node *sn = real_node(nd);

	if (r->conf->allreduce == ALLREDUCE_RING || sn->allreducing || codec_acts(&r->run)) {
		node_deliver(nd, &(struct grad){ .vec = t->g, .loss = t->job.loss });
		task_put(r, t);
		return;
	}
	nd->adds = false;
	sn->part = t;
	if (!sn->open)
		open_allreduce(r, sn, nd->into, t->g, nd->dim);
	ask(r, nd);
}

void real_allreduce_parts(struct real *r, struct node *nd)
{
	struct real_node *sn = real_node(nd);
	struct task *t = sn->task;
	int ready;

	if (!t || !t->job.hook || sn->allreducing)
		return;
	ready = atomic_load_explicit(&t->buckets.ready, memory_order_acquire);
	if (ready && !sn->open)
		open_allreduce(r, sn, nd->into, t->g, nd->dim);
	if (ready)
		allreduce_go_on(&sn->pieces, ready);
}

/* ---- delivery ---- */

bool real_allreduce_done(struct real *r, struct node *nd)
{
	struct real_node *sn = real_node(nd);
	int done = 0;

	if (!sn->allreducing)
		return false;
	if (!sn->coded && r->conf->allreduce == ALLREDUCE_RING && !ring_done(r, sn))
		return false;
	if (sn->coded && codec_adds(&r->run) && !shares_go_on(r, sn))
		return false;
	if (in_pieces(r, sn) && !allreduce_go_on(&sn->pieces, sn->pieces.pieces))
		return false;
	MPI_Testall(2, sn->request, &done, MPI_STATUSES_IGNORE);
	if (done) {
		/* Largest values over the members. */
		for (int k = 0; k < 2 * r->run.workers; k++)
			sn->most[k % 2] = fmax(sn->most[k % 2], sn->mosts[k]);
		if (sn->most[0] > (double)r->known)
			r->known = (int64_t)sn->most[0];
	}
	return done;
}

void real_allreduce_close(struct real *r, struct real_node *sn)
{
	sn->open = sn->allreducing = false;
	if (sn->part)
		task_put(r, sn->part);
	sn->part = NULL;
}

const void *real_allreduce_own(const struct real *r, const struct real_node *sn)
{
	if (sn->coded)
		return codes_own(r, sn);
	return r->conf->allreduce == ALLREDUCE_RING ? sn->kept : sn->own;
}

/* ---- the end ---- */

/*
 * Takes part in an all-reduce with zeros, for a gradient that was dropped; no node gets the result.
 */
static void take_part(struct real *r, struct real_node *sn, size_t n, bool coded)
{
	const float *zeros = arena_alloc(&r->arena, n, sizeof(float));

	if (allreduce_prepare(r, sn, n, coded) < 0)
		return;
	if (coded)
		memset(codes_own(r, sn), 0, codec_part_bytes(&r->run, n));
	if (!sn->open)
		open_allreduce(r, sn, arena_alloc(&r->arena, n, sizeof(float)), zeros, n);
	sn->own = sn->pieces.own = zeros;
	sn->allreducing = true;
	begin_rest(r, sn);
}

/*
 * v[n] <- largest values over all processes. No message is received meanwhile: a faster process may
 * already take part in an all-reduce that belongs to no step, and must not be delivered.
 */
static void agree_most(struct real *r, int64_t *v, int n)
{
	MPI_Request request;
	int done = 0;

	MPI_Iallreduce(MPI_IN_PLACE, v, n, MPI_INT64_T, MPI_MAX, r->waves, &request);
	for (int idle = 0; !done; idle++) {
		MPI_Test(&request, &done, MPI_STATUS_IGNORE);
		if (!done)
			real_idle(r, idle);
	}
}

/* Number of the last all-reduce that this rank has begun, counted from 1; 0: none. */
static int64_t last_begun(const struct real_node *sn)
{
	return sn ? sn->allreduces + (sn->open && !sn->allreducing) : 0;
}

/*
 * Runs rounds until all-reduces before number `last`, which all members have asked for, are
 * delivered.
 */
static void receive_before(struct real *r, const struct real_node *sn, int64_t last)
{
	int idle = 0;

	while (sn && sn->allreduced < sn->allreduces && sn->allreduces < last && !r->failed)
		if (!real_round(r))
			real_idle(r, idle++);
}

/*
 * True if all members have asked for the last all-reduce that any has begun, so that it will end.
 */
static bool all_asked(struct real *r, const struct real_node *sn, int64_t *last)
{
	int64_t most[2] = { last_begun(sn), sn ? -sn->allreduces : -INT64_MAX };

	agree_most(r, most, 2);
	*last = most[0];
	return most[0] == -most[1];
}

void real_allreduce_settle(struct real *r)
{
	struct real_node *sn = r->nodes[0].rank == SERVER ? NULL : &r->priv[0];
	int64_t most[2] = { 0 }, last;

	if (r->failed)
		return;
	all_asked(r, sn, &last);
	receive_before(r, sn, last);
	if (r->failed || all_asked(r, sn, &last))
		return;
	if (last_begun(sn) == last) {
		most[0] = (int64_t)sn->n;
		most[1] = sn->coded;
	}
	agree_most(r, most, 2);
	if (!sn)
		return;
	if (!sn->allreducing)
		take_part(r, sn, (size_t)most[0], most[1]);
	for (int idle = 0; !r->failed && !real_allreduce_done(r, &r->nodes[0]); idle++)
		real_idle(r, idle);
	real_allreduce_close(r, sn);
}

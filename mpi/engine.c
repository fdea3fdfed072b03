/* The engine "mpi": what nodes request (gradients, messages, all-reduces, timers), in real time. */
#include "mpi/state.h"

#include "core/codec.h"
#include "core/file/checked.h"
#include "core/math/vec.h"

#include <math.h>
#include <string.h>

static struct real *real_of(const struct node *nd)
{
	return real_node(nd)->real;
}

/* ---- gradients ---- */

/* A spare task, or a new one. */
static struct task *task_new(struct real *r, const struct node *nd)
{
	struct task *t = r->spare_task;

	if (t) {
		r->spare_task = t->next;
		return t;
	}
	t = arena_alloc(&r->arena, 1, sizeof(*t));
	t->x = arena_alloc(&r->arena, nd->dim, sizeof(float));
	t->g = arena_alloc(&r->arena, node_grad_floats(nd), sizeof(float));
	return t;
}

void task_put(struct real *r, struct task *t)
{
	t->next = r->spare_task;
	r->spare_task = t;
}

/*
 * True if the all-reduce begins with the first parts of the gradient (buckets) while the rest is
 * computed. Not for a compressed gradient, which is added as a whole; nor if compute_s or a pace
 * above 1 sets its duration, as the times of its parts are then unknown.
 */
static bool overlaps_allreduce(const struct real *r, const struct real_node *sn)
{
	return r->conf->allreduce == ALLREDUCE_BUCKETS && r->conf->overlap &&
	       r->conf->compute_s <= 0.0 && sn->factor <= 1.0 && !codec_acts(&r->run);
}

/* Begins the node's gradient `index`; the caller fills in the snapshot of the task returned. */
static struct task *task_begin(struct real *r, struct node *nd, int64_t index)
{
	struct real_node *sn = real_node(nd);
	struct task *t = task_new(r, nd);

	sn->task = t;
	sn->ready = false;
	sn->begun = real_now(r);
	/* a worker's gradients and stages are slowed down; a stage on the server is not */
	sn->factor = nd->rank == SERVER ?
			     1.0 :
			     pace_factor(&r->conf->pace, r->run.seed, nd->rank, index, sn->begun);
	t->job = node_job(nd, t->x, index, t->g);
	if (nd->adds && overlaps_allreduce(r, sn)) {
		buckets_open(r, &t->buckets, nd->dim);
		t->job.hook = &t->buckets.hook;
	}
	return t;
}

void real_compute_read(struct real *r, struct node *nd, int64_t index, struct checked *s)
{
	struct task *t = task_begin(r, nd, index);

	real_node(nd)->first = (double)NAN;     /* its request is not timed again */
	checked_get(s, t->x, nd->dim * sizeof(float));
}

static void real_node_grad(struct node *nd)
{
	struct real *r = real_of(nd);
	struct real_node *sn = real_node(nd);
	struct task *t;

	if (r->stopping)
		node_refuse(nd, real_now(r), r->known);
	if (r->stopping || sn->stopped)
		return;
	if (sn->task)
		algo_mistake(&r->run, "rank %d asks for a second gradient while one is in flight",
			     nd->rank);
	if (node_reads(nd))
		window_clock(r, nd);
	t = task_begin(r, nd, node_take(nd, &sn->index, &sn->stamp));
	if (node_reads(nd))
		sn->first = nd->goes_on ? (double)NAN : sn->begun;
	if (nd->moved)
		shared_read(nd->dim, nd->x, t->x);
	else
		vec_copy(nd->dim, nd->x, t->x);
	if (node_reads(nd))
		marks_pass(r, nd, t->x);
	pool_submit(r->run.pool, &t->job);
}

void real_drop(struct node *nd)
{
	struct real_node *sn = real_node(nd);
	struct real *r = sn->real;
	struct task *t = sn->task;
	const double now = real_now(r);

	if (!t)
		return;
	nd->ledger.dropped += nd->rank != SERVER;
	run_emit(&r->run, &(struct event){ .kind = EV_DROP, .time = now, .gradients = r->known,
					   .epoch = run_epochs(&r->run, r->known), .node = nd,
					   .begun = sn->begun, .asked = sn->first,
					   .seconds = now - sn->begun });
	sn->task = NULL;
	/* a job that a thread has begun uses the task until it ends: real_reap() returns it then */
	if (sn->ready || pool_withdraw(r->run.pool, &t->job)) {
		task_put(r, t);
	} else {
		t->next = r->dropped;
		r->dropped = t;
	}
}

void real_reap(struct real *r)
{
	for (struct task **at = &r->dropped, *t; (t = *at);) {
		if (!pool_wait_for(r->run.pool, &t->job, 0.0)) {
			at = &t->next;
			continue;
		}
		*at = t->next;
		task_put(r, t);
	}
}

static void real_node_cancel(struct node *nd)
{
	struct real_node *sn = real_node(nd);

	if (sn->task)
		nd->ledger.compute += real_now(sn->real) - sn->begun;
	real_drop(nd);
}

/* ---- messages, all-reduces, timers ---- */

static void real_node_send(struct node *nd, int to, const struct msg *m)
{
	struct real *r = real_of(nd);
	const bool codes = m->codes && codec_packs(&r->run);
	const size_t bytes = codes ? codec_bytes(&r->run) : m->n * sizeof(float);
	struct message *l;
	/* gradients known here since the first one in the message; -1: it has none */
	int32_t since = -1;

	if (to != SERVER && (to < 0 || to >= nd->workers))
		algo_mistake(&r->run, "rank %d sends to rank %d of %d", nd->rank, to, nd->workers);
	if (nd->sending >= 0)
		since = r->known - nd->sending < INT32_MAX ? (int32_t)(r->known - nd->sending) :
							     INT32_MAX;
	l = message_new(r, bytes);
	*message_header(l) = (struct header){ .kind = MESSAGE_MSG,
					      .from = nd->rank, .to = to, .tag = m->tag,
					      .stamp = m->stamp, .n = m->n, .bytes = bytes,
					      .codes = codes,
					      .since = since };
	if (codes)
		codec_pack(nd, m->n, m->vec, message_vec(l));
	else if (m->n)
		memcpy(message_vec(l), m->vec, m->n * sizeof(float));
	r->balance++;
	nd->ledger.messages++;
	nd->ledger.bytes_sent += bytes + sizeof(struct header);
	run_emit(&r->run, &(struct event){ .kind = EV_SEND, .time = real_node(nd)->now,
					   .gradients = r->known, .node = nd, .peer = to,
					   .bytes = bytes + sizeof(struct header),
					   .tag = m->tag });
	post_send(r, l, real_index(r, to), bytes);
}

static void real_node_allreduce(struct node *nd, float *v, size_t n, bool codes)
{
	real_allreduce(real_of(nd), nd, v, n, codes);
}

/* Inserts a timer; timers are in order of time, equal ones in the order in which they were set. */
static void real_node_after(struct node *nd, double seconds, int token)
{
	struct real_node *sn = real_node(nd);
	struct timer *t = xcalloc(1, sizeof(*t)), **at = &sn->timers;

	*t = (struct timer){ .time = real_now(sn->real) + fmax(seconds, 0.0), .token = token };
	while (*at && (*at)->time <= t->time)
		at = &(*at)->next;
	t->next = *at;
	*at = t;
}

/* Tells process 0, once, that the node has stopped. */
static void real_node_stop(struct node *nd)
{
	struct real *r = real_of(nd);
	struct message *l;

	if (real_node(nd)->stopped)
		return;
	real_node(nd)->stopped = true;
	l = message_new(r, 0);
	*message_header(l) = (struct header){ .kind = MESSAGE_STOPPED, .from = nd->rank };
	post_send(r, l, 0, 0);
}

/* ---- clocks and memory ---- */

static double real_node_now(const struct node *nd)
{
	return real_node(nd)->now;
}

static int64_t real_node_gradients(const struct node *nd)
{
	const struct real *r = real_of(nd);

	return node_counted(nd, r->known);
}

static double real_node_epoch(const struct node *nd)
{
	return run_epochs(nd->run, real_node_gradients(nd));
}

static void *real_node_alloc(struct node *nd, size_t n, size_t size)
{
	return hold_alloc(&real_of(nd)->hold, n, size);
}

static float *real_node_floats(struct node *nd, size_t n)
{
	return hold_alloc(&real_of(nd)->hold, n, sizeof(float));
}

static void real_node_stepped(struct node *nd)
{
	if (nd->moved)
		window_add(real_of(nd), nd);
}

const struct engine real_engine = {
	.name = "mpi",
	.grad = real_node_grad, .cancel = real_node_cancel, .send = real_node_send,
	.allreduce = real_node_allreduce, .after = real_node_after, .stop = real_node_stop,
	.now = real_node_now, .epoch = real_node_epoch, .gradients = real_node_gradients,
	.alloc = real_node_alloc, .floats = real_node_floats, .stepped = real_node_stepped,
};

/* What nodes may ask for, in real time. */
#include "mpi/state.h"

#include "core/base/error.h"
#include "core/codec.h"
#include "core/file/checked.h"
#include "core/math/vec.h"

#include <math.h>
#include <string.h>

static struct real *real_of(const struct node *nd)
{
	return real_node(nd)->real;
}

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

/* How long a stage lasts follows from its worker's pace; the head's, of a server, from none. */
static double engine_factor(const struct real *r, const struct node *nd, int64_t index, double now)
{
	return nd->rank == SERVER
		       ? 1.0 : pace_factor(&r->conf->pace, r->run.seed, nd->rank, index, now);
}

static void only_workers(const struct node *nd, const char *what)
{
	if (nd->rank == SERVER)
		BUG("%s: the server asks for %s", nd->run->algo->plugin.name, what);
}

/*
 * Parts are added as they come, while the rest is computed. Not those of a packed gradient, whole;
 * nor of one that is made to last: then the time in which they would have come is not known.
 */
static bool adds_parts(const struct real *r, const struct real_node *sn)
{
	return r->conf->allreduce == ALLREDUCE_BUCKETS && r->conf->overlap &&
	       r->conf->compute_s <= 0.0 && sn->factor <= 1.0 && !codec_acts(&r->run);
}

/* The node's index-th gradient, at a snapshot that the caller makes in what is returned. */
static struct task *engine_begin(struct real *r, struct node *nd, int64_t index)
{
	struct real_node *sn = real_node(nd);
	struct task *t = task_new(r, nd);

	sn->task = t;
	sn->ready = false;
	sn->begun = real_now(r);
	sn->factor = engine_factor(r, nd, index, sn->begun);
	t->job = node_stage_job(nd, t->x, index, t->g);
	if (nd->adds && adds_parts(r, sn)) {
		buckets_open(r, &t->buckets, nd->dim);
		t->job.hook = &t->buckets.hook;
	}
	return t;
}

void real_compute(struct real *r, struct node *nd, int64_t index, struct checked *s)
{
	struct task *t = engine_begin(r, nd, index);

	real_node(nd)->first = (double)NAN;
	checked_get(s, t->x, nd->dim * sizeof(float));
	pool_submit(r->run.pool, &t->job);
}

static void take_snapshot(const struct node *nd, float *x)
{
	if (nd->moved)
		shared_read(nd->dim, nd->x, x);
	else
		vec_copy(nd->dim, nd->x, x);
}

/* True of a gradient, or its forward pass, which takes new samples. */
static bool engine_reads(const struct node *nd)
{
	const enum grad_stage stage = node_stage_asked(nd);

	return stage == STAGE_WHOLE || stage == STAGE_FORWARD;
}

/* Which minibatch: the next one, or of a backward pass that of the forward pass before it. */
static int64_t engine_index(struct real *r, struct node *nd)
{
	struct real_node *sn = real_node(nd);

	if (!engine_reads(nd))
		return sn->index - 1;
	window_clock(r, nd);
	sn->stamp = nd->step;
	return sn->index++;
}

/* All that the round before it needed has come. */
static void engine_refuse(struct real *r, const struct node *nd)
{
	const double now = real_now(r);

	run_emit(&r->run, &(struct event){ .kind = EV_REFUSE, .time = now, .gradients = r->known,
					   .epoch = run_epochs(&r->run, r->known), .node = nd,
					   .asked = nd->goes_on ? (double)NAN : now });
}

static void engine_grad(struct node *nd)
{
	struct real *r = real_of(nd);
	struct real_node *sn = real_node(nd);
	struct task *t;
	int64_t index;

	if (node_stage_asked(nd) != STAGE_HEAD)
		only_workers(nd, "a gradient");
	if (r->stopping)
		engine_refuse(r, nd);
	if (r->stopping || sn->stopped)
		return;
	if (sn->task)
		BUG("%s: rank %d asks for a second gradient while one is in flight",
		    r->run.algo->plugin.name, nd->rank);
	index = engine_index(r, nd);
	if (nd->stages)
		node_stage_take(nd, index);
	t = engine_begin(r, nd, index);
	if (engine_reads(nd))
		sn->first = nd->goes_on ? (double)NAN : sn->begun;
	take_snapshot(nd, t->x);
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

static void engine_cancel(struct node *nd)
{
	struct real_node *sn = real_node(nd);

	if (sn->task)
		nd->ledger.compute += real_now(sn->real) - sn->begun;
	real_drop(nd);
}

/* Puts a message's vector, or its codes, after the message's header. */
static void write_message(struct node *nd, const struct msg *m, struct message *l)
{
	if (message_header(l)->codes)
		codec_pack(nd, m->n, m->vec, message_vec(l));
	else if (m->n)
		memcpy(message_vec(l), m->vec, m->n * sizeof(float));
}

/* Gradients known here since the first of those that the message is made of, or -1. */
static int32_t since_first(const struct real *r, const struct node *nd)
{
	if (nd->sending < 0)
		return -1;
	return r->known - nd->sending < INT32_MAX ? (int32_t)(r->known - nd->sending) : INT32_MAX;
}

static void engine_send(struct node *nd, int to, const struct msg *m)
{
	struct real *r = real_of(nd);
	const bool codes = m->codes && codec_packs(&r->run);
	const size_t bytes = codes ? codec_bytes(&r->run) : m->n * sizeof(float);
	struct message *l;

	if (to != SERVER && (to < 0 || to >= nd->workers))
		BUG("%s: rank %d sends to rank %d of %d", r->run.algo->plugin.name, nd->rank, to,
		    nd->workers);
	l = message_new(r, bytes);
	*message_header(l) = (struct header){ .kind = MESSAGE_MSG, .from = nd->rank, .to = to,
					     .tag = m->tag, .stamp = m->stamp, .n = m->n,
					     .bytes = bytes, .codes = codes,
					     .since = since_first(r, nd) };
	write_message(nd, m, l);
	r->balance++;
	nd->ledger.messages++;
	nd->ledger.bytes_sent += (int64_t)(bytes + sizeof(struct header));
	run_emit(&r->run, &(struct event){ .kind = EV_SEND, .time = real_node(nd)->now,
					   .gradients = r->known, .node = nd, .peer = to,
					   .bytes = bytes + sizeof(struct header),
					   .tag = m->tag });
	post_send(r, l, real_index(r, to), bytes);
}

static void engine_allreduce(struct node *nd, float *v, size_t n, bool codes)
{
	only_workers(nd, "an all-reduce");
	real_allreduce(real_of(nd), nd, v, n, codes);
}

static void engine_after(struct node *nd, double seconds, int token)
{
	struct real_node *sn = real_node(nd);
	struct timer *t = xcalloc(1, sizeof(*t)), **at = &sn->timers;

	*t = (struct timer){ .time = real_now(sn->real) + fmax(seconds, 0.0), .token = token };
	while (*at && (*at)->time <= t->time)
		at = &(*at)->next;
	t->next = *at;
	*at = t;
}

static void engine_stop(struct node *nd)
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

static double engine_now(const struct node *nd)
{
	return real_node(nd)->now;
}

static int64_t engine_gradients(const struct node *nd)
{
	const struct real *r = real_of(nd);

	return node_counted(nd, r->known);
}

static double engine_epoch(const struct node *nd)
{
	return run_epochs(nd->run, engine_gradients(nd));
}

static void *engine_alloc(struct node *nd, size_t n, size_t size)
{
	return hold_alloc(&real_of(nd)->hold, n, size);
}

static float *engine_floats(struct node *nd, size_t n)
{
	return hold_alloc(&real_of(nd)->hold, n, sizeof(float));
}

static void engine_stepped(struct node *nd)
{
	if (nd->moved)
		window_add(real_of(nd), nd);
}

const struct engine real_engine = {
	"mpi",	     engine_grad, engine_cancel, engine_send,	   engine_allreduce, engine_after,
	engine_stop, engine_now,  engine_epoch,	 engine_gradients, engine_alloc,     engine_floats,
	engine_stepped,
};

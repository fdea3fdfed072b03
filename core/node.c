/* A node's calls to its engine, its optimiser's steps, and the events that they emit. */
#include "core/node.h"

#include "core/base/apart.h"
#include "core/base/mem.h"
#include "core/codec.h"
#include "core/engine/engine.h"
#include "core/math/rng.h"
#include "core/math/vec.h"
#include "core/watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

atomic_ulong node_handlers;

struct node node_new(const struct run *run, int location, const struct engine *engine, void *priv)
{
	const struct algo *algo = run->algo;
	const bool server = location == run->workers;

	return (struct node){
		.rank = server ? SERVER : location, .size = run->workers + (algo->server != NULL),
		.workers = run->workers, .groups = 1, .added = run->workers,
		.dim = run->dim, .conf = run->algo_conf, .stamp = -1, .from = NO_PEER,
		.gathered = -1, .unsent = -1, .sending = -1,
		.role = server ? algo->server : algo->worker,
		.engine = engine, .run = run, .priv = priv,
	};
}

double algo_gain_limit(const struct algo *algo, const void *conf, int workers)
{
	return algo->gain_limit ? algo->gain_limit(conf, workers) : (double)INFINITY;
}

double algo_round(const struct algo *algo, const void *conf)
{
	const struct opt *o = algo->round ? opt_find(algo->plugin.opts, algo->round) : NULL;
	scoped char *text = o ? opt_format(o, conf) : NULL;

	return text ? strtod(text, NULL) : 1;
}

bool order_always(const struct run *run)
{
	(void)run;
	return true;
}

float *node_floats(struct node *nd, size_t n)
{
	return n ? nd->engine->floats(nd, n) : NULL;
}

void node_open(struct node *nd, float *shared, const float *start)
{
	const bool first = !nd->run->algo->shared || nd->rank == 0;

	nd->state = nd->engine->alloc(nd, nd->role->state_size, 1);
	nd->x = shared ? shared : first ? node_vec(nd) : NULL;
	nd->optim = node_floats(nd, optim_floats(nd->run->optim, nd->dim));
	nd->residual = node_floats(nd, codec_memory(nd->run));
	nd->allreduce = nd->rank == SERVER ? NULL : codec_open(nd);
	node_open_stages(nd);
	node_open_memory(nd);
	if (!shared)
		vec_copy(nd->dim, start, nd->x);
}

static void ask_for_grad(struct node *nd)
{
	node_only_workers(nd, "a gradient");
	if (run_wants(nd->run, EV_READ))
		run_emit(nd->run, &(struct event){ .kind = EV_READ,
						   .time = nd->engine->now(nd),
						   .node = nd, .peer = nd->rank });
	if (nd->run->watch)
		watch_grad(nd->run->watch, nd);
	nd->engine->grad(nd);
}

void node_grad(struct node *nd)
{
	nd->adds = nd->goes_on = false;
	ask_for_grad(nd);
}

void node_grad_local(struct node *nd)
{
	nd->adds = false;
	nd->goes_on = true;
	ask_for_grad(nd);
}

void node_grad_allreduce(struct node *nd, float *v)
{
	nd->adds = true;
	nd->goes_on = false;
	nd->into = v;
	ask_for_grad(nd);
}

void node_deliver(struct node *nd, const struct grad *g)
{
	if (!nd->adds) {
		node_must_react(nd, nd->role->grad, "a gradient");
		nd->role->grad(nd, g);
		return;
	}
	nd->adds = false;
	vec_copy(nd->dim, g->vec, nd->into);
	node_allreduce_grads(nd, nd->into);
}

void node_cancel(struct node *nd)
{
	if (nd->adds)
		algo_mistake(nd->run, "rank %d cancels a gradient that others may be adding "
				      "already", nd->rank);
	nd->engine->cancel(nd);
}

RARE static void node_sends_part(const struct node *nd, const struct msg *m)
{
	algo_mistake(nd->run, "rank %d sends %zu floats as a gradient of %zu", nd->rank, m->n,
		     nd->dim);
}

APART static void node_send_watched(struct node *nd, int to, const struct msg *m)
{
	watch_send(nd->run->watch, nd, to, m);
	nd->engine->send(nd, to, m);
}

/* Sends a vector to the server, which stands for all gradients of the worker since the last one. */
APART static void node_send_up(struct node *nd, const struct msg *m)
{
	nd->sending = nd->unsent;
	nd->unsent = -1;
	if (nd->run->watch)
		node_send_watched(nd, SERVER, m);
	else
		nd->engine->send(nd, SERVER, m);
	nd->sending = -1;
}

void node_send(struct node *nd, int to, const struct msg *m)
{
	if (m->codes && m->n != nd->dim)
		node_sends_part(nd, m);
	else if (to == SERVER && m->n)
		node_send_up(nd, m);
	else if (nd->run->watch)
		node_send_watched(nd, to, m);
	else
		nd->engine->send(nd, to, m);
}

void node_allreduce(struct node *nd, float *v, size_t n)
{
	node_only_workers(nd, "an all-reduce");
	nd->engine->allreduce(nd, v, n, false);
}

/* Begins the next stage of the node's staged all-reduce, or gives the node the result. */
static void node_allreduce_stage(struct node *nd)
{
	const size_t n = codec_stage(nd);

	if (n > 0) {
		nd->engine->allreduce(nd, nd->allreduce->sent, n, false);
		return;
	}
	nd->allreduce->under_way = false;
	nd->role->allreduce(nd, nd->allreduce->v, nd->dim);
}

void node_allreduce_grads(struct node *nd, float *v)
{
	node_allreduce_part(nd, v, 0, nd->dim);
}

void node_allreduce_part(struct node *nd, float *v, size_t from, size_t n)
{
	node_only_workers(nd, "an all-reduce");
	nd->part = from;
	if (!nd->allreduce) {
		nd->engine->allreduce(nd, v, n, true);
		return;
	}
	nd->allreduce->under_way = true;
	nd->allreduce->v = v;
	node_allreduce_stage(nd);
}

void node_allreduced(struct node *nd, float *v, size_t n)
{
	if (nd->allreduce && nd->allreduce->under_way)
		node_allreduce_stage(nd);
	else
		nd->role->allreduce(nd, v, n);
}

void node_after(struct node *nd, double seconds, int token)
{
	nd->engine->after(nd, seconds, token);
}

void node_stop(struct node *nd)
{
	nd->engine->stop(nd);
}

/* The algorithm has read the number. */
static double number_read(const struct node *nd, double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	if (nd->engine->reads)
		nd->engine->reads(nd, bits);
	return number;
}

double node_now(const struct node *nd)
{
	return number_read(nd, nd->engine->now(nd));
}

/*
 * In lockstep, counts by the node's own rounds: the engine's count depends on which message is
 * faster.
 */
int64_t node_counted(const struct node *nd, int64_t known)
{
	if (!nd->run->algo->lockstep || nd->rank == SERVER)
		return known;
	return nd->ledger.gradients * nd->run->workers;
}

double node_epoch(const struct node *nd)
{
	return number_read(nd, nd->engine->epoch(nd));
}

const struct topology *node_topology(const struct node *nd)
{
	return nd->run->graph;
}

size_t node_layers(const struct node *nd, const struct blob **layers)
{
	const struct pool *pool = nd->run->pool;

	*layers = pool ? pool->problem->blobs : NULL;
	return pool ? pool->problem->nblobs : 0;
}

uint64_t node_rand(struct node *nd)
{
	struct rng r;

	rng_at(&r, nd->run->seed, RNG_ALGO, (uint32_t)nd->rank, nd->draws++);
	return rng_u64(&r);
}

uint64_t node_rand_common(const struct node *nd, uint64_t index)
{
	struct rng r;

	rng_at(&r, nd->run->seed, RNG_ALGO, (uint32_t)NO_PEER, index);
	return rng_u64(&r);
}

void *node_alloc(struct node *nd, size_t n, size_t size)
{
	return nd->engine->alloc(nd, n, size);
}

float *node_vec(struct node *nd)
{
	return node_floats(nd, nd->dim);
}

/* Steps since the snapshot of the gradient being applied; 0 when it carries no clock. */
static int64_t node_staleness(const struct node *nd)
{
	return nd->stamp < 0 ? 0 : nd->step - nd->stamp;
}

double node_lr_since(const struct node *nd, int64_t gradients)
{
	const int64_t first = nd->gathered >= 0 ? nd->gathered : nd->before;
	const int64_t before = first > gradients ? first - gradients : 0;

	return stepsize_at(&nd->run->lr, run_epochs(nd->run, before));
}

double node_lr(const struct node *nd)
{
	return node_lr_since(nd, 0);
}

struct momentum node_momentum(const struct node *nd)
{
	const struct run *run = nd->run;

	return run->optim->momentum ? run->optim->momentum(run->optim_conf, run->workers)
				    : (struct momentum){ 0 };
}

struct decay node_decay(const struct node *nd)
{
	const struct run *run = nd->run;

	return run->optim->decay ? run->optim->decay(run->optim_conf) : (struct decay){ 0 };
}

float *node_optim(struct node *nd)
{
	return node_floats(nd, node_optim_floats(nd));
}

size_t node_optim_floats(const struct node *nd)
{
	return optim_floats(nd->run->optim, nd->dim);
}

size_t node_optim_vectors(const struct node *nd)
{
	return nd->run->optim->vectors;
}

/*
 * Sender of the gradients in a step: one worker, or several, which were shown as they were
 * gathered.
 */
enum whose { OF_ONE, OF_SEVERAL };

static void node_show(struct node *nd, enum event_kind kind, enum whose whose,
		      const struct measured *measured)
{
	run_emit(nd->run, &(struct event){ .kind = kind,
					   .time = nd->engine->now(nd),
					   .epoch = nd->engine->epoch(nd),
					   .gradients = nd->engine->gradients(nd),
					   .node = nd,
					   .peer = whose == OF_ONE ? nd->from : NO_PEER,
					   .staleness = whose == OF_ONE ? node_staleness(nd) : -1,
					   .lr = node_lr(nd),
					   .measured = measured });
}

/* Shows a step, counts it, and lets the engine charge for it. */
static void moved(struct node *nd, enum whose whose, const struct measured *measured)
{
	node_show(nd, EV_STEP, whose, measured);
	nd->gathered = -1;
	nd->step++;
	nd->ledger.steps++;
	if (nd->engine->stepped)
		nd->engine->stepped(nd);
}

/*
 * Vector to which the optimiser is applied: x; for a shared x its snapshot, whose change the engine
 * adds.
 */
static float *vector_to_step(const struct node *nd)
{
	if (!nd->moved)
		return nd->x;
	memcpy(nd->moved, nd->seen, nd->dim * sizeof(*nd->moved));
	return nd->moved;
}

/* Facts that the optimiser needs for a step made now. */
static struct stepping stepping_now(const struct node *nd, float w)
{
	struct stepping s = {
		.lr = (float)node_lr(nd),
		.w = w,
		/* With a shared x, an optimiser state counts only the node's own steps. */
		.step = nd->run->algo->shared ? nd->ledger.steps : nd->step,
		.staleness = node_staleness(nd), .workers = nd->run->workers,
	};

	s.nblobs = node_layers(nd, &s.blobs);
	return s;
}

void node_ahead(const struct node *nd, int64_t steps, float *x)
{
	const struct run *run = nd->run;
	struct stepping s;

	if (!x)
		return;
	s = stepping_now(nd, 0.0f);
	run->optim->ahead(run->optim_conf, &s, steps, nd->dim, nd->optim, x);
}

APART static void step_vectors(struct node *nd, enum whose whose, float *state, const float *g,
			       float w)
{
	const struct run *run = nd->run;
	const struct stepping s = stepping_now(nd, w);

	if (run->watch)
		watch_before(run->watch, nd, g, w);
	run->optim->step(run->optim_conf, &s, nd->dim, g, vector_to_step(nd), state);
	if (run->watch)
		watch_after(run->watch, nd, g, w, node_lr(nd));
	moved(nd, whose, run->watch ? watch_measured(run->watch) : NULL);
}

static void step(struct node *nd, enum whose whose, float *state, const float *g, float w)
{
	if (nd->x && g)
		step_vectors(nd, whose, state, g, w);
	else
		moved(nd, whose, NULL);
}

void node_step_with(struct node *nd, float *state, const float *g, float w)
{
	step(nd, OF_ONE, state, g, w);
}

void node_step(struct node *nd, const float *g, float w)
{
	step(nd, OF_ONE, nd->optim, g, w);
}

void node_gather(struct node *nd, const float *g)
{
	struct watch *w = nd->x ? nd->run->watch : NULL;

	if (nd->gathered < 0 || nd->before < nd->gathered)
		nd->gathered = nd->before;
	if (w && g)
		watch_before(w, nd, g, 1.0f);
	else if (w)
		watch_part(w);
	node_show(nd, EV_GATHER, OF_ONE, w ? watch_measured(w) : NULL);
}

void node_step_gathered(struct node *nd, const float *g, float w)
{
	step(nd, OF_SEVERAL, nd->optim, g, w);
}

void node_ignore(struct node *nd)
{
	nd->ledger.dropped++;
}

void node_late(struct node *nd)
{
	nd->ledger.late++;
}

static void node_move(struct node *nd, enum whose whose)
{
	if (nd->run->watch)
		watch_moved(nd->run->watch, nd);
	moved(nd, whose, nd->run->watch ? watch_measured(nd->run->watch) : NULL);
}

void node_moved(struct node *nd)
{
	node_move(nd, OF_ONE);
}

void node_moved_gathered(struct node *nd)
{
	node_move(nd, OF_SEVERAL);
}

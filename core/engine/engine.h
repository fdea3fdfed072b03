/* What an engine must offer to nodes; see the contract in core/node.h. */
#ifndef CORE_ENGINE_ENGINE_H
#define CORE_ENGINE_ENGINE_H

#include "core/node.h"
#include "core/run.h"
#include "core/stages.h"
#include "core/watch.h"

#include <stdbool.h>

struct engine {
	const char *name;
	void (*grad)(struct node *nd);
	void (*cancel)(struct node *nd);
	void (*send)(struct node *nd, int to, const struct msg *m);
	void (*allreduce)(struct node *nd, float *v, size_t n, bool codes);   /* codes: gradients */
	void (*after)(struct node *nd, double seconds, int token);
	void (*stop)(struct node *nd);
	double (*now)(const struct node *nd);
	double (*epoch)(const struct node *nd);
	int64_t (*gradients)(const struct node *nd);    /* of all workers so far */
	void *(*alloc)(struct node *nd, size_t n, size_t size);
	float *(*floats)(struct node *nd, size_t n);
	void (*stepped)(struct node *nd);       /* after node_step(): its cost; may be NULL */
};

/*
 * The node of a run at a location: the worker of that rank or, after the last one, the server. Its
 * vectors are NULL until node_open().
 */
struct node node_new(const struct run *run, int location, const struct engine *engine, void *priv);

/*
 * Gives the node its state, model, optimiser state and what its codec keeps, by the engine's
 * alloc(), in this order. shared: the memory of all workers' models, already set, or NULL; start:
 * [dim] the first model, or NULL in a timing-only run.
 */
void node_open(struct node *nd, float *shared, const float *start);

/* ---- requests ---- */

/* BUG(): the server asks for `what`, which only workers have. */
void node_is_no_worker(const struct node *nd, const char *what);

static inline void node_only_workers(const struct node *nd, const char *what)
{
	if (nd->rank == SERVER)
		node_is_no_worker(nd, what);
}

/*
 * Takes the request for a gradient, or a stage of one, and returns which minibatch it is of: the
 * next, *index, which is counted on, and *stamp <- the clock of x; or that of the stage before.
 */
static inline int64_t node_take(struct node *nd, int64_t *index, int64_t *stamp)
{
	int64_t taken = *index - 1;

	if (node_reads(nd)) {
		*stamp = nd->step;
		taken = (*index)++;
	}
	if (nd->stages)
		node_stage_take(nd, taken);
	return taken;
}

/* The job of what was taken: at x[dim], the worker's minibatch of that index -> g. */
struct job node_job(struct node *nd, const float *x, int64_t index, float *g);

/* A request that comes after the end, at `now`, is shown: all that the round needed has come. */
void node_refuse(const struct node *nd, double now, int64_t gradients);

/* A gradient of the node's is about to be counted and delivered; `before` it so many were. */
static inline void node_count(struct node *nd, int64_t before)
{
	nd->before = before;
	if (nd->unsent < 0)
		nd->unsent = before;
}

/* ---- handlers ---- */

struct call {                  /* of a node's handler: which, and what it is given */
	struct handled what;   /* hooks see it */
	const struct msg *msg; /* MSG; else NULL */
	struct grad grad;      /* GRAD; STAGE: as its job left it */
	float *v;              /* ALLREDUCE: [n] the sum, or what the codec made it of */
	size_t n;
};

/*
 * Before a handler. What a server applies came with a message, of a sender with a stamp; what a
 * worker applies is its own last gradient, of the snapshot taken at the model clock `own`.
 */
static inline void node_enter(struct node *nd, const struct msg *m, int64_t own)
{
	const bool server = nd->rank == SERVER;

	nd->from = !server ? nd->rank : m ? m->from : NO_PEER;
	nd->stamp = !server ? own : m ? m->stamp : -1;
	if (nd->run->watch)
		watch_received(nd->run->watch, nd);
	if (server && m && m->before >= 0)
		nd->before = m->before;
}

/*
 * The node's gradient is there: its grad(), or the all-reduce that node_grad_allreduce() asked
 * for.
 */
void node_deliver(struct node *nd, const struct grad *g);

/* The node's all-reduce of v[n] is done: its allreduce(), or the codec's next stage. */
void node_allreduced(struct node *nd, float *v, size_t n);

/* BUG(): the role has no handler for `what`. */
void node_lacks(const struct node *nd, const char *what);

static inline void node_must_react(const struct node *nd, bool has, const char *what)
{
	if (!has)
		node_lacks(nd, what);
}

/* Calls the handler. BUG() where the role has none. */
static inline void node_react(struct node *nd, const struct call *c)
{
	const struct role *role = nd->role;

	switch (c->what.handler) {
	case HANDLER_START:
		if (role->start)
			role->start(nd);
		break;
	case HANDLER_GRAD:
		node_deliver(nd, &c->grad);
		break;
	case HANDLER_STAGE:
		node_must_react(nd, role->stage, "a stage");
		node_stage_deliver(nd, c->grad.vec, c->grad.loss);
		break;
	case HANDLER_MSG:
		node_must_react(nd, role->msg, "a message");
		role->msg(nd, c->msg);
		break;
	case HANDLER_ALLREDUCE:
		node_must_react(nd, role->allreduce, "an all-reduce");
		node_allreduced(nd, c->v, c->n);
		break;
	case HANDLER_TIMER:
		node_must_react(nd, role->timer, "a timer");
		role->timer(nd, c->what.token);
		break;
	}
}

/* After it. */
static inline void node_leave(struct node *nd)
{
	nd->stamp = -1;
}

/* ---- the memory of a net's streams ---- */

struct node_memory {            /* what node->memory leads to */
	float *rows;            /* [streams][carry.floats] that its last gradient left ... */
	size_t n;               /* ... tokens that are in it ... */
	int64_t epoch;          /* ... and its epoch: the next one begins with nothing */
};

/* For node_open(): a worker's memory, where the run's net has one. */
void node_open_memory(struct node *nd);

/* Its floats, which a gradient leaves after g[dim]; 0: it has none. */
static inline size_t node_memory_floats(const struct node *nd)
{
	return nd->memory ? slice_size(nd->run->slice, nd->run->batch, nd->rank) *
				    nd->run->carry.floats
			  : 0;
}

/* The node's gradient of that job is delivered: what it left is the memory from here on. */
void node_memory_take(struct node *nd, const struct job *j);

static inline void node_memory_keep(struct node *nd, const struct job *j)
{
	if (nd->memory && j->carried.out)
		node_memory_take(nd, j);
}

/* Floats of a job's result: a gradient, and what is after it. */
static inline size_t node_grad_floats(const struct node *nd)
{
	return nd->dim + node_stage_floats(nd) + node_memory_floats(nd);
}

/* ---- where a node's idle time went ---- */

/*
 * An idle span ends when something is received. The part of the span in which that thing was
 * already on its way is communicating; the rest is waiting for others. Books the span that began at
 * *idle_from and ends now, and moves *idle_from here; what the node waited for was under way since
 * `since`. Seconds. Nothing, when *idle_from is not in the past.
 */
void ledger_idle(struct ledger *l, double *idle_from, double now, double since);

/* ---- who waits for what, when nothing is left to happen ---- */

enum waits { WAITS_ALLREDUCE, WAITS_MESSAGE, WAITS_NOTHING, WAITS_STOPPED, WAITS_KINDS,
	     WAITS_AWAY };	/* is not there: nothing is said of it */

/* What a node waits for that computes no gradient: its all-reduce, a message, or nothing at all. */
enum waits stall_waits(const struct node *nd, bool allreducing, bool stopped);

/*
 * text[size] <- who waits for what, kind by kind: "ranks 0, 2-4 wait for a message; the server
 * waits for a message". what[n] is of the workers in the order of their ranks, then of the server,
 * if n > workers. What does not fit is cut off.
 */
void stall_text(const enum waits *what, int n, int workers, char *text, size_t size);

#endif

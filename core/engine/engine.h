/* Operations that an engine offers to nodes, and helpers that engines share; see core/node.h. */
#ifndef CORE_ENGINE_ENGINE_H
#define CORE_ENGINE_ENGINE_H

#include "core/node.h"
#include "core/run.h"
#include "core/stages.h"
#include "core/watch.h"

#include <stdatomic.h>
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
	int64_t (*gradients)(const struct node *nd);    /* of all workers together so far */
	void *(*alloc)(struct node *nd, size_t n, size_t size);
	float *(*floats)(struct node *nd, size_t n);    /* NULL in a timing-only run */
	void (*stepped)(struct node *nd);       /* accounts for a node_step(); may be NULL */
	/* An algorithm has read a number of these bits that its events do not tell. May be NULL. */
	void (*reads)(const struct node *nd, uint64_t bits);
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

/* algo_mistake(): the server asks for `what`, which only workers have. */
void node_is_no_worker(const struct node *nd, const char *what);

static inline void node_only_workers(const struct node *nd, const char *what)
{
	if (nd->rank == SERVER)
		node_is_no_worker(nd, what);
}

/*
 * Takes a request for a gradient, or for a stage of one; returns the index of its minibatch. A
 * gradient takes the next minibatch, *index, which is incremented, and sets *stamp to the clock of
 * x; a later stage keeps the index of the stage before.
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

/* Job of the request taken: gradient g at x[dim] of the worker's minibatch `index`. */
struct job node_job(struct node *nd, const float *x, int64_t index, float *g);

/* Emits EV_REFUSE at time `now`: the node asked for a gradient after the run's end. */
void node_refuse(const struct node *nd, double now, int64_t gradients);

/*
 * Notes that a gradient of the node is about to be delivered, after `before` gradients of all
 * workers.
 */
static inline void node_count(struct node *nd, int64_t before)
{
	nd->before = before;
	if (nd->unsent < 0)
		nd->unsent = before;
}

/* ---- handlers ---- */

struct call {                  /* a call of a node's handler: which one, with its arguments */
	struct handled what;   /* hooks see it */
	const struct msg *msg; /* MSG; else NULL */
	struct grad grad;      /* GRAD; STAGE: as its job left it */
	float *v;              /* ALLREDUCE: [n] the sum, or what the codec made it of */
	size_t n;
};

/* Begins and ends of handlers in this process so far: odd while one runs. For other threads too. */
extern atomic_ulong node_handlers;

static inline void node_handlers_count(void)
{
	const unsigned long n = atomic_load_explicit(&node_handlers, memory_order_relaxed);

	atomic_store_explicit(&node_handlers, n + 1, memory_order_relaxed);
}

/*
 * Call before a handler. A server applies what came with message *m, from its sender and with its
 * stamp; a worker applies its own last gradient, whose snapshot was taken at the model clock `own`.
 */
static inline void node_enter(struct node *nd, const struct msg *m, int64_t own)
{
	const bool server = nd->rank == SERVER;

	node_handlers_count();
	nd->from = !server ? nd->rank : m ? m->from : NO_PEER;
	nd->stamp = !server ? own : m ? m->stamp : -1;
	if (nd->run->watch)
		watch_received(nd->run->watch, nd);
	if (server && m && m->before >= 0)
		nd->before = m->before;
}

/* Delivers the node's gradient: calls grad(), or begins the all-reduce of node_grad_allreduce(). */
void node_deliver(struct node *nd, const struct grad *g);

/* Ends the node's all-reduce of v[n]: calls allreduce(), or begins the codec's next stage. */
void node_allreduced(struct node *nd, float *v, size_t n);

/* algo_mistake(): the role has no handler for `what`. */
void node_lacks(const struct node *nd, const char *what);

static inline void node_must_react(const struct node *nd, bool has, const char *what)
{
	if (!has)
		node_lacks(nd, what);
}

/* Calls the handler. algo_mistake() where the role has none. */
static inline void node_react(struct node *nd, const struct call *c)
{
	const struct role *role = nd->role;
	const struct grad grad = c->grad;       /* else the compiler must keep *c in memory */

	switch (c->what.handler) {
	case HANDLER_START:
		if (role->start)
			role->start(nd);
		break;
	case HANDLER_GRAD:
		node_deliver(nd, &grad);
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

/* Call after a handler. */
static inline void node_leave(struct node *nd)
{
	nd->stamp = -1;
	node_handlers_count();
}

/* ---- the memory of a net's streams ---- */

struct node_memory {            /* type of node->memory */
	float *rows;            /* [streams][carry.floats] left by the node's last gradient ... */
	size_t n;               /* ... tokens in it ... */
	int64_t epoch;          /* ... and its epoch: memory is empty at the start of an epoch */
};

/* For node_open(): allocates a worker's memory if the run's net has one. */
void node_open_memory(struct node *nd);

/* Floats of a worker's memory, which a job writes after g[dim]; 0: the net has none. */
static inline size_t node_memory_floats(const struct node *nd)
{
	return nd->memory ? slice_size(nd->run->slice, nd->run->batch, nd->rank) *
				    nd->run->carry.floats
			  : 0;
}

/* The job's gradient is delivered: its carried floats become the node's memory. */
void node_memory_take(struct node *nd, const struct job *j);

static inline void node_memory_keep(struct node *nd, const struct job *j)
{
	if (nd->memory && j->carried.out)
		node_memory_take(nd, j);
}

/* Floats of a job's result: the gradient and what follows it. */
static inline size_t node_grad_floats(const struct node *nd)
{
	return nd->dim + node_stage_floats(nd) + node_memory_floats(nd);
}

/* ---- where a node's idle time went ---- */

/*
 * An idle span ends when something is received. The part of the span during which that was already
 * under way counts as communication, the rest as waiting. Books the span from *idle_from to now,
 * where the received thing was under way since `since`, and sets *idle_from to now. Seconds. Does
 * nothing if *idle_from is not in the past.
 */
void ledger_idle(struct ledger *l, double *idle_from, double now, double since);

/* ---- who waits for what, when nothing is left to happen ---- */

enum waits { WAITS_ALLREDUCE, WAITS_MESSAGE, WAITS_NOTHING, WAITS_STOPPED, WAITS_KINDS,
	     WAITS_AWAY };	/* worker is away: left out of the text */

/*
 * Event that a node without a gradient in flight waits for: all-reduce, message, or nothing at all.
 */
enum waits stall_waits(const struct node *nd, bool allreducing, bool stopped);

/*
 * text[size] <- the nodes that wait, kind by kind: "ranks 0, 2-4 wait for a message; the server
 * waits for a message". what[n] has the workers in order of rank, then the server, if n > workers.
 * Text that does not fit is cut off.
 */
void stall_text(const enum waits *what, int n, int workers, char *text, size_t size);

#endif

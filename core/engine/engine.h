/* What an engine must offer to nodes; see the contract in core/node.h. */
#ifndef CORE_ENGINE_ENGINE_H
#define CORE_ENGINE_ENGINE_H

#include "core/node.h"
#include "core/run.h"
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

/*
 * Before and after each handler. What a server applies came with a message, of a sender with a
 * stamp (NO_PEER, -1: with none); what a worker applies is its own last gradient, of the snapshot
 * taken at the model clock `own`.
 */
static inline void node_enter(struct node *nd, int from, int64_t stamp, int64_t own)
{
	const bool server = nd->rank == SERVER;

	nd->from = server ? from : nd->rank;
	nd->stamp = server ? stamp : own;
	if (nd->run->watch)
		watch_received(nd->run->watch, nd);
}

/* A gradient of the node's is about to be counted and delivered; `before` it so many were. */
static inline void node_count(struct node *nd, int64_t before)
{
	nd->before = before;
	if (nd->unsent < 0)
		nd->unsent = before;
}

/* A message is about to be delivered. */
static inline void node_receive(struct node *nd, const struct msg *m)
{
	if (nd->rank == SERVER && m->before >= 0)
		nd->before = m->before;
}

static inline void node_leave(struct node *nd)
{
	nd->stamp = -1;
}

/* ---- gradients in stages ---- */

struct stage_asked {
	enum grad_stage stage;
	int rank;               /* HEAD: whose minibatch, and which */
	int64_t index;
	const float *in;        /* borrowed until the request returns */
	double loss;            /* BACKWARD: what the head's stage gave */
};

struct stages {                 /* what node->stages leads to */
	struct stage_asked asked;       /* by the request that is being made */
	struct stage_asked taken;       /* what is in flight, or was last */
	struct stage_data data;         /* of its job ... */
	float *in;                      /* ... [batch x width]; NULL: timing-only */
};

/* For node_open(): the memory for stages, where the algorithm has them. */
void node_open_stages(struct node *nd);

/* The stage that a request asks for. WHOLE: there are none. */
static inline enum grad_stage node_stage_asked(const struct node *nd)
{
	return nd->stages ? nd->stages->asked.stage : STAGE_WHOLE;
}

/* True when what is in flight, once it is there, is a gradient that counts. */
static inline bool node_stage_is_last(const struct node *nd)
{
	return !nd->stages || nd->stages->taken.stage == STAGE_BACKWARD;
}

/* An engine takes a request: a stage of the node's own gradient of that index. */
void node_stage_take(struct node *nd, int64_t index);

/* Floats that a stage gives after g[dim]: batch x width, or 0 where there are no stages. */
static inline size_t node_stage_floats(const struct node *nd)
{
	return nd->stages ? nd->run->batch * nd->run->cut.width : 0;
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

/* The job of what is in flight: at x[dim], the worker's minibatch of that index -> g. */
struct job node_stage_job(struct node *nd, const float *x, int64_t index, float *g);

/* What a whole gradient of its worker counts and costs, times the stage's share of the latter. */
static inline double node_stage_weight(const struct node *nd)
{
	const struct stages *st = nd->stages;

	if (!st)
		return run_weight(nd->run, nd->rank);
	return run_weight(nd->run, st->taken.rank) * cut_share(&nd->run->cut, st->taken.stage);
}

/* The loss of a gradient that is complete, whose job gave this one. */
static inline double node_stage_loss(const struct node *nd, double loss)
{
	return nd->stages ? nd->stages->taken.loss : loss;
}

/* A stage that is not the last is there; g as its job left it, NULL: timing-only. */
void node_stage_deliver(struct node *nd, const float *g, double loss);

/*
 * The node's gradient is there: its grad(), or the all-reduce that node_grad_allreduce() asked
 * for.
 */
void node_deliver(struct node *nd, const struct grad *g);

/* The node's all-reduce of v[n] is done: its allreduce(), or the codec's next stage. */
void node_allreduced(struct node *nd, float *v, size_t n);

/* True when the node was made for gradients of the kind that it asked for. */
static inline bool node_takes_grads(const struct node *nd)
{
	return nd->adds || nd->role->grad;
}

/*
 * Where a node's idle time went.
 *
 * An idle span ends when something is received. The part of the span in which that
 * thing was already on its way is communicating; the rest is waiting for others.
 */

/*
 * Books the span that began at *idle_from and ends now, and moves *idle_from here;
 * what the node waited for was under way since `since`. Seconds. Nothing, when
 * *idle_from is not in the past.
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

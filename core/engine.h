/*
 * engine.h - what an engine must offer to nodes; see the contract in node.h.
 */
#ifndef CORE_ENGINE_H
#define CORE_ENGINE_H

#include "core/run.h"
#include "core/watch.h"

struct engine {
	const char *name;
	void (*grad)(struct node *nd);
	void (*cancel)(struct node *nd);
	void (*send)(struct node *nd, int to, const struct msg *m);
	void (*sum)(struct node *nd, float *v, size_t n, bool codes);   /* codes: gradients */
	void (*after)(struct node *nd, double seconds, int token);
	void (*stop)(struct node *nd);
	double (*now)(const struct node *nd);
	double (*epoch)(const struct node *nd);
	int64_t (*gradients)(const struct node *nd);    /* of all workers so far */
	void *(*alloc)(struct node *nd, size_t n, size_t size);
	void (*stepped)(struct node *nd);       /* after node_step(): its cost; may be NULL */
};

/*
 * The node of a run at a place: the worker of that rank or, behind the last one, the server. Its
 * vectors are NULL until node_open().
 */
struct node node_new(const struct run *run, int place, const struct engine *engine, void *priv);

/*
 * Gives the node its state, model, optimiser state and what its codec keeps, by the engine's
 * alloc(), in this order. shared: the memory of all workers' models, already set, or NULL; start:
 * [dim] the first model, or NULL in a timing-only run.
 */
void node_open(struct node *nd, float *shared, const float *start);

/*
 * Before and behind each handler. What a server applies came with a message, of a sender with a
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

static inline void node_leave(struct node *nd)
{
	nd->stamp = -1;
}

/* The node's gradient is there: its grad(), or the sum that node_grad_sum() asked for. */
void node_deliver(struct node *nd, const struct grad *g);

/* The sum v[n] that the node asked for is there: its sum(), or the codec's next stage. */
void node_summed(struct node *nd, float *v, size_t n);

/* True when the node was made for gradients of the kind that it asked for. */
bool node_takes_grads(const struct node *nd);

#endif

/*
 * node.h - what an algorithm sees of the world.
 *
 * An algorithm is a few small functions that react to events (struct role) and
 * ask for more (node_grad, node_send, ...). Every engine obeys this contract:
 *
 *  1. One at a time. A node's handlers run to completion; no request calls a
 *     handler from inside itself.
 *  2. Compute and receive at once. node_grad() snapshots x and computes next to the
 *     event loop; messages are received meanwhile. At most one gradient is in
 *     flight per node. overlap=off defers receiving until the gradient is done.
 *     Where the algorithm says so (algo.staged), a gradient is computed in stages,
 *     each of which is asked for and in flight like a gradient; the head's stage
 *     may be another node's, at another model (stages.h). A net's memory of a
 *     worker's streams is the worker's: a gradient reads what the last one that was
 *     delivered to it left (gradient.h), whatever is at x. One that is dropped leaves nothing.
 *  3. Receiving is bounded: one round delivers what had arrived when it began.
 *  4. Messages between two nodes arrive in the order in which they were sent.
 *  5. Borrow. Pointers given to a handler die when it returns; node_send()
 *     copies; node_allreduce() and node_grad_allreduce() borrow v until allreduce().
 *     One all-reduce in flight per node; all members ask in the same order. An
 *     all-reduce that all have asked for, their gradients computed, is delivered,
 *     even when the run is stopping. A worker that is away may be no member; node_added() tells.
 *  6. Randomness is an address (rng.h).
 *  7. A handler is a function of its events: no statics, no clock but
 *     node_now(), no malloc, no I/O, no MPI.
 *  8. Handlers take no virtual time unless the cluster gives them a cost.
 *  9. Equal times break by a written rule: time, then kind, then rank, then
 *     order of asking. A run is a function of its spec.
 * 10. Where the algorithm says so (algo.shared), the workers' x are one memory,
 *     which they read and write coordinate by coordinate, without locks.
 *     node_grad() reads its snapshot so; node_step() applies the rule to that
 *     snapshot and adds what it moved, so that no addition is lost. step counts
 *     all workers' steps. A worker steps once by each gradient, before it asks
 *     for the next. All this is real on the ranks of one machine: there what a
 *     handler does depends on when the others wrote, and only a run of the
 *     simulator can be repeated.
 *
 * Most algorithms need the first group of what is below, and one of the next two:
 *
 *     gradients, model, learning rate   all
 *     messages                          algos/server, algos/peers
 *     all-reduces                       algos/rounds
 *     absent workers                    where one is tolerated (back, fetch); lost, returned: peers
 *     several optimiser states          local-adam, easgd, gap-aware, multi-asgd
 *     momentum and decay                dana, gap-aware, easgd, and what weighs stale gradients
 *     topology                          peers on a graph;  a shared x: hogwild;  stages.h: groups
 *     timers, node_stop()               none: the probes of `convoy calibrate`
 *
 * Workers have ranks 0 .. workers - 1. The server, where there is one, has the
 * rank SERVER, wherever the engine runs it. NO_PEER is the rank of no
 * node: of a sender where no message came, of a peer where there is none.
 */
#ifndef CORE_NODE_H
#define CORE_NODE_H

#include "core/optim.h"
#include "core/text/opt.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SERVER = -1, NO_PEER = -2 };

struct msg {
	union {
		int tag;        /* the algorithm's own enum; traces show it */
		float value;    /* instead, of messages that need no tag */
	};
	int from;               /* sender's rank, filled in by the engine */
	int64_t stamp;          /* model clock that vec belongs to; staleness = step - stamp */
	const float *vec;       /* [n], borrowed; NULL in a timing-only run */
	size_t n;
	bool codes;             /* vec is a gradient [dim]: the run's codec may pack it */
	/*
	 * To the server: gradients of all workers that were counted before the first of those that
	 * vec is made of; -1: of none. Filled in by the engine.
	 */
	int64_t before;
};

struct grad {
	/*
	 * [dim], borrowed; minibatch mean of d loss / d x, times the samples of the minibatch over
	 * those of one of the mean size: 1, unless the workers' shares are unequal (slice.h)
	 */
	const float *vec;
	double loss;            /* mean over the minibatch; NaN in a timing-only run */
};

struct blob;
struct codec_allreduce;
struct node;
struct run;
struct staged;
struct stages;
struct topology;

struct role {                   /* how one kind of node reacts; NULL = must never happen */
	size_t state_size;      /* zeroed, per node */
	void (*start)(struct node *nd);
	void (*grad)(struct node *nd, const struct grad *g);
	void (*msg)(struct node *nd, const struct msg *m);
	void (*allreduce)(struct node *nd, float *v, size_t n);
	void (*timer)(struct node *nd, int token);
	void (*stage)(struct node *nd, const struct staged *s); /* stages.h */
	/* ---- absent workers ---- */
	/*
	 * A worker was away and goes on: m NULL, with all that it left with; else with the model
	 * *m, which fetch() of another node sent it. What it computed is gone, and so is what was
	 * sent to it before; an answer to what it had sent before may still come. NULL: the
	 * algorithm knows of no absent worker, and the run ends. A worker with allreduce() is back
	 * after an all-reduce of the others, with what a member's fetch() sent just then; or alone,
	 * with NULL.
	 */
	void (*back)(struct node *nd, const struct msg *m);
	/* Such a worker asks for the model: sends it, and nothing else. */
	void (*fetch)(struct node *nd, int to);
	/*
	 * A neighbour in the topology is away, as is detected now; what it had sent has come.
	 * After its own back() a worker is told so of all that are away. NULL: it need not know.
	 */
	void (*lost)(struct node *nd, int rank);
	/*
	 * With lost(): such a neighbour had not received *m, which this node sent. Asks for
	 * nothing, since this node may be away itself. NULL: it is forgotten.
	 */
	void (*returned)(struct node *nd, const struct msg *m);
};

/* What `show algo` and docs/algorithms.md say of it; lines end where the text has a newline. */
struct algo_facts {
	const char *rule;       /* the update, as a formula */
	const char *departs;    /* from the paper; NULL: in nothing that matters */
	const char *waits;      /* which worker waits for which */
	const char *staleness;  /* of the gradients applied, in steps */
	const char *messages;   /* and bytes, for each gradient; m: bytes of the model */
	const char *memory;     /* vectors of the model's size, "server / worker"; also parsed */
	const char *tolerates;  /* which workers may leave, and until when; NULL: none */
};

/* How passes over a shared model go in virtual time. */
struct sharing {
	int blocks;             /* by so many, each at once */
	double read_s, write_s; /* seconds of a pass; negative: what the machine needs for it */
};

struct algo {
	struct plugin plugin;
	const struct role *server;      /* NULL: decentralised */
	const struct role *worker;
	struct algo_facts facts;
	const char *graph;              /* its default, as `--graph` takes it; NULL: it has none */
	/* 0, or error(): refuses before any node exists. May be NULL. */
	int (*check)(const struct run *run);
	/* ---- what its gradients go through ---- */
	/* By messages with .codes or node_allreduce_grads() or _part(): a codec may be chosen. */
	bool sends_gradients;
	/* By node_allreduce_part(): not a codec that needs whole gradients. */
	bool allreduces_parts;
	/* By node_grad_allreduce(): an engine may add a gradient while it is computed. */
	bool allreduces_gradients;
	/* ---- rounds, and who may be away ---- */
	/*
	 * No worker gets ahead of the others by more than some steps, however slow they are: all
	 * deliver equally many gradients, so their shares of a round may be unequal.
	 */
	bool lockstep;
	/* True: with these settings no worker may be away for a while. NULL: any may. */
	bool (*needs_all)(const void *conf);
	/*
	 * Which of the options says how many gradients of a worker make a round, which ends with an
	 * exchange and what follows it: node_grad_local() asks for all but the first. NULL: one.
	 */
	const char *round;
	/* ---- other models of computing ---- */
	/* True: gradients are computed in stages, with these settings. NULL: never. */
	bool (*staged)(const void *conf);
	/* All workers' x are one memory. NULL: each has its own. No server then. */
	struct sharing (*shared)(const void *conf);
};

/* What a node did with its time and its link; kept by the engine. */
struct ledger {
	double compute, comm, wait;     /* seconds; together, the node's share of the run */
	int64_t gradients;              /* delivered to grad() */
	int64_t steps;                  /* node_step() calls */
	int64_t messages, bytes_sent, bytes_received;
	int64_t dropped;                /* cancelled, in flight at the end, or node_ignore()d */
};

struct node {
	/* ---- what algorithms read ---- */
	int rank, size, workers;        /* size counts the server too */
	int group, groups;
	size_t dim;
	float *x;                       /* [dim] its model, or all workers'; NULL: timing-only */
	int64_t step;                   /* optimiser steps applied to x */
	/* [role->state_size]; pointers in it lead to what node_alloc() gave, and nowhere else */
	void *state;
	const void *conf;               /* the algorithm's settings */
	const struct role *role;
	/* ---- the engine's side: algorithms leave these alone; what events use is in front ---- */
	const struct engine *engine;
	const struct run *run;
	void *priv;
	struct stages *stages;          /* of its gradients; NULL: they have none */
	struct node_memory *memory;     /* of a worker's streams; NULL: the net has none */
	int64_t stamp;                  /* clock of the gradient being handled, or -1 */
	/*
	 * Gradients of all workers that were counted before what the node has to apply: before the
	 * gradient at hand; before the first of those gathered for a later step, and before the
	 * worker's first one since it last sent any to the server (-1: none is waiting); and for
	 * the message that is being sent (-1: it carries none).
	 */
	int64_t before, gathered, unsent, sending;
	int from;                       /* whose that is: a server's sender, or NO_PEER; own rank */
	bool goes_on;                   /* its gradient is not the first of its round */
	bool adds;                      /* its gradient goes into an all-reduce ... */
	struct ledger ledger;
	/* ---- what fewer events use ---- */
	float *into;                    /* ... [dim], there */
	int added;                      /* workers in its latest all-reduce; before that: all */
	uint64_t draws;                 /* node_rand() calls so far */
	float *optim;                   /* optimiser state, or NULL */
	const float *seen;              /* [dim] shared x: as it was read for the gradient ... */
	float *moved;                   /* ... [dim] and after its step; NULL: x is not shared */
	float *residual;                /* [dim] what the codec left out so far, or NULL */
	uint64_t packed;                /* gradients that the codec was given so far */
	size_t part;                    /* where the part of one that is being added begins */
	struct codec_allreduce *allreduce;      /* that the codec makes in stages; NULL: none */
};

/* ---- requests: all return at once, the answer is a later event, none can fail ---- */

/* Computes a gradient at a snapshot of x taken now -> grad(). A round of the worker is over. */
void node_grad(struct node *nd);

/* Computes a gradient that goes on with a round of local steps: see algo.round. */
void node_grad_local(struct node *nd);

/*
 * Computes a gradient at a snapshot of x taken now, and adds it over the node's group into
 * v[dim], which is borrowed -> allreduce(), on every member; grad() is not called. An engine may
 * begin to add while the rest is being computed, so this one cannot be cancelled. Records are
 * those of node_grad() and, in its grad(), a copy to v and node_allreduce(); so are clocks, but for
 * what was added by then.
 */
void node_grad_allreduce(struct node *nd, float *v);

/* Drops the gradient in flight, if any: its grad() will not come. */
void node_cancel(struct node *nd);

/* ---- messages ---- */

/* Sends a copy of *m (from is filled in) to a rank -> its msg(). */
void node_send(struct node *nd, int to, const struct msg *m);

/* ---- all-reduces ---- */

/* Adds v[n] over the node's group, in place -> allreduce(), on every member. */
void node_allreduce(struct node *nd, float *v, size_t n);

/*
 * Adds gradients v[dim] so, which the run's codec may pack: then every member gets the sum of
 * what its codes stand for, added in the order of ranks.
 */
void node_allreduce_grads(struct node *nd, float *v);

/*
 * Adds a part of gradients so, v[n], which a codec takes for one layer. Its floats have the
 * positions from `from` on, in an order of the model's floats that the algorithm chooses and
 * keeps.
 */
void node_allreduce_part(struct node *nd, float *v, size_t from, size_t n);

/*
 * Workers whose vectors are in the node's latest all-reduce: all of its group, but for those that
 * were away in the simulator; before the first all-reduce all.
 */
static inline int node_added(const struct node *nd)
{
	return nd->added;
}

/* ---- the clock, and an end of its own ---- */

/*
 * Wakes the node after `seconds` -> timer(token): the one way to act at another moment than that
 * of an event, as a rule does that sends a part of its model some time after a step. Built-in
 * algorithms count steps instead; the probes of `convoy calibrate` (study/calibrate/probe.c) send
 * at random moments.
 */
void node_after(struct node *nd, double seconds, int token);

/*
 * This node asks for no more gradients; the run ends when no worker does. For an algorithm whose
 * end is its own and no budget's, as that of a probe which has measured enough.
 */
void node_stop(struct node *nd);

/* ---- facts: these, and all that follows, are immediate ---- */

/* Seconds since the run began: virtual or real. */
double node_now(const struct node *nd);

/* Epochs of the training set that all workers together have consumed. */
double node_epoch(const struct node *nd);

/*
 * For engines: gradients of all workers, as the node counts them for its learning rate. In lockstep
 * they are those of as many rounds as it has computed itself, else the `known` ones of the engine.
 */
int64_t node_counted(const struct node *nd, int64_t known);

/* The run's communication graph, owned by the run; NULL: the algorithm has none. */
const struct topology *node_topology(const struct node *nd);

/*
 * The layers of x as the problem names them, owned by it; returns how many: 0, and NULL in
 * *layers, where it names none, or in a timing-only run.
 */
size_t node_layers(const struct node *nd, const struct blob **layers);

/* 64 random bits at (seed, RNG_ALGO, rank, call number). */
uint64_t node_rand(struct node *nd);

/* 64 random bits at (seed, RNG_ALGO, NO_PEER, index): the same for every node of the run. */
uint64_t node_rand_common(const struct node *nd, uint64_t index);

/*
 * Zeroed memory that lives as long as the run; for floats, NULL in a timing-only run. All that
 * depends on what a gradient is, and not only on when, is in floats: the simulator's checkpoints
 * hold these alone, and whatever is in them must be safe to compute with.
 */
void *node_alloc(struct node *nd, size_t n, size_t size);
float *node_floats(struct node *nd, size_t n);
float *node_vec(struct node *nd);       /* a vector of [dim] */

/* ---- steps of the model ---- */

/* x <- optimiser(x, w g); step++. g[dim] may be NULL in a timing-only run. */
void node_step(struct node *nd, const float *g, float w);

/* Steps with another optimiser state than the node's own: one that node_optim() gave. */
void node_step_with(struct node *nd, float *state, const float *g, float w);

/*
 * A gradient is kept for a later step, of which it will be a part; and that step, by the sum of
 * what was kept, g[dim]. Whose they were and how late is shown as they are kept.
 */
void node_gather(struct node *nd, const float *g);
void node_step_gathered(struct node *nd, const float *g, float w);

/* A fresh optimiser state, for a rule that keeps several; NULL in a timing-only run. */
float *node_optim(struct node *nd);

/* Floats of an optimiser state, in a timing-only run too. */
size_t node_optim_floats(const struct node *nd);

/* step++, for a step that the algorithm made to x itself; and by what was gathered. */
void node_moved(struct node *nd);
void node_moved_gathered(struct node *nd);

/* A gradient that came is left out of the model: one more that the node dropped. */
void node_ignore(struct node *nd);

/* ---- the learning rate, momentum and decay ---- */

/*
 * The learning rate of a step made now: that of the epoch before the gradients which the step
 * applies, or before the first of them. So the first step of a run has the rate of epoch 0.
 */
double node_lr(const struct node *nd);

/* The rate of a step whose first gradient was counted so many gradients earlier. */
double node_lr_since(const struct node *nd, int64_t gradients);

/* The optimiser's momentum, and its decay; zeros where its rule is of another form. */
struct momentum node_momentum(const struct node *nd);
struct decay node_decay(const struct node *nd);

/* x[dim] <- where the optimiser would take it in so many steps by gradients of 0 at this rate. */
void node_ahead(const struct node *nd, int64_t steps, float *x);

#endif

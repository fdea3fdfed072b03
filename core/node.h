/*
 * node.h - the interface between algorithms and engines: events, requests, and facts about the run.
 *
 * An algorithm is a few small functions that react to events (struct role) and
 * ask for more (node_grad, node_send, ...). Every engine obeys this contract:
 *
 *  1. One at a time. A node's handlers run to completion; no request calls a
 *     handler from inside itself.
 *  2. Compute and receive at once. node_grad() takes a snapshot of x and computes next to
 *     the event loop; messages are received meanwhile. At most one gradient is in
 *     flight per node. overlap=off defers receiving until the gradient is done.
 *     If the algorithm says so (algo.staged), a gradient is computed in stages; each is
 *     requested and in flight like a gradient. The head's stage may be computed by
 *     another node, at another model (stages.h). If the net has memory, it belongs to the
 *     worker: a gradient reads what the last gradient delivered to that worker wrote
 *     (gradient.h), whatever x is now. A dropped gradient leaves no memory.
 *  3. Receiving is bounded: one round delivers what had arrived when it began.
 *  4. Messages between two nodes arrive in the order in which they were sent.
 *  5. Borrow. Pointers given to a handler die when it returns; node_send()
 *     copies; node_allreduce() and node_grad_allreduce() borrow v until allreduce().
 *     One all-reduce in flight per node; all members ask in the same order. An
 *     all-reduce that all members have asked for, with their gradients computed, is
 *     delivered even when the run is stopping. A worker that is away may be left out;
 *     node_added() tells how many took part.
 *  6. Randomness is an address (rng.h).
 *  7. A handler is a function of its events: no statics, no clock but
 *     node_now(), no malloc, no I/O, no MPI.
 *  8. Handlers take no virtual time unless the cluster gives them a cost.
 *  9. Events at equal times are ordered by a written rule: time, then kind, then rank,
 *     then order of asking. A run is a function of its spec.
 * 10. If the algorithm says so (algo.shared), the workers' x are one memory, which they
 *     read and write coordinate by coordinate, without locks. node_grad() reads its
 *     snapshot that way; node_step() applies the optimiser to that snapshot and adds
 *     the change to x, so that no addition is lost. `step` counts all workers' steps. A
 *     worker steps once by each gradient, before it asks for the next. On ranks of one
 *     machine this is real: the result depends on when the other workers wrote, and
 *     only a run of the simulator can be repeated.
 *
 * Most algorithms need the first group of functions below, and one of the next two:
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
 * rank SERVER, whichever process runs it. NO_PEER is the rank of no node: of the sender when no
 * message came, of a peer when there is none.
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
		float value;    /* instead of a tag, in messages that need none */
	};
	int from;               /* sender's rank, filled in by the engine */
	int64_t stamp;          /* model clock that vec belongs to; staleness = step - stamp */
	const float *vec;       /* [n], borrowed; NULL in a timing-only run */
	size_t n;
	bool codes;             /* vec is a gradient [dim]: the run's codec may pack it */
	/*
	 * In messages to the server: number of gradients, of all workers, counted before the first
	 * gradient in vec; -1: vec has none. Filled in by the engine.
	 */
	int64_t before;
};

struct grad {
	/*
	 * [dim], borrowed; minibatch mean of d loss / d x, times the minibatch's samples over the
	 * mean number of a minibatch. The factor is 1 unless the workers' shares are unequal
	 * (slice.h).
	 */
	const float *vec;
	double loss;            /* mean over the minibatch; NaN in a timing-only run */
};

struct blob;
struct codec;
struct codec_allreduce;
struct node;
struct run;
struct staged;
struct stages;
struct topology;

struct role {                   /* handlers of one kind of node; NULL: must never happen */
	size_t state_size;      /* zeroed, per node */
	void (*start)(struct node *nd);
	void (*grad)(struct node *nd, const struct grad *g);
	void (*msg)(struct node *nd, const struct msg *m);
	void (*allreduce)(struct node *nd, float *v, size_t n);
	void (*timer)(struct node *nd, int token);
	void (*stage)(struct node *nd, const struct staged *s); /* stages.h */
	/* ---- absent workers ---- */
	/*
	 * A worker was away and continues: m NULL: with the state that it left with; else with the
	 * model *m, which another node's fetch() sent. The gradient that it was computing and
	 * messages sent to it earlier are lost; an answer to its own earlier messages may still
	 * come. NULL: the algorithm tolerates no absent worker, and the run ends. A worker with
	 * allreduce() returns after an all-reduce of the others, with what a member's fetch() then
	 * sent; if it is alone, with m NULL.
	 */
	void (*back)(struct node *nd, const struct msg *m);
	/* A returning worker asks for the model: sends it to rank `to`, and nothing else. */
	void (*fetch)(struct node *nd, int to);
	/*
	 * A neighbour in the topology is away: called when this is detected; all that it had sent
	 * has been delivered. A returning worker is told, after its own back(), of each neighbour
	 * that is away. NULL: the algorithm need not know.
	 */
	void (*lost)(struct node *nd, int rank);
	/*
	 * Called with lost(): the lost neighbour had not received *m, which this node sent. Must
	 * not make requests, since this node may be away itself. NULL: the message is lost.
	 */
	void (*returned)(struct node *nd, const struct msg *m);
};

/* How old the gradients or updates of a step are; the advice after a divergence asks for it. */
enum lateness {
	FRESH,                  /* of the newest model, or too little older to matter */
	LATE,                   /* of older models */
	LATE_BY_WORKERS,        /* each is as many steps old as there are other workers */
	LATE_APART,             /* the same, but a momentum sums gradients of one worker only */
};

/*
 * Text of `show algo` and docs/algorithms.md for an algorithm; lines end where the text has a
 * newline.
 */
struct algo_facts {
	const char *rule;       /* the update, as a formula */
	const char *departs;    /* differences from the paper; NULL: none that matters */
	/*
	 * Total displacement of the model over all time by one worker's update D, in units of D:
	 * for methods with outer steps, which are to be compared at equal gain; else NULL.
	 */
	const char *gain;
	const char *waits;      /* workers that wait for others, and for which */
	const char *staleness;  /* of the gradients applied, in steps */
	enum lateness late;     /* the same in a word, for the program */
	const char *messages;   /* messages and bytes for each gradient; m: bytes of the model */
	const char *memory;     /* vectors of the model's size, "server / worker" */
	const char *tolerates;  /* workers that may leave, and until when; NULL: none */
};

/* Cost of a pass over a shared model in virtual time. */
struct sharing {
	int blocks;             /* parts of a pass, each read or written in an instant */
	double read_s, write_s; /* seconds of a pass; negative: as the machine's memory needs */
};

struct algo {
	struct plugin plugin;
	const struct role *server;      /* NULL: decentralised */
	const struct role *worker;
	struct algo_facts facts;
	const char *graph;              /* default of --graph; NULL: it uses no topology */
	/* 0, or error(): refuses a run before any node exists. May be NULL. */
	int (*check)(const struct run *run);
	/* ---- outer steps; not for algorithms in files of users ---- */
	/* Name of the option that is the learning rate of the outer steps, and ... */
	const char *outer;
	/* ... facts.gain of these settings for each unit of that rate, while it is small, ... */
	double (*gain)(const void *conf, int workers);
	/*
	 * ... and what it tends to if the rate grows: at a rate r, 1 / gain is 1 / (r gain()) + 1 /
	 * gain_limit(). NULL: infinity, so that it is r gain(). All three NULL: it has no such
	 * steps.
	 */
	double (*gain_limit)(const void *conf, int workers);
	/* ---- how gradients are sent ---- */
	/*
	 * Gradients are sent with msg.codes, node_allreduce_grads() or _part(): a codec may be
	 * chosen.
	 */
	bool sends_gradients;
	/*
	 * Packs what is sent in one of these ways, with the algorithm's own settings, so no codec
	 * may be chosen. NULL: the run's codec does. Not for algorithms in files of users.
	 */
	const struct codec *codec;
	/* Gradients are sent by node_allreduce_part(): a codec that needs whole ones is refused. */
	bool allreduces_parts;
	/* There is a server, and workers send messages to each other too. */
	bool workers_send_to_workers;
	/* Uses node_grad_allreduce(): an engine may add a gradient while it is being computed. */
	bool allreduces_gradients;
	/* Vectors of the model's length in the largest of its all-reduces; NULL: one. */
	int (*allreduced_vectors)(const struct run *run);
	/* ---- rounds, and absent workers ---- */
	/*
	 * Workers stay within a few steps of each other, however slow they are. As all deliver
	 * equally many gradients, their shares of a round may be unequal.
	 */
	bool lockstep;
	/*
	 * True: what a worker's model is follows from how many gradients it has asked for, and from
	 * its steps. Times change nothing then: what comes early is kept until it is due. NULL:
	 * never, or not known.
	 */
	bool (*order_fixed)(const struct run *run);
	/*
	 * Messages that arrive for each gradient on a network that takes no time, with these
	 * settings, if workers do not wait for the network and send less on a slow one; 0: they
	 * wait. NULL: they wait, or send as much on any network.
	 */
	double (*exchanges)(const void *conf);
	/* Training depends on times themselves, and not only on the order of events. */
	bool reads_clock;
	/*
	 * True: with these settings no gradient is late, whatever facts.late says. NULL: never. Not
	 * for algorithms in files of users.
	 */
	bool (*synchronous)(const void *conf, int workers);
	/* True: with these settings no worker may ever be away. NULL: any worker may. */
	bool (*needs_all)(const void *conf);
	/*
	 * Name of the option that says how many gradients of a worker make a round. A round ends
	 * with an exchange; node_grad() asks for its first gradient, node_grad_local() for the
	 * others. NULL: one.
	 */
	const char *round;
	/*
	 * Gradients of a worker, with these settings, before its exchanges are as later. NULL:
	 * none. Not for algorithms in files of users.
	 */
	int64_t (*first)(const void *conf);
	/*
	 * Gradients of a worker, with these settings, until workers that are a tenth or more slower
	 * than others keep all of them waiting; infinity: never. NULL: at once, never, or see
	 * lockstep. Not for algorithms in files of users.
	 */
	double (*settles)(const void *conf, int workers);
	/* ---- other ways to compute gradients ---- */
	/* True: with these settings gradients are computed in stages. NULL: never. */
	bool (*staged)(const void *conf);
	/* All workers' x are one memory; there is no server. NULL: each worker has its own x. */
	struct sharing (*shared)(const void *conf);
};

/* algo.gain_limit of these settings; infinity if it is NULL. */
double algo_gain_limit(const struct algo *algo, const void *conf, int workers);

/* Gradients of a worker in a round (algo.round) with these settings. */
double algo_round(const struct algo *algo, const void *conf);

/* True: an algo.order_fixed of all settings. */
bool order_always(const struct run *run);

/* Time, gradients and bytes of a node; kept by the engine. */
struct ledger {
	double compute, comm, wait;     /* seconds; together, the node's share of the run */
	int64_t gradients;              /* delivered to grad() */
	int64_t steps;                  /* node_step() calls */
	int64_t messages;
	__int128 bytes_sent, bytes_received;    /* a large net's exceed 63 bits */
	int64_t dropped;                /* cancelled, in flight at the end, or node_ignore()d */
	int64_t late;                   /* node_late() calls */
};

struct node {
	/* ---- what algorithms read ---- */
	int rank, size, workers;        /* size counts the server too */
	int group, groups;
	size_t dim;
	float *x;                       /* [dim] its model, or the shared one; NULL: timing-only */
	int64_t step;                   /* optimiser steps applied to x */
	/*
	 * [role->state_size]; its pointers may only point to memory from node_alloc() or its
	 * variants for floats, node_floats() and node_vec()
	 */
	void *state;
	const void *conf;               /* the algorithm's settings */
	const struct role *role;
	/*
	 * ---- the engine's side: algorithms leave these alone; members that all events use come
	 * first ----
	 */
	const struct engine *engine;
	const struct run *run;
	void *priv;
	struct stages *stages;          /* stages of its gradients; NULL: it has none */
	struct node_memory *memory;     /* memory of a worker's streams; NULL: the net has none */
	int64_t stamp;                  /* clock of the gradient being handled, or -1 */
	/*
	 * Numbers of gradients, of all workers, that were counted before: the gradient being
	 * handled; the first one gathered for a later step; the worker's first one since it last
	 * sent any to the server (-1: none is waiting); the first one in the message being sent
	 * (-1: it has none).
	 */
	int64_t before, gathered, unsent, sending;
	int from;                       /* rank that computed it; in a server NO_PEER if none */
	bool goes_on;                   /* its gradient is not the first of its round */
	bool adds;                      /* its gradient goes into an all-reduce ... */
	struct ledger ledger;
	/* ---- members that fewer events use ---- */
	float *into;                    /* ... [dim], to this vector */
	int added;                      /* workers in its latest all-reduce; before it: all */
	uint64_t draws;                 /* node_rand() calls so far */
	float *optim;                   /* optimiser state, or NULL */
	const float *seen;              /* [dim] shared x: the snapshot read for the gradient ... */
	float *moved;                   /* ... [dim] the same after its step; NULL: not shared */
	float *residual;                /* [dim] what the codec left out so far, or NULL */
	uint64_t packed;                /* gradients that the codec was given so far */
	size_t part;                    /* offset of the part of a gradient that is being added */
	struct codec_allreduce *allreduce;      /* a staged all-reduce of its codec; NULL: none */
};

/* ---- requests: all return at once, the answer is a later event, none can fail ---- */

/* Requests a gradient at a snapshot of x taken now -> grad(). Begins a round of local steps. */
void node_grad(struct node *nd);

/* Requests a gradient, as node_grad(), that continues a round of local steps (algo.round). */
void node_grad_local(struct node *nd);

/*
 * Requests a gradient at a snapshot of x taken now, which is added over the node's group into
 * v[dim] (borrowed) -> allreduce() on every member, instead of grad(). An engine may begin to add
 * while the rest is being computed; so the request cannot be cancelled. Records are those of
 * node_grad(), then in grad() a copy to v and node_allreduce(); so are clocks, except that time is
 * saved by adding early.
 */
void node_grad_allreduce(struct node *nd, float *v);

/* Drops the gradient in flight, if any: its grad() will not be called. */
void node_cancel(struct node *nd);

/* ---- messages ---- */

/* Sends a copy of *m, with `from` filled in, to a rank -> its msg(). */
void node_send(struct node *nd, int to, const struct msg *m);

/* ---- all-reduces ---- */

/* Adds v[n] over the node's group, in place -> allreduce() on every member. */
void node_allreduce(struct node *nd, float *v, size_t n);

/*
 * node_allreduce() of gradients v[dim], which the run's codec may pack: then every member gets the
 * sum of the decoded gradients, added in order of rank.
 */
void node_allreduce_grads(struct node *nd, float *v);

/*
 * node_allreduce_grads() of a part of the gradients, v[n], which a codec treats as one layer.
 * `from` is the offset of the part in an order of the model's floats that the algorithm chooses and
 * keeps.
 */
void node_allreduce_part(struct node *nd, float *v, size_t from, size_t n);

/*
 * Number of workers whose vectors are in the node's latest all-reduce: all of its group, except
 * those that were away (in the simulator); before the first all-reduce: all.
 */
static inline int node_added(const struct node *nd)
{
	return nd->added;
}

/* ---- timers, and the end of a run ---- */

/*
 * Calls timer(token) after `seconds`: the only way to act at a moment that is no other event, such
 * as to send a part of a model some time after a step. Built-in algorithms count steps instead; the
 * probes of `convoy calibrate` (study/calibrate/probe.c) send at random moments.
 */
void node_after(struct node *nd, double seconds, int token);

/*
 * Declares that this node requests no more gradients; the run ends when all workers have done so.
 * For an algorithm that ends a run before its budget, such as a probe that has measured enough.
 */
void node_stop(struct node *nd);

/* ---- facts: these functions, and all that follow, return their result at once ---- */

/* Seconds since the run began: virtual or real. */
double node_now(const struct node *nd);

/* Epochs of the training set that all workers together have consumed so far. */
double node_epoch(const struct node *nd);

/*
 * For engines: number of gradients of all workers, as the node counts them for its learning rate.
 * In lockstep: of as many rounds as the node has computed itself; else `known`, the engine's
 * number.
 */
int64_t node_counted(const struct node *nd, int64_t known);

/* The run's communication graph, owned by the run; NULL: the algorithm has none. */
const struct topology *node_topology(const struct node *nd);

/*
 * Layers of x, with names, owned by the problem; returns their number. Returns 0, and NULL in
 * *layers, if the problem names none, or in a timing-only run.
 */
size_t node_layers(const struct node *nd, const struct blob **layers);

/* 64 random bits at (seed, RNG_ALGO, rank, call number). */
uint64_t node_rand(struct node *nd);

/* 64 random bits at (seed, RNG_ALGO, NO_PEER, index): equal on every node of the run. */
uint64_t node_rand_common(const struct node *nd, uint64_t index);

/*
 * Zeroed memory that lives as long as the run. node_floats() and node_vec() return NULL in a
 * timing-only run, which counts them to estimate the memory of a training run; so do not tell by
 * NULL whether you have asked before. State that depends on the values of gradients, and not only
 * on their times, must be in floats: the simulator's checkpoints save only these. Any bits in them
 * must be safe to compute with.
 */
void *node_alloc(struct node *nd, size_t n, size_t size);
float *node_floats(struct node *nd, size_t n);
float *node_vec(struct node *nd);       /* a vector of [dim] */

/* ---- steps of the model ---- */

/* x <- optimiser(x, w g); step++. g[dim] may be NULL in a timing-only run. */
void node_step(struct node *nd, const float *g, float w);

/* node_step() with another optimiser state, which node_optim() returned. */
void node_step_with(struct node *nd, float *state, const float *g, float w);

/*
 * node_gather() notes a gradient that is kept for a later step, and shows its sender and staleness;
 * without g[dim], which is NULL for a part of the model, there is no norm and no gap.
 * node_step_gathered() makes that step by g[dim], the sum of the gradients kept.
 */
void node_gather(struct node *nd, const float *g);
void node_step_gathered(struct node *nd, const float *g, float w);

/* New optimiser state, for an algorithm that keeps several; NULL in a timing-only run. */
float *node_optim(struct node *nd);

/* Floats of an optimiser state, in a timing-only run too. */
size_t node_optim_floats(const struct node *nd);

/* Vectors [dim] with which an optimiser state begins; of Adam 2, its first and second moments. */
size_t node_optim_vectors(const struct node *nd);

/*
 * step++, for a step that the algorithm made to x itself; node_moved_gathered(): by gathered
 * gradients.
 */
void node_moved(struct node *nd);
void node_moved_gathered(struct node *nd);

/* Counts a gradient that the algorithm received but leaves out of the model as dropped. */
void node_ignore(struct node *nd);

/* Counts what a worker has sent after a round, and that the server leaves out, as it comes late. */
void node_late(struct node *nd);

/* ---- the learning rate, momentum and decay ---- */

/*
 * Learning rate of a step made now: that of the epoch before the gradient which the step applies,
 * or before the first of several. So the first step of a run has the rate of epoch 0.
 */
double node_lr(const struct node *nd);

/* Learning rate of a step whose first gradient was counted `gradients` gradients earlier. */
double node_lr_since(const struct node *nd, int64_t gradients);

/* The optimiser's momentum, and its weight decay; zeros if its rule has none in that form. */
struct momentum node_momentum(const struct node *nd);
struct decay node_decay(const struct node *nd);

/*
 * x[dim] <- x after `steps` steps of the optimiser by gradients of 0, at the present learning rate.
 */
void node_ahead(const struct node *nd, int64_t steps, float *x);

#endif

/*
 * world.h - state of the simulator, shared by its files.
 *
 *     run.c         a run from its beginning to its end; detection of runs that would never end
 *     world.c       nodes, models and states
 *     engine.c      requests of nodes
 *     events/       the event list, and the event loop until the budget is spent
 *     messages.c    messages in flight; those of a server in shards, in pieces
 *     link/         the network between nodes: models of links, NICs, flows that share lines
 *     allreduce/    all-reduces by formula, by a ring of messages, in buckets; ZeRO
 *     blocks.c      passes over a model that all workers share
 *     storage.c     time to read samples
 *     history.c     a digest of the order of events, by which runs are found that learn the same
 *     faults/       workers that leave and return, links that drop, jobs that go back
 *     checkpoint.c  saving and resuming a run
 */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include "core/base/hold.h"
#include "core/base/mem.h"
#include "core/engine/engine.h"
#include "core/math/vec.h"
#include "sim/allreduce/allreduce.h"
#include "sim/faults/faults.h"
#include "sim/faults/recovery.h"
#include "sim/link/flows.h"
#include "sim/link/packet.h"
#include "sim/sim.h"

struct waiting {                /* an event for a node that was busy */
	struct waiting *next;
	struct sim_event ev;
};

/* ---- a node ---- */

struct sim_rare {               /* what many runs without gradients never touch */
	struct job job;         /* of the gradient in flight */
	struct sim_allreduce sum; /* the all-reduce in flight */
};

struct sim_node {               /* node->priv */
	/* All of it is prefetched where there are many nodes: whole cache lines. */
	_Alignas(64) struct sim *sim;
	double clock;           /* in a handler: time at which its requests take effect */
	double free_at;         /* the node handles nothing before this time */
	struct waiting *inbox, **inbox_tail;
	double idle_from;       /* HUGE_VAL while computing or handling */
	double begun, compute;  /* start of the gradient in flight; its seconds of computing */
	double first;           /* time of its request; NaN: it continues a round */
	double held_up;         /* seconds by which it ends later than first computed */
	double stalled;         /* seconds that it waited for its samples */
	int64_t ticket;         /* distinguishes its event from those of cancelled gradients */
	int64_t index;          /* minibatches asked for so far */
	int64_t stamp;          /* clock of the model at the snapshot */
	float *snapshot;        /* [dim] of the gradient in flight */
	int life;               /* grows when the node leaves and returns: odd while it is away */
	bool computing;
	bool wake;              /* a SIM_WAKE is in the heap */
	bool stopped;
	float *g;               /* [dim], followed by what a stage gives */
	struct sim_rare *rare;
	int64_t asked;          /* gradients, also after the end */
	uint64_t history;       /* a digest of all that it has handled, in this order ... */
	uint64_t changed;       /* ... up to what may have changed its model */
	_Alignas(8) char state[24];     /* of the algorithm, if that is so small */
};

/* ---- messages: messages.c ---- */

struct order_slot {
	int to; /* location + 1; 0: free */
	double due;
};

/* Time at which a node's last message to each location is due, so that none overtakes another. */
struct order { /* a hash table, open addressing; zeroed is empty */
	struct order_slot *slot;
	size_t n, capacity; /* capacity: a power of two, more than n */
};

/* The later of `due` and the time of the last message to that location; stores the result. */
double order_keep(struct order *o, int to, double due);
void order_release(struct order *o);

struct post {
	struct network net;      /* NICs of machines; if plain, one each */
	struct nic *nic;         /* [network_nics()] of nodes, if these have several workers */
	struct flows *flows;     /* messages that share a fabric; NULL: they use NICs */
	struct nic *machine;     /* [machines] the server's shards last */
	struct order *order;     /* [machines] of their messages; NULL: the link keeps it */
	int machines, shards;
	/* Messages need no more than the link: no pieces, flows, order, faults, history, hook. */
	bool direct;
	double shard_share; /* 1 / shards */
	void *codes;        /* [codec_bytes] of the gradient being sent */
	struct packets packets;
	/* messages and all-reduces: requested; received, or done; lost, as a worker was away */
	int64_t asked, answered, lost;
	int64_t most_asks;       /* upper bound of `asked`, once the run is stopping */
};

/* ---- checkpoints: checkpoint.c ---- */

struct saving {
	struct hold hold; /* of a run with checkpoints: models and other vectors */
	bool saves;
	double next;      /* wall clock */
	bool keeps, kept; /* a checkpoint is saved at the end of the budget; it was saved */
	bool rewalks;     /* repeats the run up to a checkpoint: gradients are not computed */
};

/* ---- the order of events: history.c ---- */

struct histories {
	bool kept;      /* nodes have a history ... */
	bool fixed;     /* ... which is how far they are: algo.order_fixed */
	bool counts;    /* what they do depends on the gradients of others, as learning rates may */
	bool spreads;   /* marks measure the workers' models, too */
	uint64_t marks; /* a digest of the models that were evaluated */
};

/* ---- a run ---- */

struct sim {
	const struct sim_conf *conf;
	const struct run *run;
	const struct link *link;
	struct node *nodes;     /* [nnodes], the server last */
	struct sim_node *priv;  /* [nnodes] */
	struct sim_rare *rare;  /* [nnodes] */
	char *states;           /* [workers][state_bytes] of the algorithm; NULL: in priv */
	size_t state_bytes;
	int nnodes;
	struct heap heap;
	struct arena arena;
	double now;
	int64_t events;
	int64_t gradients;      /* delivered to all workers */
	double epoch;           /* epoch at gradient epoch_of */
	int64_t epoch_of;
	bool handled, sends;    /* some hook wants EV_HANDLED, EV_SEND */
	bool timers;            /* a node has asked for one */
	bool detours;           /* some events are no node's: faults, blocks, or buckets */
	bool prepares;          /* event_prepare() is to be called */
	bool extras;            /* handler_prepare() and handler_finish() are to be called */
	bool stopping;
	enum end_reason end;
	double stop_time;
	int64_t asked, under_way; /* of struct run_result */
	int64_t budget; /* gradients at which the run ends; 0: unbounded */
	enum end_reason budget_end;
	double next_mark;
	float *model;     /* [dim] for marks */
	double host_copy; /* seconds for each exchange; 0 for a single worker */
	size_t passed;    /* vec_passed() at the latest charge for handling */
	struct waiting *spare_waiting;
	double handler_s, pool_s, mark_s; /* real seconds */
	struct run_floats floats;
	double still_at;        /* time at which the latest gradient ended ... */
	int64_t still;          /* ... and number of earlier ones at that time */
	int64_t pace_at;        /* number of gradients after which the pace is checked */
	struct post post;
	struct allreduces allreduces;
	struct saving saving;
	struct histories histories;
	/* NULL if the run does not use them: */
	struct blocks *blocks;   /* a model that all workers share */
	struct storage *storage; /* of samples, which workers wait for */
	struct faults *faults;   /* faults may happen */
	struct timeline *line;   /* clock of a job that goes back to checkpoints */
};

static inline struct sim_node *sim_node(const struct node *nd)
{
	return nd->priv;
}

static inline bool sim_is_away(const struct sim_node *sn)
{
	return sn->life & 1;
}

/* Location of the node's machine; of the server: its first. */
static inline int sim_index(const struct sim *s, int rank)
{
	return rank == SERVER ? s->nnodes - 1 : rank;
}

/*
 * Seconds of the host-device copy after the computation in flight: once for each gradient; of a
 * round of local steps, in which only the exchange needs it, once for the first.
 */
static inline double sim_host_copy(const struct sim *s, const struct node *nd)
{
	return node_stage_is_last(nd) && !nd->goes_on ? s->host_copy : 0.0;
}

/* Node of the machine at a location. */
static inline struct node *sim_at(const struct sim *s, int location)
{
	return &s->nodes[location < s->nnodes ? location : s->nnodes - 1];
}

/* Size of the k-th of n pieces, as equal as possible. */
static inline size_t sim_piece(size_t size, size_t n, size_t k)
{
	return size * (k + 1) / n - size * k / n;
}

/* ---- engine.c ---- */

extern const struct engine sim_engine;

/* Advances the node's clock by the cost of what its handler did since the last call. */
void sim_charge_handling(struct sim *s, struct node *nd);

/* Charges for handling, if the link has a cost for it. */
static inline void sim_charge(struct sim *s, struct node *nd)
{
	if (s->link->handle)
		sim_charge_handling(s, nd);
}

/* Skips floats that the engine itself has copied for a handler, so that they are not charged. */
static inline void sim_uncharged(struct sim *s)
{
	if (s->link->handle)
		s->passed = vec_passed();
}

/*
 * The node's snapshot is complete: computes its gradient in parallel, until its virtual time ends.
 */
void sim_compute(struct sim *s, struct node *nd);

/* False while a run only repeats what led to a checkpoint: gradients are left out. */
static inline bool sim_computes(const struct sim *s)
{
	return s->run->pool && !s->saving.rewalks;
}

/*
 * Waits for the real computation of the node's gradient in flight, if any: its result can be read
 * from now on, whenever its virtual time ends.
 */
void sim_await_job(struct sim *s, struct node *nd);

static inline void sim_await(struct sim *s, struct node *nd)
{
	if (sim_computes(s))
		sim_await_job(s, nd);
}

/* Gives the node's gradient in flight, whose snapshot is complete, to the pool. */
void sim_submit(struct sim *s, struct node *nd);

/* Discards the node's gradient in flight, if any, at that time. */
void sim_drop(struct sim *s, struct node *nd, double time);

/* ---- world.c ---- */

/* Opens the state of a run. line: of a job that goes back to checkpoints, or NULL. */
void sim_open(struct sim *s, const struct sim_conf *conf, const struct run *run,
	      struct timeline *line);
void sim_close(struct sim *s);

static inline bool sim_saves(const struct sim *s)
{
	return s->saving.saves;
}

/*
 * Zeroed floats that live as long as the run, for data of training; in a timing-only run NULL, but
 * counted. Checkpoints hold them, and nothing that can be recomputed from the events before.
 */
float *sim_floats(struct sim *s, size_t n);

/*
 * Removes the first event from the node's inbox: *p <- the packet, if it is a message. False: it is
 * empty.
 */
bool sim_forget(struct sim *s, struct sim_node *sn, struct packet **p);

/* model[dim] <- the server's model, or the mean of the workers'; NULL in a timing-only run. */
const float *sim_model(struct sim *s);

/* models_spread() of the workers in a training run. */
double sim_spread(const struct sim *s);

/* ---- events/loop.c ---- */

/* Calls start() of every node, the server's first. */
void sim_start(struct sim *s);

/* Handles events until `events` are handled in all, or none are left. 0 or error(). */
int sim_pump(struct sim *s, int64_t events);

/* Ends the run at that time; messages and all-reduces in flight are still delivered. */
void sim_stop(struct sim *s, enum end_reason why, double time);

/* Emit an event that belongs to no node, and an evaluation of the model [dim]. */
void sim_emit(struct sim *s, enum event_kind kind, double time, const float *model);
void sim_mark(struct sim *s, double time, const float *model);

/* Epochs that all workers together have consumed. */
static inline double sim_epoch(struct sim *s)
{
	if (s->epoch_of != s->gradients) {
		s->epoch_of = s->gradients;
		s->epoch = run_epochs(s->run, s->gradients);
	}
	return s->epoch;
}

/* The node, present again, continues with the state that it left with. */
void sim_go_on(struct sim *s, struct node *nd);

/* Books the part of the gradient in flight that is before `end`. */
void ledger_unfinished(struct node *nd, double end);

/* ---- run.c: runs that would never end ---- */

/* BUG(): a run that is stopping makes too many requests. */
void limit_is_passed(const struct sim *s);

/* Counts a message, or a request for an all-reduce. */
static inline void sim_asked(struct sim *s)
{
	if (++s->post.asked > s->post.most_asks)
		limit_is_passed(s);
}

/* The run stops: sets how many more requests nodes may make. */
void limit_asks(struct sim *s);

/* A gradient ends at the same time as the one before. 0 or error(), as limit_time(). */
int limit_still(struct sim *s, double time);

enum { PACE_FIRST = 1024 };     /* gradients after which the pace of virtual time is checked */

/* Enough gradients have ended to tell when the run will end. 0 or error(), as limit_time(). */
int limit_pace(struct sim *s, double time);

/* A gradient ends at `time`. 0, or error() when virtual time will not reach the run's end. */
static inline int limit_time(struct sim *s, double time)
{
	if (s->gradients >= s->pace_at && limit_pace(s, time) < 0)
		return -1;
	if (!(time > s->still_at))
		return limit_still(s, time);
	s->still_at = time;
	s->still = 0;
	return 0;
}

/* ---- checkpoint.c ---- */

/* Opens the run and starts it, or repeats it up to its checkpoint. */
void sim_begin(struct sim *s, const struct sim_conf *conf, const struct run *run,
	       struct timeline *line);

/*
 * Between two events of a run with checkpoints: saves one when it is due, or the user ends the run.
 */
void sim_save(struct sim *s, bool interrupted);

/* Call between two events. True when the user ends the run. */
static inline bool sim_interrupted(struct sim *s)
{
	const bool interrupted = s->run->interrupted && *s->run->interrupted;

	if (sim_saves(s))
		sim_save(s, interrupted);
	return interrupted;
}

/*
 * Between two events, if saving.keeps: saves a checkpoint when the next event ends the run by its
 * budget, from which a run with a larger budget can resume.
 */
void sim_keep(struct sim *s);

/* ---- messages.c ---- */

/* Gives a packet, sent at `time`, to the link. */
void packet_launch(struct sim *s, int from, int to, double time, struct packet *p);

/*
 * Sends a copy of *m: occupies the sender's NIC, and pushes the arrival. Each shard of a server has
 * a piece and a NIC of its own; the message is complete with its last piece.
 */
void packet_send(struct sim *s, struct node *nd, int to, const struct msg *m);

/* Sends a piece of a ring, of `bytes` without a header, at `time`. */
void packet_piece(struct sim *s, struct node *nd, int to, double time, size_t bytes);

/*
 * Handles a SIM_MSG or SIM_RECEIVED: occupies the receiver's NIC. True when the event is done: the
 * message is not complete yet, and its SIM_RECEIVED is pushed; or it was a piece.
 */
bool packet_crosses(struct sim *s, const struct sim_event *ev);

/* False: packet_crosses() of the packet's events is false. */
static inline bool packet_may_cross(const struct sim *s, const struct packet *p)
{
	return s->link->receive || p->piece;
}

/* ---- history.c ---- */

/* Decides whether nodes have a history. */
void histories_open(struct sim *s);

/* Continues a digest by 64 bits, each of which changes all of it. */
static inline uint64_t history_mix(uint64_t h, uint64_t bits)
{
	h = (h ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
	h = (h ^ h >> 32) * UINT64_C(0xd6e8feb86659fd93);
	return h ^ h >> 32;
}

/* A handler of the node is about to be called; p: with this message, or NULL. */
void history_handle(struct sim *s, const struct node *nd, const struct call *c,
		    const struct packet *p);

/* The node does so, to be told from what else it does in the same handler. */
enum history_deed { HISTORY_SENDS = 1, HISTORY_ALLREDUCES, HISTORY_HANDLES };
static inline uint64_t history_act(struct sim_node *sn, enum history_deed deed)
{
	sn->history = history_mix(sn->history, deed);
	return sn->history;
}

/* All members of the group have asked for its all-reduce. */
void history_allreduce(struct group *g);

/* The models as they are now are evaluated. */
void history_mark(struct sim *s);

/* run_result.order */
uint64_t histories_end(const struct sim *s);

/* ---- blocks.c ---- */

/* Sets s->blocks if the algorithm's workers share a model; else it stays NULL. */
void blocks_open(struct sim *s);

/* Steps that workers have begun to write; 0 if no model is shared. */
int64_t blocks_steps(const struct sim *s);

/* Writes a step of the node to the shared model from its clock on, which it advances to the end. */
void blocks_write(struct sim *s, struct node *nd);

/* Begins to read the snapshot of the node's gradient in flight. */
void blocks_read(struct sim *s, struct node *nd);

/* True when the snapshot of the gradient in flight is complete. */
bool blocks_all_read(const struct sim *s, const struct node *nd);

/* Handles a SIM_WRITE or SIM_READ; false for other events. */
bool blocks_event(struct sim *s, struct node *nd, const struct sim_event *ev);

/* Seconds after `end` of the step that the node is writing, which were booked when it began. */
double blocks_unwritten(const struct sim *s, const struct node *nd, double end);

/* The node leaves; a step that is half written stays half written. True if there is one. */
bool blocks_leave(struct sim *s, struct node *nd);

/* ---- storage.c ---- */

void storage_open(struct sim *s);
void storage_close(struct sim *s);

/*
 * Seconds until the worker has the samples of the gradient that it begins; requests the next ones.
 */
double storage_wait(struct sim *s, struct node *nd);

#endif

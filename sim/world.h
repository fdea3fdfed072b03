/*
 * world.h - the simulator's own state, shared by its files.
 *
 *     run.c         a run from its beginning to its end, and runs that would never end
 *     world.c       nodes, models and states: made and freed
 *     engine.c      what nodes ask for
 *     events/       the event list, and the handlers that answer, until the budget is spent
 *     messages.c    messages under way; those of a server in shards, in pieces
 *     link/         what is between nodes: models of links, NICs, flows that share lines
 *     allreduce/    all-reduces by formula, by a ring of messages, in buckets; ZeRO
 *     blocks.c      passes over a model that all workers share
 *     storage.c     when samples are read
 *     faults/       workers that leave and come back, links that drop, jobs that go back
 *     checkpoint.c  a run saved in a checkpoint, and resumed
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

struct waiting {                /* an event that found its node busy */
	struct waiting *next;
	struct sim_event ev;
};

/* ---- a node ---- */

struct sim_node {               /* node->priv */
	/* What most algorithms' events use: the first cache lines, which events/loop.c knows. */
	_Alignas(64) struct sim *sim;
	double clock;           /* in a handler: when what it asks for takes effect */
	double free_at;         /* it handles nothing before */
	struct waiting *inbox, **inbox_tail;
	double idle_from;       /* HUGE_VAL while computing or handling */
	double begun, compute;  /* of the gradient in flight; seconds of computing in it */
	double first;           /* when it was asked for; NaN: it goes on with a round */
	double held_up;         /* seconds by which it ends later than was thought */
	double stalled;         /* seconds that it waited for its samples */
	int64_t ticket;         /* tells a cancelled gradient's event from a live one */
	int64_t index;          /* minibatches asked for so far */
	int64_t stamp;          /* the model's clock at the snapshot */
	float *snapshot;        /* [dim] of the gradient in flight */
	int life;               /* odd: it is away; each time that it leaves or is back: one more */
	bool computing;
	bool wake;              /* a SIM_WAKE is on its way */
	bool stopped;
	struct job job;         /* of the gradient in flight */
	float *g;               /* [dim], and after it what a stage gives */
	struct sim_allreduce sum; /* the all-reduce in flight */
};

/* ---- messages: messages.c ---- */

struct order_slot {
	int to; /* location + 1; 0: free */
	double due;
};

/* When a node's last message to each other node is due: none overtakes another. */
struct order { /* a hash table, open addressing; zeroed is empty */
	struct order_slot *slot;
	size_t n, capacity; /* capacity: a power of two, more than n */
};

/* The later of `due` and what the last message to that location is due at; keeps it. */
double order_keep(struct order *o, int to, double due);
void order_release(struct order *o);

struct machine { /* at a location: a worker, or a shard of the server */
	struct nic nic;
	struct order order; /* of what it sends, where a link does not keep it */
};

struct post {
	struct network net;      /* who has which NIC; with plain, one for each machine */
	struct nic *nic;         /* [network_nics()] of nodes, where they have several workers */
	struct flows *flows;     /* messages that share a fabric; NULL: they pass NICs */
	struct machine *machine; /* [machines] the server's shards last */
	int machines, shards;
	double shard_share; /* 1 / shards */
	bool overtakes;     /* messages on the link, unless they are kept in order */
	void *codes;        /* [codec_bytes] of the gradient being sent */
	struct packet *spare;
	int64_t asked, answered; /* messages and all-reduces: asked for; received, or done */
	int64_t most_asks;       /* that a run which is stopping may come to */
};

/* ---- checkpoints: checkpoint.c ---- */

struct saving {
	struct hold hold; /* of a run with checkpoints: models and other vectors */
	double next;      /* wall clock */
	bool keeps, kept; /* a checkpoint is saved before the budget ends the run; it was */
	bool rewalks;     /* to its checkpoint: gradients are not computed */
};

/* ---- a run ---- */

struct sim {
	const struct sim_conf *conf;
	const struct run *run;
	const struct link *link;
	struct node *nodes;     /* [nnodes], the server last */
	struct sim_node *priv;  /* [nnodes] */
	int nnodes;
	struct heap heap;
	struct arena arena;
	double now;
	int64_t events;
	int64_t gradients;      /* delivered to all workers */
	double epoch;           /* when there were so many: */
	int64_t epoch_of;
	bool handled, sends;    /* some hook wants EV_HANDLED, EV_SEND */
	bool detours;           /* faults, blocks, or buckets: some events are no node's */
	bool stopping;
	enum end_reason end;
	double stop_time;
	int64_t budget; /* the run ends with so many gradients; 0: unbounded */
	enum end_reason budget_end;
	double next_mark;
	float *model;     /* [dim] for marks */
	double host_copy; /* seconds per gradient; 0 for a worker alone */
	size_t passed;    /* vec_passed() up to which handlers have been charged */
	struct waiting *spare_waiting;
	double handler_s, pool_s, mark_s; /* real seconds */
	double still_at;        /* when the latest gradient ended ... */
	int64_t still;          /* ... and how many others had at that time */
	int64_t pace_at;        /* gradients after which their pace is looked at */
	struct post post;
	struct allreduces allreduces;
	struct saving saving;
	/* NULL where the run has none: */
	struct blocks *blocks;   /* a model that all workers share */
	struct storage *storage; /* of samples, which workers wait for */
	struct faults *faults;   /* something may go wrong */
	struct timeline *line;   /* when a job that goes back comes to each moment */
};

static inline struct sim_node *sim_node(const struct node *nd)
{
	return nd->priv;
}

static inline bool sim_is_away(const struct sim_node *sn)
{
	return sn->life & 1;
}

/* The node's machine; the server's first. */
static inline int sim_index(const struct sim *s, int rank)
{
	return rank == SERVER ? s->nnodes - 1 : rank;
}

/* Seconds of the host-device copy after what the node has in flight: once a gradient. */
static inline double sim_host_copy(const struct sim *s, const struct node *nd)
{
	return node_stage_is_last(nd) ? s->host_copy : 0.0;
}

/* Whose machine is at that location. */
static inline struct node *sim_at(const struct sim *s, int location)
{
	return &s->nodes[location < s->nnodes ? location : s->nnodes - 1];
}

/* The k-th of n pieces of something, as even as can be. */
static inline size_t sim_piece(size_t size, size_t n, size_t k)
{
	return size * (k + 1) / n - size * k / n;
}

/* ---- engine.c ---- */

extern const struct engine sim_engine;

/* Moves the node's clock after what its handler has done since the last call. */
void sim_charge_handling(struct sim *s, struct node *nd);

/* Charges for handling where the link has a cost for that. */
static inline void sim_charge(struct sim *s, struct node *nd)
{
	if (s->link->handle)
		sim_charge_handling(s, nd);
}

/* Charges nothing for what the engine has copied for a handler. */
static inline void sim_uncharged(struct sim *s)
{
	if (s->link->handle)
		s->passed = vec_passed();
}

/* The node's snapshot is made: its gradient is computed, next to the event loop, until its time. */
void sim_compute(struct sim *s, struct node *nd);

/* False in a run that only goes again to where it was: gradients are left out. */
static inline bool sim_computes(const struct sim *s)
{
	return s->run->pool && !s->saving.rewalks;
}

/*
 * Waits for the real computation of the node's gradient in flight, if any: its result is real from
 * here on, whenever its virtual time ends.
 */
void sim_await_job(struct sim *s, struct node *nd);

static inline void sim_await(struct sim *s, struct node *nd)
{
	if (sim_computes(s))
		sim_await_job(s, nd);
}

/* Has the node's gradient in flight computed, whose snapshot is whole. */
void sim_submit(struct sim *s, struct node *nd);

/* Forgets the node's gradient in flight, if any, at that time. */
void sim_drop(struct sim *s, struct node *nd, double time);

/* ---- world.c ---- */

/* line: of a job that goes back to checkpoints, or NULL. */
void sim_open(struct sim *s, const struct sim_conf *conf, const struct run *run,
	      struct timeline *line);
void sim_close(struct sim *s);

static inline bool sim_saves(const struct sim *s)
{
	return s->conf->saves && s->run->pool;
}

/*
 * Zeroed floats that live as long as the run: what a training run computes with. Checkpoints hold
 * them, and nothing that follows from the events before.
 */
float *sim_floats(struct sim *s, size_t n);

/* Takes what waits first for the node out of its inbox: *p, if a message. False: nothing does. */
bool sim_forget(struct sim *s, struct sim_node *sn, struct packet **p);

/* model[dim] <- the server's model, or the mean of the workers'; NULL in a timing-only run. */
const float *sim_model(struct sim *s);

/* models_spread() of the workers in a training run. */
double sim_spread(const struct sim *s);

/* ---- events/loop.c ---- */

/* The nodes begin. */
void sim_start(struct sim *s);

/* Handles events until there have been so many, or there are no more. 0 or error(). */
int sim_pump(struct sim *s, int64_t events);

/* Ends the run at that time; what is under way only drains. */
void sim_stop(struct sim *s, enum end_reason why, double time);

/* Shows an event of the run, of no node; an evaluation of the model [dim]. */
void sim_emit(struct sim *s, enum event_kind kind, double time, const float *model);
void sim_mark(struct sim *s, double time, const float *model);

/* Consumed by all workers together. */
static inline double sim_epoch(struct sim *s)
{
	if (s->epoch_of != s->gradients) {
		s->epoch_of = s->gradients;
		s->epoch = run_epochs(s->run, s->gradients);
	}
	return s->epoch;
}

/* The node, which is there again, goes on with all that it left with. */
void sim_go_on(struct sim *s, struct node *nd);

/* Books the part of the gradient in flight that lies before `end`. */
void ledger_unfinished(struct node *nd, double end);

/* ---- run.c: what would never end ---- */

/* A run that is stopping goes on asking: BUG(). */
void limit_is_passed(const struct sim *s);

/* A node sends a message, or asks for an all-reduce. */
static inline void sim_asked(struct sim *s)
{
	if (++s->post.asked > s->post.most_asks && s->stopping)
		limit_is_passed(s);
}

/* The run stops: from now on nodes may ask for so much, and no more. */
void limit_asks(struct sim *s);

/* A gradient ends at the time of the one before: as below. */
int limit_still(struct sim *s, double time);

enum { PACE_FIRST = 1024 };     /* gradients that show how fast virtual time goes on */

/* So many gradients have ended that it is clear when the run will end: as below. */
int limit_pace(struct sim *s, double time);

/* A gradient ends at that time. 0, or error() when virtual time does not come to the run's end. */
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

/* Opens the run and starts it, or takes it to its checkpoint. */
void sim_begin(struct sim *s, const struct sim_conf *conf, const struct run *run,
	       struct timeline *line);

/* Between two events of a run with checkpoints: saves one when that is due, or the user ends it. */
void sim_save(struct sim *s, bool interrupted);

/* Between two events. True when the user ends the run. */
static inline bool sim_interrupted(struct sim *s)
{
	const bool interrupted = s->run->interrupted && *s->run->interrupted;

	if (sim_saves(s))
		sim_save(s, interrupted);
	return interrupted;
}

/*
 * Between two events, where saving.keeps: saves a checkpoint when the next one ends the run by its
 * budget, for a run with a larger budget to go on from.
 */
void sim_keep(struct sim *s);

/* ---- messages.c ---- */

/* Hands a packet, sent at that time, to the link. */
void packet_launch(struct sim *s, int from, int to, double time, struct packet *p);

/*
 * Books the sender's NIC and pushes the arrival of a copy of *m. Of a server in shards, each
 * has a piece and a NIC; the message is there with its last piece.
 */
void packet_send(struct sim *s, struct node *nd, int to, const struct msg *m);

/* Sends a piece of a ring, so many bytes without a header, at that time. */
void packet_piece(struct sim *s, struct node *nd, int to, double time, size_t bytes);

/*
 * A SIM_MSG or SIM_RECEIVED books the receiver's NIC for what comes. True when the event is over
 * by that: the message is not whole yet, and its SIM_RECEIVED is pushed; or it was a piece.
 */
bool packet_crosses(struct sim *s, const struct sim_event *ev);

/* ---- blocks.c ---- */

/* How passes go, where the algorithm's workers share a model; s->blocks stays NULL elsewhere. */
void blocks_open(struct sim *s);

/* Steps that workers have begun to write; 0 where no model is shared. */
int64_t blocks_steps(const struct sim *s);

/* A step of the node goes into the shared model from its clock on, which moves after it. */
void blocks_write(struct sim *s, struct node *nd);

/* The node's gradient in flight begins with reading its snapshot. */
void blocks_read(struct sim *s, struct node *nd);

/* True when the snapshot of the gradient in flight is whole. */
bool blocks_all_read(const struct sim *s, const struct node *nd);

/* A SIM_WRITE or SIM_READ; false for others. */
bool blocks_event(struct sim *s, struct node *nd, const struct sim_event *ev);

/* Seconds after `end` of the node's step that goes into the model: booked when it began. */
double blocks_unwritten(const struct sim *s, const struct node *nd, double end);

/* The node leaves: half a step may have gone into the model, and stays there. True if so. */
bool blocks_leave(struct sim *s, struct node *nd);

/* ---- storage.c ---- */

void storage_open(struct sim *s);
void storage_close(struct sim *s);

/* Seconds until the worker has the samples of the gradient that it begins; asks for the next. */
double storage_wait(struct sim *s, struct node *nd);

#endif

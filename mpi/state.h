/*
 * state.h - the engine's own state, shared by its files.
 *
 *     procs.c    the processes before and after a run, and who speaks
 *     engine.c   what nodes ask for
 *     run.c      a run from its beginning to its end
 *     loop.c     the events that answer them
 *     wait.c     when there are none
 *     world.c    nodes, models and states: made and freed
 *     messages.c messages between processes
 *     allreduce/  all-reduces: whole, in buckets of a gradient, of packed gradients, by a ring
 *     window.c   a model that all workers share
 *     count.c    the gradients of all workers, counted
 *     checkpoint/  a run saved and resumed, and what all processes stop for
 *     drain.c    nothing is lost, no node is left waiting
 *     heartbeat.c  processes without a heartbeat
 *     gone.c     asked to end, with ranks that have died
 *     stall.c    a run in which all nodes wait for ever
 *     event_log.c  events of all processes, in order, for the hooks of process 0
 *     mark.c     models on their way to an evaluation
 */
#ifndef MPI_STATE_H
#define MPI_STATE_H

#include "core/base/hold.h"
#include "core/base/mem.h"
#include "core/engine/engine.h"
#include "mpi/allreduce/allreduce.h"
#include "mpi/library.h"
#include "mpi/real.h"

#include <stdatomic.h>

enum message_kind {
	MESSAGE_MSG,             /* an algorithm's message */
	MESSAGE_STOP,            /* the budget is spent */
	MESSAGE_STOPPED,         /* to process 0: a worker has called node_stop() */
	MESSAGE_MARK,            /* an evaluation is due: send your model to process 0 */
	MESSAGE_MODEL,           /* to process 0: a worker's or the server's model */
	MESSAGE_EVENTS,          /* to process 0: events */
	MESSAGE_PAUSE            /* deliver what is under way; tag: enum pause */
};

enum pause {
	PAUSE_CHECKPOINT,       /* then write a checkpoint, and go on */
	PAUSE_INTERRUPT,        /* then write one, and stop */
	PAUSE_BUDGET,           /* the same: the gradients of the budget are delivered, ... */
	PAUSE_SECONDS,          /* ... or its seconds are over */
	PAUSE_DOUBT             /* then see whether anything is left to happen */
};

enum state {                    /* what a process is at, when it reports */
	STATE_COMPUTING, STATE_SLEEPING, STATE_ALLREDUCING, STATE_LISTENING
};

struct header {                 /* of every message; 64 bytes, so that what follows is aligned */
	int32_t kind;
	int32_t from, to;       /* ranks of nodes (processes but for MSG and MODEL) */
	int32_t tag;            /* MSG: algorithm's; STOP: enum end_reason; EVENTS: enum state */
	int64_t stamp;          /* MSG: the algorithm's; MARK, MODEL: the mark; EVENTS: handled */
	int64_t count;          /* gradients of all workers that the sender knows of */
	double time;            /* when it was sent */
	uint64_t n;             /* floats that follow, or are packed; EVENTS: events */
	union { uint64_t bytes; int64_t balance; };     /* MSG: that follow; EVENTS: on the way */
	int32_t codes;          /* MSG: they are the codec's, of a gradient */
	/* MSG: of `count`, those after the first gradient that it is made of; -1: it has none */
	int32_t since;
};

struct message {                 /* under way, out or in */
	struct message *next;
	MPI_Request *request;   /* [requests] of its messages; owned */
	int requests, request_capacity;
	int peer;               /* process */
	bool done;
	size_t capacity;        /* bytes that `at` holds */
	char *at;               /* a header and what follows it; owned */
};

struct messages {                /* first in, first out */
	struct message *head, **tail;
};

struct buckets {                /* pieces of a gradient under way, the vector's end first */
	struct grad_hook hook;  /* first: the problem hands us its address */
	size_t n, size;         /* floats: of the gradient, of each bucket but the last */
	int count;
	size_t *left;           /* [count] floats that are not final */
	atomic_int ready;       /* buckets from the first on that are final */
};

struct task {                   /* a gradient in the pool */
	struct task *next;
	struct job job;
	float *x, *g;           /* [dim] snapshot, and result: and what a stage gives after it */
	struct buckets buckets; /* where job.hook leads, if anywhere */
};

struct timer {
	struct timer *next;
	double time;
	int token;
};

struct real_ring {              /* an all-reduce on its way round */
	int step;               /* of 2 (workers - 1) */
	MPI_Request request[2]; /* of the piece that goes right, of that from the left */
};

struct real_node {              /* node->priv */
	struct real *real;
	struct messages inbox;   /* received while it did not listen */
	bool stopped;
	/* The gradient in flight. */
	struct task *task;      /* NULL: none */
	bool ready;             /* it is computed, and waits for `due` */
	double begun, factor;   /* when it began; the pace of its worker */
	double first;           /* when it was asked for; NaN: it goes on with a round */
	double due;             /* when it is delivered */
	int64_t index;          /* minibatches asked for so far */
	int64_t stamp;          /* the model's clock at the snapshot */
	/* The all-reduce in flight. */
	bool open;              /* the adding has begun, perhaps during the gradient */
	bool allreducing;           /* it has been asked for */
	float *v;               /* [n] where it goes */
	const float *own;       /* [n] our part; not with a ring, which works in v */
	size_t n;
	bool coded;             /* it is of gradients that the codec packs ... */
	char *codes;            /* ... [workers + 1][codec_bytes] those of all, and our own */
	struct task *part;      /* whose result `own` is, kept until it is added; or NULL */
	int64_t allreduces, allreduced;   /* asked for, delivered */
	MPI_Request request[2]; /* of the vector or codes as one piece; of what goes with them */
	struct allreduce pieces;        /* of the vector in pieces */
	struct real_ring ring;
	float *kept;            /* [n] ring: what v was when it was asked, for checkpoints */
	float *side;            /* [n] as v: our part, or what the ring brings */
	size_t kept_capacity, side_capacity;
	double most[2];         /* over the group: gradients known, when the last one asked */
	double *mosts;          /* [workers][2] each member's own */
	struct timer *timers;   /* earliest first */
	double idle_from;       /* HUGE_VAL while computing or handling */
	double now;             /* in a handler: when its event was delivered */
};

struct counter {
	MPI_Win window;
	int64_t *at;            /* on process 0 */
};

struct window;
struct heartbeats;
struct stall;
struct gone;
struct event_log;
struct marks;

struct real {
	const struct real_conf *conf;
	const struct run *user; /* as it came, with the user's hooks */
	struct run run;         /* a copy, whose one hook is the event log */
	int rank, size;         /* of processes */
	bool near;              /* all are on one machine */
	MPI_Comm messages, waves, workers;       /* workers: MPI_COMM_NULL on a server alone */
	int nnodes;             /* of the whole run */
	struct node nodes[2];   /* hosted here: the worker, the server */
	struct real_node priv[2];
	int n;                  /* of them */
	struct arena arena;
	struct hold hold;       /* nodes: models, states, what they allocate */
	float *decoded;         /* [dim] the gradient being received, when it came as codes */
	double began;           /* clock_s() at the start; the same on all of one machine */
	struct counter counter;
	struct window *window;  /* NULL: each has its own model */
	int64_t known;          /* gradients of all workers, as far as known here */
	int64_t budget;
	enum end_reason budget_end;
	struct messages out, in, home;   /* sent; arriving; between nodes of this process */
	struct message *spare;
	struct task *spare_task, *dropped;      /* dropped: still being computed */
	int64_t sent, received; /* messages */
	int64_t balance;        /* MSG messages sent less those received */
	bool failed;            /* here, while others wait: real_run() returns */
	int64_t wave[4];        /* what an all-reduce works in that this process may leave */
	bool stopping;
	int64_t pause;          /* number of the checkpoint that is due; -1: none */
	int64_t generation;     /* of the last checkpoint; -1: none */
	uint64_t writer, saved_by;      /* random: of this run's checkpoints, of the last one */
	bool swept;             /* this process has removed what earlier runs left of theirs */
	bool putting_aside;     /* the pause is for a checkpoint */
	bool interrupting;      /* stop after the checkpoint */
	bool ending;            /* the budget is spent: stop after a checkpoint */
	enum end_reason ending_why;
	bool kept;              /* it was */
	bool doubting;          /* the pause is to see whether anything is left to happen */
	double stop_time;
	enum end_reason end;
	int stopped_workers;    /* process 0 */
	struct heartbeats *heartbeats;
	struct stall *stall;
	struct gone *gone;
	char waits[STALL_TEXT]; /* process 0, when it has stalled: who waits for what */
	struct event_log *log;
	struct marks *marks;
	int64_t events;
	double handler_s;
};

static inline struct real_node *real_node(const struct node *nd)
{
	return nd->priv;
}

static inline struct header *message_header(const struct message *l)
{
	return (struct header *)(void *)l->at;
}

static inline float *message_vec(const struct message *l)
{
	return (float *)(void *)(l->at + sizeof(struct header));
}

/* Seconds since the run began. */
double real_now(const struct real *r);

/* The process that hosts a node. */
int real_index(const struct real *r, int rank);

/* The hosted node of that rank; BUG when there is none. */
struct node *real_find(struct real *r, int rank);

/* ---- procs.c ---- */

/* While processes do different things, each speaks for itself. */
void real_running(bool yes);

/* ---- run.c ---- */

/* After error(): this process cannot go on, and others wait for it. All that runs returns. */
void real_fail(struct real *r);

/* ---- engine.c ---- */

extern const struct engine real_engine;

/* Forgets the node's gradient in flight, if any. */
void real_drop(struct node *nd);

/* Computes the node's index-th gradient again, at the snapshot that is next in a checkpoint. */
void real_compute(struct real *r, struct node *nd, int64_t index, struct checked *s);

/* The task may serve another gradient. */
void task_put(struct real *r, struct task *t);

/* Takes back the computed ones of those that were dropped. */
void real_reap(struct real *r);

/* ---- world.c ---- */

/* ---- loop.c ---- */

/* The nodes begin: the server first. */
void real_start(struct real *r);

/* One round: what has arrived when it begins is delivered. True when something happened. */
bool real_round(struct real *r);

/* The budget is spent: of all processes' first reasons, the earliest counts. */
void real_stop(struct real *r, enum end_reason why, double time);

/* The same on this process alone, where all processes know. */
void real_stop_here(struct real *r, enum end_reason why, double time);

/* ---- wait.c ---- */

/* Lets the processor go, shortly at first; `idle` counts the calls since something happened. */
void real_idle(struct real *r, int idle);

/* The same where no gradient that is ready may end the wait. */
void real_nap(int idle);

/* ---- messages.c ---- */

/* A message with memory for so many bytes after its header, which is zeroed. */
struct message *message_new(struct real *r, size_t bytes);
void message_put(struct real *r, struct message *l);      /* back to the spare ones */
void messages_push(struct messages *q, struct message *l);
struct message *messages_pop(struct messages *q);
void messages_move(struct messages *from, struct messages *to);    /* after those that are there */

/* Sends the message with so many bytes after its header to a process, and takes it. */
void post_send(struct real *r, struct message *l, int process, size_t bytes);
/* The same of an empty message to every process, this one too. */
void post_all(struct real *r, const struct header *h);

/* Adds what has arrived when it is called, in the order of each pair. */
void post_collect(struct real *r, struct messages *arrived);

/* Takes back the messages that have been sent; true when there were some. */
bool post_reap(struct real *r);
void post_close(struct real *r);

/* ---- count.c ---- */

void counter_open(struct real *r);
void counter_close(struct real *r);

/* Counts one more gradient of all workers; the number so far, or none if the run has failed. */
int64_t counter_next(struct real *r);

/* The count, as a checkpoint has it. On process 0, while no process counts. */
void counter_set(struct real *r, int64_t n);

/* ---- checkpoint/checkpoint.c ---- */

/* When this gradient was the last before a checkpoint: tells all processes. */
void checkpoint_if_due(struct real *r, int64_t gradients);

/* Collective, instead of starting the nodes: 0, or -1 after error(). */
int checkpoint_read(struct real *r);

/* The run has come to its end: its checkpoint goes. */
void checkpoint_drop(struct real *r);

/* ---- drain.c: they return at once where this process has failed ---- */

/* Rounds until nothing is under way but gradients. */
void settle(struct real *r);

/* Rounds until nothing is under way on any process; then end and stop_time agree. */
void drain(struct real *r);

/* ---- event_log.c ---- */

void event_log_open(struct real *r);
void event_log_close(struct real *r);
void event_log_resume(struct real *r, int64_t gradients); /* process 0: so many came before */
void event_log_begin(struct real *r);           /* the clock runs */
bool event_log_due(const struct real *r);
void event_log_flush(struct real *r);           /* sends what was recorded here to process 0 */
void event_log_receive(struct real *r, const struct message *l);

/* To the user's hooks on process 0, as an event of the whole run. */
void event_log_show(struct real *r, struct event ev);

/* Process 0, when all have flushed and nothing goes on: shows the hooks what there is. */
void event_log_show_all(struct real *r);

/* Process 0: shows the hooks what is left; nodes then have these ledgers [nnodes]. */
void event_log_end(struct real *r, const struct ledger *ledgers);

/* ---- processes without a heartbeat or dead, and runs that have stalled ---- */

/* ---- heartbeat.c ---- */

void heartbeat_open(struct real *r);
void heartbeat_close(struct real *r);
void heartbeat_begin(struct real *r);                /* the clock runs */
int heartbeat_state(const struct real *r);           /* what our nodes are at: enum state */
void heartbeat_receive(struct real *r, const struct header *h); /* a process reports */

/* Names processes without a heartbeat; real_fail() when one hangs. Called every round. */
void heartbeat_watch(struct real *r);

/* ---- gone.c ---- */

void gone_open(struct real *r);
void gone_close(struct real *r);

/* Once the run has been asked to end, every round: has it marked, for its end may not come. */
void gone_watch(struct real *r);

/* Has the result marked as it is, for the run is about to be cut short. */
void gone_cut(const struct real *r, const char *why);

/* ---- stall.c ---- */

void stall_open(struct real *r);
void stall_close(struct real *r);

/* Process 0: a process reports; all pause when no process seems to have anything to wait for. */
void stall_receive(struct real *r, const struct header *h);

/* Collective, while nothing is under way: ends the run when nothing is left to happen. */
void stall_judge(struct real *r);

/* ---- models on their way to an evaluation ---- */

/* True when the last of so many gradients ends one of the spans of `every` epochs; 0: never. */
bool real_ends_span(const struct run *run, int64_t gradients, double every);

void marks_open(struct real *r);
void marks_close(struct real *r);

/* When this gradient is the last before a mark: notes that, directly after the gradient. */
void mark_note(struct real *r, int64_t gradients, double time);

/* The same, when it has been handled: tells all processes. */
void mark_if_due(struct real *r, int64_t gradients);

/* The same of a run that goes on after so many gradients, where it has no such mark. */
void marks_go_on(struct real *r, int64_t gradients);
void mark_send(struct real *r, const struct message *l); /* our model, to process 0 */
void mark_receive(struct real *r, const struct message *l); /* process 0: a model */

/* Process 0: the stored models, into a checkpoint and back. */
void marks_put(const struct real *r, struct checked *s);
void marks_get(struct real *r, struct checked *s);

/* Gathers models and ledgers; shows the last events, and every mark's model. */
void marks_end(struct real *r, struct run_result *result);

/* ---- a model in memory that all processes share ---- */

/* True when all processes are on one machine, and can. Collective. */
bool window_possible(void);

/* Where workers share their model: opens it, with x[dim] in it. Collective, as closing it. */
void window_open(struct real *r, const float *x);
void window_close(struct real *r);

/* [dim], owned by the window. */
float *window_model(const struct real *r);

/* A node whose model is shared: its step <- those that all workers have begun to write. */
void window_clock(const struct real *r, struct node *nd);

/* The node's step goes into the model: one more. */
void window_add(struct real *r, struct node *nd);

/* ---- what all processes stop for, with nothing under way ---- */

/*
 * The budget is spent, as `why` says, after so many gradients: ends the run at `time`, or after a
 * checkpoint where one is to be kept.
 */
void pause_at_budget(struct real *r, enum pause why, int64_t gradients, double time);

/* A gradient came that the budget leaves out. */
void pause_over_budget(struct real *r, double now);

/* A process wants the run to end: after a checkpoint, if it has any. */
void pause_to_interrupt(struct real *r);

void pause_receive(struct real *r, const struct header *h);

/* Collective, when nothing is under way: does what the pause is for. */
void pause_all(struct real *r);

/* ---- all-reduces of packed gradients, and what checkpoints keep of all-reduces ---- */

/* Bytes of the node's own part of its all-reduce. */
size_t real_allreduce_bytes(const struct real *r, const struct real_node *sn);

/* Makes sn->v the sum that is there, where it is in codes. */
void real_allreduce_decode(const struct real *r, const struct real_node *sn);

/* ---- real_allreduce.c ---- */

/* As real_allreduce(), of a checkpoint: of the part that is next in it. */
void real_allreduce_again(struct real *r, struct checked *s, struct node *nd, float *v, size_t n,
		    bool coded);

/* What a checkpoint needs of an all-reduce asked for: our part of it. */
const void *real_allreduce_own(const struct real *r, const struct real_node *sn);

/* ---- all-reduces, shared by the files of the engine ---- */

/* ---- real_allreduce.c ---- */

void real_allreduce(struct real *r, struct node *nd, float *v, size_t n, bool codes);

/* Computed and counted: for the all-reduce of node_grad_allreduce(), which takes the task. */
void real_allreduce_task(struct real *r, struct node *nd, struct task *t);

/* Begins to add those parts of the node's gradient in flight that are final. */
void real_allreduce_parts(struct real *r, struct node *nd);

/* The all-reduce is done: the next one may be asked for. */
void real_allreduce_close(struct real *r, struct real_node *sn);

/* True once the node's all-reduce is done, though its result may be in codes. */
bool real_allreduce_done(struct real *r, struct node *nd);

/* After the last message: takes part in an all-reduce that only some of the group asked for. */
void real_allreduce_settle(struct real *r);

/* ---- buckets.c ---- */

/* For a new gradient of n floats: none is ready. */
void buckets_open(struct real *r, struct buckets *b, size_t n);

/* ---- ring.c ---- */

#endif

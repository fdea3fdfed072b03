/*
 * state.h - state of the real-time engine, shared by its files.
 *
 *     procs.c      processes before and after a run, and their messages to the user
 *     engine.c     requests of nodes
 *     run.c        a run from its beginning to its end; nodes, models and states
 *     loop.c       rounds of the event loop, sleeping, and draining at the end
 *     messages.c   messages between processes
 *     allreduce/   all-reduces: whole, in buckets of a gradient, of packed gradients, by a ring
 *     window.c     a model that all workers share; the count of all workers' gradients
 *     checkpoint/  saving and resuming a run, and pauses of all processes
 *     heartbeat.c  processes without a heartbeat, dead processes, runs that are stalled
 *     event_log.c  events of all processes, in order, for the hooks of process 0
 *     evaluation.c models sent for evaluation
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
	MESSAGE_PAUSE            /* deliver everything in flight; tag: enum pause */
};

enum pause {
	PAUSE_CHECKPOINT,       /* then write a checkpoint, and continue */
	PAUSE_INTERRUPT,        /* then write a checkpoint, and stop */
	PAUSE_BUDGET,           /* likewise: the budget's gradients are delivered, ... */
	PAUSE_SECONDS,          /* ... or its seconds are over */
	PAUSE_DOUBT             /* then check whether anything is left to happen */
};

enum state {                    /* state of a process, in its reports */
	STATE_COMPUTING, STATE_SLEEPING, STATE_ALLREDUCING, STATE_LISTENING
};

struct header {                 /* of every message; 64 bytes, so that the payload is aligned */
	int32_t kind;
	int32_t from, to;       /* ranks of nodes; of processes, except for MSG and MODEL */
	int32_t tag;            /* MSG: algorithm's; STOP: enum end_reason; EVENTS: enum state */
	int64_t stamp;          /* MSG: the algorithm's; MARK, MODEL: the mark; EVENTS: handled */
	int64_t count;          /* gradients of all workers that the sender knows of */
	double time;            /* when it was sent */
	uint64_t n;             /* floats in the payload, or packed; EVENTS: events */
	union { uint64_t bytes; int64_t balance; };     /* MSG: of the payload; EVENTS: in flight */
	int32_t codes;          /* MSG: the payload is a gradient's codes */
	/* MSG: gradients from the first one in it up to `count`; -1: it has none */
	int32_t since;
};

struct message {                 /* a message in flight, out or in */
	struct message *next;
	MPI_Request *request;   /* [requests] of the MPI messages that it consists of; owned */
	int requests, request_capacity;
	int peer;               /* process */
	bool done;
	size_t capacity;        /* bytes that `at` holds */
	char *at;               /* a header and the payload; owned */
};

struct messages {                /* first in, first out */
	struct message *head, **tail;
};

struct buckets {                /* pieces of a gradient in flight; bucket 0 is the vector's end */
	struct grad_hook hook;  /* first member: the hook's address is that of the struct */
	size_t n, size;         /* floats: of the gradient, of each bucket but the last */
	int count;
	size_t *left;           /* [count] floats that are not final yet */
	atomic_int ready;       /* number of final buckets, from the first on */
};

struct task {                   /* a gradient given to the pool */
	struct task *next;
	struct job job;
	float *x, *g;           /* [dim] snapshot; result, followed by what a stage gives */
	struct buckets buckets; /* hook of the job, if its parts are sent early */
};

struct timer {
	struct timer *next;
	double time;
	int token;
};

struct real_ring {              /* an all-reduce as a ring */
	int step;               /* of 2 (workers - 1) */
	MPI_Request request[2]; /* of the piece sent to the right, and received from the left */
};

struct code_shares {            /* an all-reduce of codes, of which each worker adds a share */
	int *words, *from;      /* [workers] of 32 bits in each share, and where they begin */
	int *own, *at;          /* [workers] those of our share by each worker, as they arrive */
	bool added;             /* our share of the sum is made, and all shares are gathered */
};

struct real_node {              /* node->priv */
	struct real *real;
	struct messages inbox;   /* received while the node did not listen */
	bool stopped;
	/* The gradient in flight. */
	struct task *task;      /* NULL: none */
	bool ready;             /* the gradient is computed, and waits for `due` */
	double begun, factor;   /* start of the gradient; pace of the worker */
	double first;           /* time of its request; NaN: it continues a round */
	double due;             /* time of its delivery */
	int64_t index;          /* minibatches asked for so far */
	int64_t passed;         /* own gradients at the last marks_pass(); -1 before */
	int64_t stamp;          /* the model's clock at the snapshot */
	/* The all-reduce in flight. */
	bool open;              /* adding has begun, perhaps during the gradient */
	bool allreducing;           /* the node has asked for it */
	float *v;               /* [n] vector for the result */
	const float *own;       /* [n] our part; NULL with a ring, which works in v */
	size_t n;
	bool coded;             /* the codec packs its gradients ... */
	char *codes;            /* ... codes of all, or of shares of their sum, and our own */
	struct code_shares shares;      /* of codes that are added */
	struct task *part;      /* its result is `own`, kept until it is added; or NULL */
	int64_t allreduces, allreduced;   /* asked for, delivered */
	MPI_Request request[2]; /* of the vector or codes as one piece; of the two numbers */
	struct allreduce pieces;        /* the vector in pieces */
	struct real_ring ring;
	float *kept;            /* [n] ring: v when it was asked for, for checkpoints */
	float *side;            /* [n] our part, or what the ring brings */
	size_t kept_capacity, side_capacity;
	double most[2];         /* over the group: gradients known, time of the last request */
	double *mosts;          /* [workers][2] the same two numbers of each member */
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
	const struct run *user; /* as given, with the user's hooks */
	struct run run;         /* a copy, whose only hook is the event log */
	int rank, size;         /* of processes */
	bool near;              /* all processes are on one machine */
	MPI_Comm messages, waves, workers;       /* workers: MPI_COMM_NULL on a server alone */
	int nnodes;             /* of the whole run */
	struct node nodes[2];   /* hosted here: the worker, the server */
	struct real_node priv[2];
	int n;                  /* number of hosted nodes */
	struct arena arena;
	struct hold hold;       /* memory of nodes: models, states, what they allocate */
	float *decoded;         /* [dim] the gradient being received, decoded */
	double began;           /* clock_s() at the start; equal on all processes of a machine */
	struct counter counter;
	struct window *window;  /* shared model; NULL: each worker has its own */
	int64_t known;          /* gradients of all workers, as far as known here */
	int64_t budget;
	enum end_reason budget_end;
	struct messages out, in, home;   /* sent; arriving; between nodes of this process */
	struct message *spare;
	struct task *spare_task, *dropped;      /* dropped: gradients still being computed */
	int64_t sent, received; /* messages */
	int64_t balance;        /* MSG messages sent minus received */
	bool failed;            /* error here, while others wait: real_run() returns */
	int64_t wave[4];        /* buffer of all-reduces that go on when this process leaves */
	bool stopping;
	int64_t pause;          /* gradients at the pause that is due; -1: none */
	int64_t generation;     /* of the last checkpoint; -1: none */
	uint64_t writer, saved_by;      /* random: of this run's checkpoints, and of the last one */
	bool swept;             /* files that earlier runs of this process left are removed */
	bool putting_aside;     /* the pause is to write a checkpoint */
	bool interrupting;      /* stop after it */
	bool ending;            /* the budget is spent: stop after a checkpoint */
	enum end_reason ending_why;
	bool kept;              /* the checkpoint at the end was written */
	bool doubting;          /* the pause is to check whether anything is left to happen */
	double stop_time;
	enum end_reason end;
	int stopped_workers;    /* process 0 */
	struct heartbeats *heartbeats;
	struct stall *stall;
	struct gone *gone;
	char waits[STALL_TEXT]; /* process 0, when stalled: the nodes that wait, and for what */
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

/* true during a run, when each process prints its own messages; false: process 0 prints for all. */
void real_running(bool yes);

/* ---- run.c ---- */

/*
 * Marks this process as failed, after error(), while others wait for it; all its functions then
 * return.
 */
void real_fail(struct real *r);

/* ---- engine.c ---- */

extern const struct engine real_engine;

/* Discards the node's gradient in flight, if any. */
void real_drop(struct node *nd);

/*
 * Makes sn->task, to be given to the pool, of the node's gradient `index`, at the snapshot that
 * comes next in a checkpoint.
 */
void real_compute_read(struct real *r, struct node *nd, int64_t index, struct checked *s);

/* Returns a task for reuse by another gradient. */
void task_put(struct real *r, struct task *t);

/* Returns dropped tasks, once computed, for reuse. */
void real_reap(struct real *r);

/* ---- loop.c: rounds, and the end of a run ---- */

/* Calls start() of the hosted nodes, the server's first. */
void real_start(struct real *r);

/* Runs one round: delivers what had arrived when it began. True when something happened. */
bool real_round(struct real *r);

/* True if the node has a gradient in flight, which will be delivered before the run ends. */
bool real_will_deliver(const struct real *r, const struct node *nd);

/*
 * Tells all processes that the run has ended; of several reasons, the one with the earliest time
 * counts.
 */
void real_stop(struct real *r, enum end_reason why, double time);

/* real_stop() for this process alone, when all processes know. */
void real_stop_here(struct real *r, enum end_reason why, double time);

/* ---- loop.c: idle processes ---- */

/* Yields the processor or sleeps, longer with each call; `idle`: calls since something happened. */
void real_idle(struct real *r, int idle);

/* real_idle() without waiting for a gradient. */
void real_sleep(int idle);

/* ---- messages.c ---- */

/* A message with a zeroed header and memory for a payload of `bytes`. */
struct message *message_new(struct real *r, size_t bytes);
void message_put(struct real *r, struct message *l);      /* returns it for reuse */
void messages_push(struct messages *q, struct message *l);
struct message *messages_pop(struct messages *q);
void messages_move(struct messages *from, struct messages *to);    /* appends them */

/* Sends the message, with a payload of `bytes`, to a process, and takes ownership of it. */
void post_send(struct real *r, struct message *l, int process, size_t bytes);
/* Sends a message without payload to every process, this one too. */
void post_all(struct real *r, const struct header *h);

/*
 * Appends the messages that have arrived; those of one process in the order in which it sent them.
 */
void post_collect(struct real *r, struct messages *arrived);

/* Returns messages whose sending is over for reuse; true when there were some. */
bool post_reap(struct real *r);
void post_close(struct real *r);

/* ---- window.c: the count of all workers' gradients ---- */

void counter_open(struct real *r);
void counter_close(struct real *r);

/* Counts one more gradient; returns the number so far, which is arbitrary if the run has failed. */
int64_t counter_next(struct real *r);

/* Sets the count from a checkpoint. On process 0, while no process counts. */
void counter_set(struct real *r, int64_t n);

/* ---- checkpoint/checkpoint.c ---- */

/* Tells all processes to pause, if this gradient was the last before a checkpoint. */
void checkpoint_if_due(struct real *r, int64_t gradients);

/*
 * checkpoint/read.c: resumes from the checkpoint, instead of real_start(). Collective: 0, or -1
 * after error().
 */
int checkpoint_read(struct real *r);

/* Deletes the run's checkpoint, since the run is complete. */
void checkpoint_drop(struct real *r);

/* ---- loop.c: draining; these return at once if this process has failed ---- */

/* Runs rounds until only gradients are in flight. */
void settle(struct real *r);

/* Runs rounds until nothing is in flight on any process; then all agree on `end` and stop_time. */
void drain(struct real *r);

/* ---- event_log.c ---- */

void event_log_open(struct real *r);
void event_log_close(struct real *r);
void event_log_resume(struct real *r, int64_t gradients); /* process 0: gradients so far */
void event_log_begin(struct real *r);           /* call when the clock starts */
bool event_log_due(const struct real *r);
void event_log_flush(struct real *r);           /* sends the events recorded here to process 0 */
void event_log_receive(struct real *r, const struct message *l);

/* Shows an event to the user's hooks on process 0, completed with the whole run's numbers. */
void event_log_show(struct real *r, struct event ev);

/* Process 0, when all have flushed and the run pauses: shows the hooks all events received. */
void event_log_show_all(struct real *r);

/* Process 0: shows the hooks the remaining events; nodes then have these ledgers [nnodes]. */
void event_log_end(struct real *r, const struct ledger *ledgers);

/* ---- heartbeat.c: processes without a heartbeat or dead, and runs that are stalled ---- */

void heartbeat_open(struct real *r);
void heartbeat_close(struct real *r);
void heartbeat_begin(struct real *r);                /* call when the clock starts */
int heartbeat_state(const struct real *r);           /* of this process's nodes: enum state */
void heartbeat_receive(struct real *r, const struct header *h); /* a report of a process */

/* Call every round: names processes without a heartbeat; calls real_fail() when one hangs. */
void heartbeat_watch(struct real *r);

void gone_open(struct real *r);
void gone_close(struct real *r);

/* Call every round once the run was asked to end: calls conf->cut(), as the end may never come. */
void gone_watch(struct real *r);

/* Calls conf->cut() with the reason why the run ends now. */
void gone_cut(const struct real *r, const char *why);

void stall_open(struct real *r);
void stall_close(struct real *r);

/* Process 0: a report of a process. All pause when every process seems to wait for nothing. */
void stall_receive(struct real *r, const struct header *h);

/* Ends the run when nothing is left to happen. Collective, while nothing is in flight. */
void stall_judge(struct real *r);

/* ---- evaluation.c: models sent for evaluation ---- */

/* True when gradient number `gradients` completes a span of `every` epochs; `every` 0: never. */
bool real_ends_span(const struct run *run, int64_t gradients, double every);

void marks_open(struct real *r);
void marks_close(struct real *r);

/* Call directly after a gradient: notes a mark if this gradient is the last before it. */
void mark_note(struct real *r, int64_t gradients, double time);

/*
 * Call when that gradient has been handled: tells all processes of the mark noted. Nothing in
 * lockstep, where marks_pass() sends the models.
 */
void mark_if_due(struct real *r, int64_t gradients);

/*
 * In lockstep, sends the snapshot x[dim] for the marks that the node has reached by all gradients
 * that it has delivered; call when it begins the next one, and when nothing is left to begin.
 */
void marks_pass(struct real *r, const struct node *nd, const float *x);

/*
 * Call when a run resumes after `gradients`: makes the mark that is due there, if it is
 * missing.
 */
void marks_go_on(struct real *r, int64_t gradients);
void mark_send(struct real *r, const struct message *l); /* sends our model to process 0 */
void mark_receive(struct real *r, const struct message *l); /* process 0: stores a model */

/* Process 0: writes stored models to a checkpoint, and reads them back. */
void marks_put(const struct real *r, struct checked *s);
void marks_get(struct real *r, struct checked *s);

/* Gathers models and ledgers at the end; shows the last events, and the model of every mark. */
void marks_end(struct real *r, struct run_result *result);

/* ---- window.c: a model in memory that all processes share ---- */

/* True when all processes are on one machine, and MPI supports shared memory there. Collective. */
bool window_possible(void);

/* Opens the shared model, if the algorithm has one, with x[dim] in it; closes it. Collective. */
void window_open(struct real *r, const float *x);
void window_close(struct real *r);

/* The shared model [dim], owned by the window. */
float *window_model(const struct real *r);

/* nd->step <- steps that all workers have begun to write to the shared model. */
void window_clock(const struct real *r, struct node *nd);

/* Adds the change of the node's step to the shared model, and counts the step. */
void window_add(struct real *r, struct node *nd);

/* ---- checkpoint.c: pauses of all processes, with nothing in flight ---- */

/*
 * A budget is spent after `gradients`; `why` says which one. Ends the run at `time`, or
 * after a checkpoint if one is to be kept.
 */
void pause_at_budget(struct real *r, enum pause why, int64_t gradients, double time);

/* A gradient came that is beyond the budget. */
void pause_over_budget(struct real *r, double now);

/* A process was asked to end the run: ends it, after a checkpoint if the run has any. */
void pause_to_interrupt(struct real *r);

void pause_receive(struct real *r, const struct header *h);

/* Does what the pause is for. Collective, while nothing is in flight. */
void pause_all(struct real *r);

/* ---- real_allreduce.c: packed gradients, and all-reduces in checkpoints ---- */

/* Bytes of the node's own part of its all-reduce. */
size_t real_allreduce_bytes(const struct real *r, const struct real_node *sn);

/* sn->v <- the sum of the decoded gradients, if the result came as codes. */
void real_allreduce_decode(const struct real *r, const struct real_node *sn);

/*
 * real_allreduce() for a resumed run: reads the node's part, which comes next in the checkpoint;
 * real_allreduce_again() then makes the request.
 */
void real_allreduce_read(struct real *r, struct checked *s, struct node *nd, float *v, size_t n,
			 bool coded);
void real_allreduce_again(struct real *r, struct node *nd);

/* The node's part of the all-reduce that it has asked for, for a checkpoint. */
const void *real_allreduce_own(const struct real *r, const struct real_node *sn);

/* ---- real_allreduce.c: all-reduces of nodes ---- */

void real_allreduce(struct real *r, struct node *nd, float *v, size_t n, bool codes);

/*
 * The gradient of node_grad_allreduce() is computed and counted: all-reduces it, and takes the
 * task.
 */
void real_allreduce_task(struct real *r, struct node *nd, struct task *t);

/* Begins to add the final parts of the node's gradient in flight. */
void real_allreduce_parts(struct real *r, struct node *nd);

/* Ends the node's all-reduce, so that the next one may be asked for. */
void real_allreduce_close(struct real *r, struct real_node *sn);

/* True once the node's all-reduce is done, though its result may be in codes. */
bool real_allreduce_done(struct real *r, struct node *nd);

/* After the last message: takes part in an all-reduce that only some members have asked for. */
void real_allreduce_settle(struct real *r);

/* Prepares buckets for a new gradient of n floats: none is final. */
void buckets_open(struct real *r, struct buckets *b, size_t n);

#endif

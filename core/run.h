/*
 * run.h - one training run: its problem, algorithm, bounds, and the hooks that observe it.
 *
 * runner/ fills a struct run with pointers to plug-ins and passes it to an engine. Hooks see every
 * event in both engines; the recorder, the progress line and the invariant checker are hooks, not
 * parts of an engine.
 */
#ifndef CORE_RUN_H
#define CORE_RUN_H

#include "core/fault.h"
#include "core/graph.h"
#include "core/node.h"
#include "core/optim.h"
#include "core/pool/pool.h"

#include <signal.h>

struct checked;
struct codec;

enum event_kind {
	EV_START,               /* the nodes exist, nothing has happened yet */
	EV_GRAD,                /* a gradient was delivered to `node`; loss, seconds of computing */
	EV_READ,                /* `node`, whose rank `peer` is, takes a gradient's snapshot */
	EV_STEP,                /* `node` applied a gradient of `peer`; staleness, lr, measured */
	EV_GATHER,              /* `node` keeps a gradient of `peer` for a later step; staleness */
	EV_STAGE,               /* a stage of `node`, not the last, is over; seconds of computing */
	EV_HEAD,                /* `node` made a step of a separate head; staleness, lr */
	EV_SEND,                /* `node` sent `bytes` to `peer`; tag */
	EV_DROP,                /* `node`'s gradient in flight was dropped; seconds of computing */
	EV_REFUSE,              /* `node` asked for a gradient after EV_STOP, and gets none */
	EV_HANDLED,             /* a handler of `node` returned; time is node_now() as it began */
	EV_MARK,                /* an evaluation is due; model */
	EV_SCORE,               /* model of an earlier EV_MARK, which had none; gradients */
	EV_STOP,                /* the budget is spent; later events complete what is in flight */
	EV_END,                 /* nothing is in flight any more; nodes and model are final */
	EV_FAULT,               /* `fault` begins, or is over */
	/* all nodes stood still since `begun`: a checkpoint was saved, or work was done again */
	EV_PAUSE
};

struct learnt;
struct measured;
struct watch;

enum handler { HANDLER_START, HANDLER_GRAD, HANDLER_MSG, HANDLER_ALLREDUCE, HANDLER_TIMER,
	       HANDLER_STAGE };

struct event {
	enum event_kind kind;
	double time;            /* seconds since the run began */
	double epoch;           /* epochs consumed by all workers together */
	int64_t gradients;      /* delivered to all workers together; HANDLED: as `node` knew */
	const struct node *node;        /* NULL for START, MARK, STOP, END */
	int peer;
	size_t bytes;
	/* STEP, GATHER, HEAD: steps since the gradient's snapshot; -1: was shown at EV_GATHER */
	int64_t staleness;
	double loss;            /* GRAD; DROP: NaN, unless it was computed all the same */
	double seconds;         /* GRAD, STAGE, DROP: computing; HANDLED: handling */
	double begun;           /* GRAD, STAGE, DROP: computing; HANDLED: the message was sent */
	/* GRAD, DROP, REFUSE: when it was asked for; NaN: it continues a round (algo.round) */
	double asked;
	enum handler handler;   /* HANDLED */
	int token;              /* HANDLED: of the timer */
	int tag;                /* SEND; HANDLED: of the message */
	const struct fault *fault;      /* FAULT */
	bool over;              /* FAULT */
	double lr;              /* STEP, HEAD */
	const struct measured *measured;        /* STEP, MARK, SCORE: watch.h; NULL: nothing */
	/*
	 * MARK, SCORE, END: [dim] the server's model, or the workers' mean; NULL: a SCORE follows
	 */
	const float *model;
	const struct node *nodes;       /* START, MARK, STOP, END: [nnodes], the server last */
	int nnodes;
};

struct hook {
	unsigned mask;          /* 1u << kind, for each kind of event that it receives */
	void (*event)(struct hook *h, const struct event *ev);
	struct hook *next;
	const void *each;       /* [workers] what it has of them, to be prefetched; or NULL */
	size_t each_bytes;      /* of one worker: a multiple of 8 */
};

struct handled {                /* details of EV_HANDLED: the handler, and what it received */
	enum handler handler;
	int peer, token, tag;
	double begun;
	size_t bytes;
};

enum { STALL_TEXT = 512 };

enum end_reason { END_EPOCHS, END_SECONDS, END_GRADIENTS, END_STOPPED, END_DIVERGED, END_STALLED,
		  END_INTERRUPTED };

/* Names of enum end_reason: "epochs", "seconds", ... */
extern const char *const end_reason_name[];

struct run {
	const struct algo *algo;
	const void *algo_conf;
	int workers;
	const struct topology *graph;   /* of the workers, borrowed; NULL: the algorithm has none */
	uint64_t seed;
	size_t dim;             /* floats of the model */
	struct cut cut;         /* where a gradient may be cut in stages; at = 0: nowhere */
	struct carry carry;     /* memory between gradients of a worker; floats = 0: none */
	size_t nlayers;         /* the problem's nblobs; 0: x is one layer */
	const struct blob *layers;      /* [nlayers] borrowed; NULL: shapes are not known */
	size_t batch;           /* samples of a worker's minibatch, on average */
	const int64_t *slice;   /* [workers + 1] slices (slice.h), borrowed; NULL: equal */
	int64_t samples;        /* in an epoch */
	struct pool *pool;      /* computes gradients; NULL: timing-only, no vectors at all */
	const float *start;     /* [dim] initial model; NULL: drawn by the seed */
	const struct optim *optim;
	const void *optim_conf;
	const struct codec *codec;      /* packs gradients to be sent; NULL: none does */
	const void *codec_conf;
	struct stepsize lr;
	/* The run ends at the first bound that it reaches; 0: no bound. */
	double epochs, seconds;
	int64_t gradients;
	double mark_every;      /* epochs between EV_MARKs; 0: at the end only */
	struct hook *hooks;
	struct watch *watch;    /* measures vectors, for EV_STEP and EV_MARK; NULL: none */
	const volatile sig_atomic_t *interrupted;       /* polled; NULL: never */
	/* Without a pool: what a run in the same order has learnt, for hooks. NULL: nothing. */
	struct learnt *learnt;
};

/* Checkpoints of a training run: where to save them, and one from which to resume. */
struct checkpoint_conf {
	const char *path;       /* files begin with this; NULL: none are saved */
	const char *from;       /* the checkpoint to resume from; NULL: none */
	const char *id;         /* of all settings but the run's length; must be equal to resume */
	/* Interval: wall seconds in the simulator, epochs on MPI ranks; 0: none during the run. */
	double every;
	/* Saves one at the end of the budget too if the models have at most `keep` bytes. */
	int64_t keep;
	/*
	 * Save and load what the caller of the run adds to a checkpoint; on the first rank alone.
	 */
	void (*save)(void *ctx, struct checked *v);
	void (*load)(void *ctx, struct checked *v);
	void *ctx;
	/*
	 * Simulator: id of the build. Results depend on it, so another build's checkpoints are not
	 * read.
	 */
	const char *build;
	/* Simulator: former id with another meaning, and that meaning; NULL: none. */
	const char *former, *former_meant;
	/* MPI ranks: the secret key of files' checksums, by real_key(); NULL: none. */
	const unsigned char *key;
};

/* Cost of failures in a simulated run that resumes from checkpoints. */
struct run_goodput {
	double goodput;         /* gradients a second, relative to no failures; 0: unknown */
	int64_t failures;       /* failures of nodes */
	int64_t saves;          /* checkpoints saved */
	/* Seconds; NaN if the job does not resume from checkpoints: */
	double save_s, lost_s;  /* spent on saving; on work that was repeated */
	double down_s;          /* from a failure until work continues */
	/* Checkpoints under random failures; 0: not applicable. */
	double young_s, daly_s; /* optimal seconds of work between two, by Young and by Daly */
	double expected;        /* expected goodput */
};

/* Floats of vectors: those of a training run, which a timing-only run counts and does not take. */
struct run_floats {
	double all;             /* of the nodes, their gradients and their messages; of these ... */
	double server;          /* ... the server's own, ... */
	double sent;            /* ... and of the most messages under way at once */
};

struct run_result {
	enum end_reason end;
	double time;            /* seconds until the budget was spent: virtual or real */
	double epochs;
	int64_t gradients;      /* delivered to all workers */
	uint64_t model;         /* vec_digest() of the final model; 0: timing-only */
	int64_t events;         /* events that the engine handled */
	/*
	 * Simulator: messages and all-reduces requested and not lost in faults; of these, not
	 * arrived or done at the end.
	 */
	int64_t asked, under_way;
	/*
	 * Simulator: of the order of all that changes models. Runs of the same training settings in
	 * the same order learn the same, bit for bit. 0: not known, or times decide too.
	 */
	uint64_t order;
	/* Real seconds: event loop, vectors in handlers, waiting for gradients, hooks at marks. */
	double loop_s, handler_s, pool_s, mark_s;
	struct run_floats floats;       /* simulator */
	bool kept;              /* there is a checkpoint from which a longer run can resume */
	double data_s;          /* of compute threads on getting batches, added over threads */
	struct run_goodput goodput;     /* zeros: no worker failed */
	char fault[STALL_TEXT]; /* STALLED: the fault that caused it; "": none */
	char waits[STALL_TEXT]; /* STALLED: the nodes that wait; on MPI ranks on the first one */
};

/*
 * Ends the process because the algorithm breaks the rules of node.h: BUG() of a built-in one, die()
 * of one in a file of a user.
 */
_Noreturn void algo_mistake(const struct run *run, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* 0, or error() for a run without an end, or with invalid numbers or algorithm. */
int run_check(const struct run *run);

/* Weight of a worker's gradient, and its relative cost: its samples over run->batch. */
static inline double run_weight(const struct run *run, int rank)
{
	return slice_weight(run->slice, run->batch, rank);
}

/* Epoch of a worker's minibatch `index`. */
static inline int64_t run_epoch_of(const struct run *run, int64_t index)
{
	return index / (run->samples / ((int64_t)run->batch * run->workers));
}

/* Epochs of the training set in that number of gradients. */
static inline double run_epochs(const struct run *run, int64_t gradients)
{
	return (double)gradients * (double)run->batch / (double)run->samples;
}

/* Epochs that the run lasts at most, which schedules end with; 0: not bounded so. */
static inline double run_length(const struct run *run)
{
	const double epochs = run_epochs(run, run->gradients);

	return run->epochs > 0 && (run->gradients == 0 || run->epochs < epochs) ? run->epochs
										: epochs;
}

/*
 * More gradients than this in a simulation are refused: at a million a second they would take
 * months.
 */
#define RUN_GRADIENTS_MOST 1e13

/* Gradients that end the run, 0: none; *end <- which bound it is, of gradients or of epochs. */
int64_t run_budget(const struct run *run, enum end_reason *end);

/*
 * True when a run uses its memory often enough for huge pages (mem_huge_pages()): one that trains,
 * has no bound on its gradients, or has at least 4 a worker.
 */
bool run_is_long(const struct run *run);

/* x[dim] <- the initial model of a training run. */
void run_start(const struct run *run, float *x);

/* Passes an event to every hook that has its kind in the mask. */
void run_emit(const struct run *run, const struct event *ev);

/*
 * Emits EV_HANDLED: a handler that began at `time` has returned after `seconds`. `gradients`: the
 * number that the node knew of.
 */
void run_handled(const struct run *run, const struct handled *what, const struct node *nd,
		 double time, double seconds, int64_t gradients);

/* True when some hook wants events of that kind. */
static inline bool run_wants(const struct run *run, enum event_kind kind)
{
	for (const struct hook *h = run->hooks; h; h = h->next)
		if (h->mask & 1u << kind)
			return true;
	return false;
}

#endif

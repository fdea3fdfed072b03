/*
 * run.h - one training run: what to train, how, until when, and who watches.
 *
 * runner/ fills a struct run with pointers to plug-ins and hands it to an engine.
 * Hooks see every event of any engine; the recorder, the progress line and the
 * invariant checker are hooks, not features of an engine.
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
	EV_READ,                /* `node`, which is `peer`, takes a snapshot for a gradient */
	EV_STEP,                /* `node` applied a gradient, of `peer`; staleness, lr, measured */
	EV_GATHER,              /* the same of a gradient that is kept for a later step */
	EV_STAGE,               /* a stage of `node`, not the last, is over; seconds of computing */
	EV_HEAD,                /* `node` made a step of the head, served apart; staleness, lr */
	EV_SEND,                /* `node` sent `bytes` to `peer`; tag */
	EV_DROP,                /* `node`'s gradient in flight was dropped; seconds of computing */
	EV_REFUSE,              /* `node` asked for a gradient after EV_STOP, and gets none */
	EV_HANDLED,             /* a handler of `node` returned; time is node_now() as it began */
	EV_MARK,                /* an evaluation is due; model */
	EV_SCORE,               /* the model of an earlier EV_MARK that came without; gradients */
	EV_STOP,                /* the budget is spent; what follows only drains */
	EV_END,                 /* nothing is in flight any more; nodes and model are final */
	EV_FAULT                /* `fault` begins, or is over */
};

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
	/* STEP, GATHER, HEAD: steps since the gradient's snapshot; -1: was shown before */
	int64_t staleness;
	double loss;            /* GRAD */
	double seconds;         /* GRAD, STAGE, DROP: computing; HANDLED: handling */
	double begun;           /* GRAD, STAGE, DROP: computing; HANDLED: the message was sent */
	/* GRAD, DROP, REFUSE: when it was asked for; NaN: it goes on with a round (algo.round) */
	double asked;
	enum handler handler;   /* HANDLED */
	int token;              /* HANDLED: of the timer */
	int tag;                /* SEND; HANDLED: of the message */
	const struct fault *fault;      /* FAULT */
	bool over;              /* FAULT */
	double lr;              /* STEP, HEAD */
	const struct measured *measured;        /* STEP, MARK, SCORE: watch.h; NULL: nothing */
	/* MARK, SCORE, END: [dim] the server's model, or the workers' mean; NULL: SCORE follows */
	const float *model;
	const struct node *nodes;       /* START, MARK, STOP, END: [nnodes], the server last */
	int nnodes;
};

struct hook {
	unsigned mask;          /* 1u << kind of the events it wants */
	void (*event)(struct hook *h, const struct event *ev);
	struct hook *next;
};

struct handled {                /* of EV_HANDLED: which handler, and what it received */
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
	struct carry carry;     /* from a worker's gradient to its next one; floats = 0: nothing */
	size_t nlayers;         /* that it has: the problem's nblobs; 0: it is one */
	const struct blob *layers;      /* [nlayers] borrowed; NULL: their shapes are not known */
	size_t batch;           /* samples of a worker's minibatch, on average */
	const int64_t *slice;   /* [workers + 1] of a round (slice.h), borrowed; NULL: equal */
	int64_t samples;        /* in an epoch */
	struct pool *pool;      /* computes gradients; NULL: timing-only, no vectors at all */
	const float *start;     /* [dim] the model it begins at; NULL: what the seed draws */
	const struct optim *optim;
	const void *optim_conf;
	const struct codec *codec;      /* packs gradients on their way; NULL: none does */
	const void *codec_conf;
	struct stepsize lr;
	/* The run ends at whichever comes first; 0: no bound. */
	double epochs, seconds;
	int64_t gradients;
	double mark_every;      /* epochs between EV_MARKs; 0: at the end only */
	struct hook *hooks;
	struct watch *watch;    /* measures vectors, for EV_STEP and EV_MARK; NULL: none */
	const volatile sig_atomic_t *interrupted;       /* polled; NULL: never */
};

/* Where a training run saves checkpoints, and which one it goes on from. */
struct checkpoint_conf {
	const char *path;       /* files begin so; NULL: none are saved */
	const char *from;       /* the checkpoint to go on from; NULL: none */
	const char *id;         /* of the settings but the run's length: only theirs are read */
	/* Between two: wall seconds of the simulator, epochs of real ranks; 0: none on the way. */
	double every;
	/* One more when the budget is spent, if models take at most so many bytes. */
	int64_t keep;
	/* What surrounds the run adds to a checkpoint, and takes back; on the first rank alone. */
	void (*save)(void *ctx, struct checked *v);
	void (*load)(void *ctx, struct checked *v);
	void *ctx;
	/* Simulator: the program, as bits depend on it: checkpoints of another are left to it. */
	const char *build;
	/* Simulator: the id of checkpoints that meant something else, and what; NULL: none did. */
	const char *former, *former_meant;
	/* Real ranks: the secret that files are checked by, of real_key(); NULL: there are none. */
	const unsigned char *key;
};

/* What failures cost a simulated run, and the checkpoints that it goes back to. */
struct run_goodput {
	double goodput;         /* its gradients a second over an undisturbed run's; 0: unknown */
	int64_t failures;       /* of nodes */
	int64_t saves;          /* checkpoints */
	/* Seconds; NaN where the job does not go back to checkpoints: */
	double save_s, lost_s;  /* that these took; of work that was done again */
	double down_s;          /* from a failure until work is done again */
	/* Of checkpoints, where nodes fail at random; 0: none. */
	double young_s, daly_s; /* the best seconds of work between two, by these formulas */
	double expected;        /* goodput, on average */
};

struct run_result {
	enum end_reason end;
	double time;            /* seconds until the budget was spent: virtual or real */
	double epochs;
	int64_t gradients;      /* delivered to all workers */
	uint64_t model;         /* vec_digest() of the final one; 0: timing-only */
	int64_t events;         /* that the engine handled */
	/* Real seconds: event loop, handlers' vectors, awaiting gradients, hooks at marks. */
	double loop_s, handler_s, pool_s, mark_s;
	bool kept;              /* there is a checkpoint for a longer run to go on from */
	double data_s;          /* that compute threads spent on getting batches, all together */
	struct run_goodput goodput;     /* zeros: no worker failed */
	char fault[STALL_TEXT]; /* STALLED: by which fault; "": by none */
	char waits[STALL_TEXT]; /* STALLED: who waits for what; with real ranks on the first one */
};

/* 0, or error() for a run without an end, or whose numbers or algorithm make no sense. */
int run_check(const struct run *run);

/* What a gradient of the worker counts, and costs: its samples over run->batch. */
static inline double run_weight(const struct run *run, int rank)
{
	return slice_weight(run->slice, run->batch, rank);
}

/* The epoch of a worker's minibatch of that index. */
static inline int64_t run_epoch_of(const struct run *run, int64_t index)
{
	return index / (run->samples / ((int64_t)run->batch * run->workers));
}

/* Epochs of the training set in so many gradients. */
static inline double run_epochs(const struct run *run, int64_t gradients)
{
	return (double)gradients * (double)run->batch / (double)run->samples;
}

/* More gradients than a simulated run may have: at a million a second they would take months. */
#define RUN_GRADIENTS_MOST 1e13

/* Gradients that end the run, and as what: its own bound or that of its epochs. 0: none. */
int64_t run_budget(const struct run *run, enum end_reason *end);

/* x[dim] <- the model that a training run begins at. */
void run_start(const struct run *run, float *x);

/* Shows an event to every hook that wants it. */
void run_emit(const struct run *run, const struct event *ev);

/*
 * The same of EV_HANDLED, when a handler that began at `time` has returned `seconds` later.
 * The node knew of so many gradients.
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

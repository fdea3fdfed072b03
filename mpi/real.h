/*
 * real.h - the engine of real time: nodes on MPI ranks.
 *
 * A process hosts one worker, the server, or both. The event loop runs on the main
 * thread, gradients on the threads of run->pool, messages by non-blocking calls. The
 * contract is that of core/node.h; one source of an algorithm serves this engine and sim/.
 */
#ifndef MPI_REAL_H
#define MPI_REAL_H

#include "core/run.h"
#include "delays/pace.h"

#include <stdbool.h>

enum allreduce_kind {
	ALLREDUCE_BUCKETS,      /* piece by piece in the backward pass, in the order of ranks */
	ALLREDUCE_WHOLE,        /* MPI's all-reduce of the vector as one piece, when it is there */
	ALLREDUCE_RING          /* a ring's, likewise; its order is always the same */
};

struct real_conf {
	bool overlap;           /* receive messages while computing */
	bool shared;            /* the server lives with worker 0, not in a process of its own */
	enum allreduce_kind allreduce;
	int64_t bucket;         /* BUCKETS: bytes of a piece */
	double compute_s;       /* seconds that a gradient takes; 0: as long as it takes */
	struct pace pace;       /* factors on that, by real waiting */
	double heartbeat_s;     /* a process without a heartbeat for so long is named; 0: never */
	double hang_s;          /* error() for a process without a heartbeat so long; 0: never */
	struct checkpoint_conf checkpoint;
	/*
	 * The run has been asked to end, and may be killed before it has: on process 0, or when
	 * that has died or hangs, on another. `why`: this is the end; NULL: an orderly one may
	 * follow. May be NULL itself. ctx is that of checkpoints.
	 */
	void (*cut)(void *ctx, const char *why);
};

/*
 * Gradients of the checkpoint at `path`, if a run with this id and within run's budget can
 * go on from it; else -1.
 */
int64_t real_saved(const char *path, const struct real_conf *conf, const struct run *run);

/* Whether there is a checkpoint at `path`, and its run has that id. */
bool real_saved_by(const char *path, const char *id);

/*
 * The secret key [CHECKED_KEY] of this account's checkpoints, the same on all processes: process 0
 * reads its file, or makes it on first use. 1; 0 after a warning: there is none, and so no
 * checkpoints; -1 after error(): the file is there, but may be known to others, or is no key.
 */
int real_key(unsigned char *key);

/* The name of the MPI library; NULL where convoy was built without, and must not be used. */
const char *real_version(void);

/* ---- the processes ---- */

/*
 * Joins the other processes; from then on errors of input are printed by process 0
 * alone, and die() ends all. Called once, before anything else here. 0, or error() on all.
 */
int real_begin(void);

/*
 * Leaves, with the others; once real_alone(), ends them all with this exit code. Nothing else may
 * be called afterwards.
 */
void real_end(int code);

/*
 * This process has failed, after error(), while others wait for it: from here on it speaks to none,
 * returns to its top, and real_end() ends all.
 */
void real_leave(void);
bool real_alone(void);

int real_rank(void);            /* of this process, 0 .. real_size() - 1 */
int real_size(void);            /* 0: it has not joined any */

/* Processes of this machine, this one too; all call it alike. */
int real_neighbours(void);

/* The worst (largest) of all processes' codes, on every process; of one alone, its own. */
int real_agree(int code);

/* What process 0 has is that of all processes. Alone, nothing happens. */
void real_share(void *bytes, size_t n);

/* The text that process 0 has, or NULL, on all processes; takes it over there. The caller frees. */
char *real_share_text(char *text);

/* The host of every process, as lines of text; NULL but on process 0. The caller frees. */
char *real_hosts(void);

/* ---- a run ---- */

/* Processes that so many workers of an algorithm need. */
int real_processes(const struct real_conf *conf, const struct algo *algo, int workers);

/*
 * Runs to the end of the budget and drains; all processes call it alike, but hooks see
 * events on process 0 only, in the order of their times. Returns 0, or error() for a
 * configuration that makes no sense, or after real_leave(). *result is the same everywhere
 * but for the account of this process's own time.
 */
int real_run(const struct real_conf *conf, const struct run *run, struct run_result *result);

#endif

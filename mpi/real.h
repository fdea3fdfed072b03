/*
 * real.h - the engine in real time: nodes on MPI ranks.
 *
 * A process hosts one worker, the server, or both. The event loop runs on the main thread,
 * gradients on the threads of run->pool, messages by non-blocking calls. The contract is that of
 * core/node.h; the same source of an algorithm runs here and in sim/.
 */
#ifndef MPI_REAL_H
#define MPI_REAL_H

#include "core/run.h"
#include "delays/pace.h"

#include <stdbool.h>

enum allreduce_kind {
	ALLREDUCE_BUCKETS,      /* in pieces during the backward pass, in the order of ranks */
	ALLREDUCE_WHOLE,        /* MPI's own, of the whole vector, when it is complete */
	ALLREDUCE_RING          /* a ring, likewise; always added in the same order */
};

struct real_conf {
	bool overlap;           /* receive messages while computing */
	bool shared;            /* the server runs in the process of worker 0 */
	enum allreduce_kind allreduce;
	int64_t bucket;         /* BUCKETS: bytes of a piece */
	double compute_s;       /* seconds of a gradient, by waiting; 0: as long as it takes */
	struct pace pace;       /* factors on compute times, by waiting */
	double heartbeat_s;     /* names a process without a heartbeat for so long; 0: never */
	double hang_s;          /* error() for a process without a heartbeat so long; 0: never */
	struct checkpoint_conf checkpoint;
	/*
	 * Called when the run was asked to end, and may be killed before it has: on process 0 or,
	 * if that has died or hangs, on another. `why`: the run ends now; NULL: it may still end in
	 * good order. May be NULL itself. ctx is that of checkpoints.
	 */
	void (*cut)(void *ctx, const char *why);
};

/*
 * Gradients in the checkpoint at `path`, if a run with this id can resume from it within run's
 * budget; else -1.
 */
int64_t real_saved(const char *path, const struct real_conf *conf, const struct run *run);

/* True if there is a checkpoint at `path`, of a run with that id. */
bool real_saved_by(const char *path, const char *id);

/*
 * The secret key [CHECKED_KEY] of this account's checkpoints, on all processes: process 0 reads it
 * from a file, or makes it on first use. 1; 0 after a warning: there is no key, and so no
 * checkpoints; -1 after error(): the file is readable by others, or is no key.
 */
int real_key(unsigned char *key);

/* Name of the MPI library; NULL in a build without MPI: then do not use this engine. */
const char *real_version(void);

/* Message for a build without MPI, and for a wheel's program that found none; else "". */
const char *real_missing(void);

/* ---- the processes ---- */

/*
 * Joins the other processes; from then on errors of input are printed by process 0 alone, and die()
 * ends all processes. Call it once, before all other functions here. 0, or error() on all
 * processes.
 */
int real_begin(void);

/*
 * Leaves together with the other processes; if real_alone(), ends them all with this exit code.
 * Must be the last call.
 */
void real_end(int code);

/*
 * After error(), while others wait for this process: from then on it sends no message and returns
 * to main(), where real_end() ends all processes. real_alone(): true after that.
 */
void real_leave(void);
bool real_alone(void);

int real_rank(void);            /* of this process, from 0 to real_size() - 1 */
int real_size(void);            /* number of processes; 0: it has not joined any */

/* Number of processes on this machine, this one included. Collective. */
int real_ranks_here(void);

/*
 * Largest of all processes' codes, which is the worst, on every process. For one process: its own.
 */
int real_agree(int code);

/* bytes[n] <- those of process 0, on all processes. For one process: nothing. */
void real_share(void *bytes, size_t n);

/* Text of process 0 (or NULL), on all processes; process 0 gives up its own. The caller frees. */
char *real_share_text(char *text);

/* Host of every process, as lines of text; NULL except on process 0. The caller frees. */
char *real_hosts(void);

/* ---- a run ---- */

/* Number of processes needed for a run of an algorithm with that number of workers. */
int real_processes(const struct real_conf *conf, const struct algo *algo, int workers);

/*
 * Runs until the budget is spent and everything is delivered. All processes call it with equal
 * arguments, but hooks see events on process 0 only, in the order of time. 0, or error() for an
 * invalid configuration, or after real_leave(). *result is equal on all processes, except for the
 * seconds that this process itself spent.
 */
int real_run(const struct real_conf *conf, const struct run *run, struct run_result *result);

#endif

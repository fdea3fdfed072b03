/* One resolved run, on its engine, from the first event to a whole file. */
#ifndef RUNNER_SINGLE_RUN_SIMRUN_H
#define RUNNER_SINGLE_RUN_SIMRUN_H

#include "core/run.h"
#include "core/samples/dataset.h"
#include "plan/plan.h"
#include "record/result.h"

#include <signal.h>

struct run_context {            /* what surrounds a run */
	const char *experiment; /* "" for a run from flags */
	const char *scale;
	const char *path;       /* of the result */
	const char *trace;      /* of the trace; NULL: none */
	/* Engine mpi: epochs; the simulator: wall seconds of a training run; 0: none on the way. */
	double checkpoint_every;
	bool resume;            /* from a checkpoint, where there is one */
	/*
	 * A run from flags: a signal has it save a checkpoint, and resume goes on from that of a
	 * shorter run as well. keep: one at its end, of so many bytes of models at most; 0: none.
	 */
	bool alone;
	int64_t keep;
	const char *lease;      /* lease_key() of the lock that the process holds which started
				 * this one, as a rank; NULL: none */
	bool noted;             /* the process that started it has said what bf16 is computed in */
	struct result_lock *lock;       /* on the result; NULL: another process has it */
	bool synced_later;      /* the caller has the result reach the disk, with others */
	/* What the result says of other runs, and its baseline's time per epoch; NULL: it is not
	 * known yet. Borrowed. */
	const struct result_mark *mark;
	double baseline_s;
	bool retrain;           /* though a run in the same order is finished */
	bool unjudged;          /* no warning of a run that diverged: the caller says so */
	struct record_figures *figures;         /* borrowed: filled instead of a file; or NULL */
	int threads;            /* of this process, that compute gradients */
	/* Called some times a second: the share of the budget that is spent, gradients so far. */
	void (*tick)(void *ctx, double fraction, double gradients);
	void *ctx;
	const volatile sig_atomic_t *interrupted;
};

/*
 * *data <- the setup's data set, NULL where it needs none; dataset_close() it in either case. 0, or
 * error() where a rank has none, or other data than rank 0.
 */
int setup_data(const struct setup *su, struct dataset **data);

/* Problem that a setup trains, over `data` (borrowed; NULL: it needs none); NULL after error(). */
struct problem *setup_problem(const struct setup *su, const struct dataset *data);

/*
 * A pool over the problem, of compute_threads, or `threads` where that is 0, once every rank has
 * one; pool_free() it. NULL after error(): some rank has none.
 */
struct pool *setup_pool(const struct setup *su, struct problem *problem,
			const struct sampler *sampler, int threads);

enum run_end {
	RUN_END_BROKEN = -2,    /* failed in the middle, by the machine or its files */
	RUN_END_FAILED, RUN_END_DONE, RUN_END_INTERRUPTED
};

/*
 * The run over a model of so many floats and epochs of so many samples, without a pool: what
 * engines take of a timing-only run.
 */
struct run simrun_shape(const struct setup *su, const struct run_context *t, size_t dim,
			int64_t samples);

/* The program's exit code for it. */
int run_end_code(enum run_end end);

/*
 * Runs, on every rank alike where there are several. `data` is borrowed, and NULL where
 * setup_needs_data() is false. After RUN_END_DONE the result is at t->path; after
 * RUN_END_FAILED and RUN_END_BROKEN an error() was printed.
 */
enum run_end simrun(const struct setup *su, const struct dataset *data,
		    const struct run_context *t);

/* Work on a run that has its problem, its pool and its learning rates. */
typedef enum run_end run_engine(const struct setup *su, const struct run_context *t,
				struct run *run);

/* Runs something else than its engine. */
enum run_end simrun_by(run_engine *go, const struct setup *su, const struct dataset *data,
			const struct run_context *t);

/* ---- divergence.c: the first and last training loss, and the usual cause of a divergence ---- */

struct divergence_check;

/* Check of a training run from where it begins or resumes. The caller frees with free(). */
struct divergence_check *divergence_check_new(void);

/* To be added to the run, borrowed. */
struct hook *divergence_check_hook(struct divergence_check *c);

/*
 * Warns, in one line that names what to lower, of a run that diverged and of one whose loss
 * ends more than ten times above where it began; not of one that has seen no gradient.
 */
void divergence_check_judge(const struct divergence_check *c, const struct setup *su,
			    const struct run_result *result);

/*
 * "usual cause here: momentum 0.9 with 16 asynchronous workers, ...; try --optim ..., or ...". The
 * caller frees.
 */
char *divergence_advice(const struct setup *su);

/*
 * A note for each cause among the plan's runs that diverged, with the first run that has it; `runs`
 * are those that are finished, in the plan's order. NULL-ended, path_list_free().
 */
char **divergence_notes(const struct plan *p, const struct results *runs);

/* ---- simulated training runs whose gradients several processes compute over MPI ---- */

/*
 * Checks whether a run can have `asked` ranks (0: those that are started); in a rank, called by all
 * alike. 0 or error().
 */
int simranks_check(const struct setup *su, int64_t asked);

/*
 * Compute threads of this rank: as many as asked for; 0: its part of the machine's cores, at
 * most those that it may use.
 */
int simranks_threads(int64_t asked);

/* ---- run_one.c: a run on its engine, and its checkpoints ---- */

/* Runs, with everything prepared. r is NULL on ranks but the first. 0 or error(). */
int run_one(const struct setup *su, const struct run_context *t, const struct run *run,
	    struct recorder *r, struct run_result *result);

/*
 * What bits of a training run depend on besides its settings: of the program, and of a net of the
 * user's own a digest of its files and packages. The caller frees.
 */
char *run_build_text(const struct setup *su);

/*
 * The enum precision that the run's own checkpoint, which it would go on from, was computed in; -1:
 * it has none, or one of other settings.
 */
int run_one_saved_in(const struct setup *su, const struct run_context *t);

/*
 * The result is there: a simulated run's checkpoint goes, unless it was kept. Ranks take away their
 * own.
 */
void run_one_done(const struct setup *su, const struct run_context *t,
		  const struct run_result *result);

#endif

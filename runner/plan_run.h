/*
 * plan_run.h - from a plan to its result files, with a word on what is done.
 *
 * Each run is made in a process of its own: one that crashes or is killed takes nothing with it,
 * and the parent never touches the libraries that compute. Children tell through a pipe how far
 * they are.
 */
#ifndef RUNNER_PLAN_RUN_H
#define RUNNER_PLAN_RUN_H

#include "plan/plan.h"
#include "runner/estimate/estimate.h"
#include "runner/launch/launch.h"

struct pool_conf {
	int jobs;               /* children at once */
	int threads;            /* of each, or of each of its ranks */
	struct launch sim;      /* ranks that compute gradients of a simulated run, < 2: none; and
				   the hosts of real and simulated runs' ranks */
	bool fail_fast;         /* the first failure ends all */
	bool quiet;             /* no progress line */
	bool unannounced;       /* no word on what is to do: the caller has said it */
	bool unjudged;          /* no warnings of runs that diverged: the caller says so */
	double checkpoint_every;        /* wall seconds of a simulated training run; 0: never */
	bool resume;            /* from a checkpoint, where there is one */
	bool again;             /* finished runs are made once more */
	bool retrain;           /* though runs in the same order are finished */
	const struct estimate *estimate;        /* of the plan; NULL: none was made */
	const char *position;   /* before the progress: "experiment 2 of 5, "; NULL: nothing */
	double until_s;         /* of clock_s(): no run begins later; 0: no limit */
	double after_s;         /* estimate of what comes after this plan; NaN: not all is known */
	int (*check)(struct plan *of, const struct planned *r); /* a finished run; -1 after error()
				 * ends all; NULL: none is checked */
	struct plan *check_of;  /* its first argument */
};

/*
 * Chooses n->jobs and n->threads where they are 0: all cores for timing-only runs at once, or all
 * for one training run. On real ranks training runs are one at a time, whatever n->jobs was. 0 or
 * error().
 */
int jobs_choose(const struct plan *p, struct pool_conf *n);

/*
 * Makes the runs to do and says so. What is 0 of n->jobs and n->threads is chosen: all cores for
 * timing-only runs at once, or all for one training run. EXIT_OK, though runs may have failed;
 * EXIT_BAD where none could begin, and all of them failed; EXIT_DIE where the disk is full, and the
 * rest was not begun; after a signal, its exit code. Runs that
 * compute are one at a time, whatever was asked for, where spec_is_real().
 */
int plan_run(struct plan *p, struct pool_conf *n);

/* The runs that were not reached, or interrupted. */
size_t plan_left(const struct plan *p);

/* The runs that have no result, after an error() that counts them, unless one alone failed. */
size_t plan_failed(const struct plan *p);

#endif

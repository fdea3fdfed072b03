/*
 * worker_pool.h - the runs of a plan, each in a process of its own.
 *
 * A run that crashes or is killed takes nothing with it, and the parent never
 * touches the libraries that compute. Children tell through a pipe how far
 * they are.
 */
#ifndef RUNNER_WORKER_POOL_H
#define RUNNER_WORKER_POOL_H

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
	const struct estimate *estimate;        /* of the plan; NULL: none was made */
	const char *position;   /* before the progress: "experiment 2 of 5, "; NULL: nothing */
	double after_s;         /* what the experiments after this one are estimated to take */
	int (*check)(struct plan *of, const struct planned *r); /* a finished run; -1 after error()
				 * ends all; NULL: none is checked */
	struct plan *check_of;  /* its first argument */
};

/*
 * Does the runs to do, in order, and sets their states. A failed run is
 * reported and the rest goes on. After Ctrl-C the children finish their files
 * and no more are begun; after a second one they are killed. EXIT_OK; EXIT_DIE where a result had
 * a full disk, which ends all.
 */
int worker_pool_run(struct plan *p, const struct pool_conf *n);

#endif

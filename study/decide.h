/*
 * decide.h - seeds are added where they decide most, until the claims of experiments are decided.
 *
 * A look at a claim needs the same number of seeds of each of its groups (report/claims/looks.h).
 * The next look is that of the claim with the largest probability to be decided for its time.
 */
#ifndef STUDY_DECIDE_H
#define STUDY_DECIDE_H

#include "runner/plan_run.h"
#include "runner/results/outcome.h"

struct decide_conf {
	int most;               /* seeds of a group; 0: those of its plan, else LOOKS_USUAL */
	double budget_s;        /* wall seconds, after which no run begins; HUGE_VAL: no limit */
	struct pool_conf pool;  /* of the runs */
};

struct read_group {             /* a group that a claim's filter reads without comparing it */
	size_t claim, run;      /* run: the group's first in the plan */
};

/* An experiment. */
struct deciding {
	struct plan *plan;      /* borrowed; runs are added to it */
	struct outcome outcome; /* of its finished runs; owned */
	bool read;              /* the outcome */
	int most;               /* seeds of a group */
	bool *waited;           /* [claims] for a look at the beginning; owned */
	bool *failed;           /* [plan->n] by the first run of a group: a run that was added to it
				 * has failed; owned */
	struct read_group *reads;       /* [nreads] that have been needed for a look; owned */
	size_t nreads;
	bool incomplete;        /* some run has failed */
	bool outdated;           /* plan->looks has seeds of another process, whose runs the plan
				 * does not have yet */
	bool ended;             /* no more looks can be made, after error() */
	size_t open;            /* undecided claims at the beginning that seeds may decide */
	size_t decided;         /* of them, since */
	size_t closed;          /* of them, because no number of seeds is expected to decide */
	size_t runs;            /* made for them */
};

/* error() where settings choose the seeds, or the looks were planned with fewer; else 0. */
int decide_check(const struct plan *p, const struct decide_conf *c);

/*
 * Plans the looks at the claims of a plan whose own runs are finished, and judges them. Writes
 * looks.json where a claim has looks, unless `dry`. Added runs that have failed are taken out, with
 * an error(). Says which claims get no seeds, and why, unless quiet. 0; error() as decide_check().
 * decide_end() in either case.
 */
int decide_begin(struct deciding *d, struct plan *plan, const struct decide_conf *c, bool dry);
void decide_end(struct deciding *d);

/* Seeds for all undecided claims, as far as they are known to be needed; of shared groups once. */
struct decide_forecast {
	size_t runs;            /* at most */
	double seconds;         /* that they take; NaN: not known */
	double expected;        /* runs, if the present differences are the true ones, and claims
				 * are independent */
	size_t claims;
};

/* ", about 12 min"; "" where it is not known. The caller frees. */
char *decide_time_text(double seconds);

/* Runs that a plan lacks until each of its settings has all seeds that it may get. */
size_t decide_bound(const struct plan *p, const struct decide_conf *c);

struct decide_forecast decide_forecast(const struct deciding *d, const struct decide_conf *c);

/*
 * Makes the looks at claims of n experiments, most decided claims per second first, until all are
 * decided, or cannot be, or the budget is spent. Says each look, unless quiet. A run that fails
 * leaves the claims that need it undecided; the others go on. An exit code as plan_run(), EXIT_BAD
 * where a run has failed.
 */
int decide_run(struct deciding *d, size_t n, const struct decide_conf *c);

#endif

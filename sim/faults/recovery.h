/*
 * recovery.h - jobs that go back to a checkpoint when a node fails.
 *
 * The run is simulated as an undisturbed one, whose events are shown at later times (struct
 * timeline).
 */
#ifndef SIM_FAULTS_RECOVERY_H
#define SIM_FAULTS_RECOVERY_H

#include "core/run.h"
#include "sim/events/heap.h"
#include "sim/sim.h"

/*
 * A timeline is the clock of a job that saves checkpoints, and goes back to the last one.
 *
 *     work   |------ t ------|      |------ t ------|      |-- w --x
 *     clock  |---------------| save |---------------| save |-------| detect, restart |-- w --|---
 *
 * After every t seconds of work all workers stop while a checkpoint is saved. When a node fails,
 * all workers wait until the failure is detected and the job is started again. They go back to the
 * last checkpoint, and repeat the work w since then, which takes as long as before. After another
 * failure during this time, or while a checkpoint is saved, the job starts again from the same
 * checkpoint.
 *
 * Work is the time on the clock of an undisturbed job. So the job makes the same steps as an
 * undisturbed one, each at the moment at which its work is done for the first time.
 */

struct timeline_stop {          /* after `work` seconds of work ... */
	double work, shift;     /* ... the clock is ahead of the work by `shift` seconds */
	struct run_goodput so_far;      /* cost of all failures and checkpoints so far */
};

struct timeline {
	const struct sim_conf *conf;
	uint64_t seed;
	struct heap failures;   /* next failure of each node, and those at given times */
	struct timeline_stop *stop;     /* [n] owned, in order of work */
	size_t n;
	struct fault *failed;   /* [nfailed] owned, failures so far; `to`: work continues */
	size_t nfailed;
	size_t told;            /* failures shown, by this process or the checkpoint's */
	double work, clock;     /* just after the latest stop */
	double saved;           /* work in the last checkpoint */
	double until;           /* clock at the end of the run; HUGE_VAL: unknown */
	double end;             /* work done by then and not lost; HUGE_VAL: not known yet */
	struct run_goodput so_far;
	int64_t tries;          /* failures since the latest stop */
	bool saving;            /* a checkpoint is being saved, or was when a node failed */
	const char *hopeless;   /* reason why the job can never finish, and advice; NULL: it can */
};

/* Clock at the moment when so much work is done; if that is more than timeline_end(), the end. */
double timeline_at(struct timeline *t, double work);

/* 0; or error() when failures are so frequent that the job can never finish. */
int timeline_check(const struct timeline *t);

struct recovery {
	struct hook hook;       /* the only hook of `run`: passes events to those of `given` */
	const struct run *given;
	struct run run;         /* the undisturbed run, as long as the given run's seconds allow */
	size_t paused;          /* stops shown */
	bool ended;             /* so is the one that the run ends in */
	struct timeline line;
};

/*
 * Opens a run with sim_conf.restart. 0; or error() if it can never finish. Release it either way.
 */
int recovery_open(struct recovery *r, const struct sim_conf *conf, const struct run *run);
void recovery_release(struct recovery *r);

/* Changes the result of the undisturbed run to that of the run with failures. 0 or error(). */
int recovery_result(struct recovery *r, struct run_result *result);

/*
 * Best interval between checkpoints that take `cost` seconds, if the job fails every mtbf seconds
 * on average: Young 1974, sqrt(2 cost mtbf), and the higher order of Daly 2006.
 */
double recovery_young(double cost, double mtbf);
double recovery_daly(double cost, double mtbf);

/*
 * Expected share of useful time, if failures are a Poisson process, and after each one it takes
 * `repair` seconds until work continues (Daly 2006).
 */
double recovery_expected(double interval, double cost, double repair, double mtbf);

#endif

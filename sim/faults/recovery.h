/*
 * recovery.h - runs whose job goes back to a checkpoint when a node fails.
 *
 * Such a run is that of an undisturbed job, whose moments are shown at other times (timeline.h).
 */
#ifndef SIM_FAULTS_RECOVERY_H
#define SIM_FAULTS_RECOVERY_H

#include "core/run.h"
#include "sim/events/heap.h"
#include "sim/sim.h"

/*
 * The clock of a job that saves checkpoints, and goes back to the last one.
 *
 *     work   |------ t ------|      |------ t ------|      |-- w --x
 *     clock  |---------------| save |---------------| save |-------| detect, restart |-- w --|---
 *
 * After every t seconds of work all workers stop while a checkpoint is saved. When a node fails,
 * all wait until that is detected and the job is started again. They go back to the last
 * checkpoint, and do the work w since then again, which takes as long as it did. After a failure
 * meanwhile, or while a checkpoint is saved, all that begins again: the checkpoint before is the
 * last one.
 *
 * Work is what the clock of an undisturbed job shows. So the steps of the job are those of an
 * undisturbed one, each at the moment at which its work is done for the first time.
 */

struct timeline_stop {          /* after so much work ... */
	double work, shift;     /* ... the clock is ahead of the work by so much */
	struct run_goodput so_far;      /* what all until then have cost */
};

struct timeline {
	const struct sim_conf *conf;
	uint64_t seed;
	struct heap failures;   /* to come: of each node the next one, and those at given times */
	struct timeline_stop *stop;     /* [n] owned, in their order */
	size_t n, capacity;
	struct fault *failed;   /* [nfailed] owned, of what was until now; `to`: work goes on */
	size_t nfailed, failed_capacity;
	size_t told;            /* failures that were shown, by this process or the one before */
	double work, clock;     /* of the latest stop, after it */
	double saved;           /* work in the last checkpoint */
	double until;           /* the clock at the end of the run; HUGE_VAL: not known */
	double end;             /* work that is done then, and not lost; HUGE_VAL: not known yet */
	struct run_goodput so_far;
	int64_t tries;          /* failures since the latest stop */
	bool saving;            /* a checkpoint is being saved, or tried to be */
	const char *hopeless;   /* why the job never gets on, and what to do; NULL: it does */
};

/* The clock at the moment at which so much work is done; of more than timeline_end(): the end. */
double timeline_at(struct timeline *t, double work);

/* 0; or error() when failures are so frequent that the job never gets on. */
int timeline_check(const struct timeline *t);

struct recovery {
	struct hook hook;       /* the one hook of `run`: shows its events to those of `given` */
	const struct run *given;
	struct run run;         /* the undisturbed one, as long as the given one's seconds allow */
	struct timeline line;
};

/* Of a run with sim_conf.restart. 0; or error() when it never gets on: release it either way. */
int recovery_open(struct recovery *r, const struct sim_conf *conf, const struct run *run);
void recovery_release(struct recovery *r);

/* The result of the undisturbed run <- what it is with failures. 0 or error() as above. */
int recovery_result(struct recovery *r, struct run_result *result);

/*
 * The best interval between two checkpoints that take so many seconds, where the job fails every
 * mtbf seconds on average: Young 1974, sqrt(2 cost mtbf), and of higher order Daly 2006.
 */
double recovery_young(double cost, double mtbf);
double recovery_daly(double cost, double mtbf);

/*
 * The mean share of useful time, with failures of a Poisson process, each of which takes `repair`
 * seconds until work is done again (Daly 2006).
 */
double recovery_expected(double interval, double cost, double repair, double mtbf);

#endif

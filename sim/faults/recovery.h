/*
 * recovery.h - runs whose job goes back to a checkpoint when a node fails.
 *
 * Such a run is that of an undisturbed job, whose moments are shown at other times (timeline.h).
 */
#ifndef SIM_FAULTS_RECOVERY_H
#define SIM_FAULTS_RECOVERY_H

#include "sim/faults/timeline.h"

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

/* A run on its engine, and its checkpoints, at PATH.checkpoint next to the result. */
#ifndef RUNNER_SINGLE_RUN_RUN_ONE_H
#define RUNNER_SINGLE_RUN_RUN_ONE_H

#include "report/report.h"
#include "runner/single_run/simrun.h"

/* Runs, with everything prepared. r is NULL on ranks but the first. 0 or error(). */
int run_one(const struct setup *su, const struct run_context *t, const struct run *run,
	    struct recorder *r, struct run_result *result);

/*
 * The result is there: a simulated run's checkpoint goes, unless it was kept. Ranks take away their
 * own.
 */
void run_one_done(const struct setup *su, const struct run_context *t,
		  const struct run_result *result);

#endif

/*
 * drive.h - a run on its engine, and its checkpoints, at PATH.checkpoint next to the result.
 */
#ifndef CMD_DRIVE_H
#define CMD_DRIVE_H

#include "cmd/simrun.h"
#include "report/report.h"

/* Runs, with everything in place. r is NULL on ranks but the first. 0 or error(). */
int drive(const struct setup *su, const struct run_context *t, const struct run *run,
	  struct recorder *r, struct run_result *result);

/*
 * The result is there: a simulated run's checkpoint goes, unless it was kept. Ranks take away their
 * own.
 */
void drive_done(const struct setup *su, const struct run_context *t,
		const struct run_result *result);

#endif

/* A simulated training run, whose gradients several processes compute over MPI. */
#ifndef RUNNER_SINGLE_RUN_SIMRANKS_H
#define RUNNER_SINGLE_RUN_SIMRANKS_H

#include "runner/single_run/simrun.h"

/*
 * Whether a run can have `asked` ranks (0: those that are started); in a rank, called by all
 * alike. 0 or error().
 */
int simranks_check(const struct setup *su, int64_t asked);

/*
 * Compute threads of this rank: as many as asked for; 0: its part of the machine's cores, at
 * most those that it may use.
 */
int simranks_threads(int64_t asked);

/*
 * go() with a pool whose jobs all ranks compute; on ranks but the first the computing alone. With
 * engine mpi, and in a process alone, go() as it is.
 */
enum run_end simranks_go(run_engine *go, const struct setup *su, const struct run_context *t,
			 struct run *run);

#endif

/* Parts of the commands that make one run from flags. */
#ifndef RUNNER_SINGLE_RUN_SINGLE_H
#define RUNNER_SINGLE_RUN_SINGLE_H

#include "plan/plan.h"
#include "runner/single_run/simrun.h"

/* Says on stderr what the run assumes, and what of its settings is otherwise than it seems. */
void single_note_assumed(const struct setup *su);

/* The hash, and every setting as it is used with its source. */
void single_print_settings(const struct setup *su, bool json);

/*
 * simrun() over the run's data, with a progress line; sets t's tick, ctx and interrupted. While
 * another process makes the same result, rank 0 waits. A run from flags that is then finished is
 * not repeated, unless it is traced.
 */
enum run_end single_run(const struct setup *su, struct run_context *t, bool quiet);

/* Prints the settings of a plan's runs, without baselines, that are not at their default. */
void settings_table_of_plan(const struct plan *p);

/* Prints what came of the run, of which the columns of nodes need not be there. */
void single_print_result(struct result *r, bool json);

/* Compute threads: `asked`, or if 0 $SLURM_CPUS_PER_TASK, else one a core. -1 after error(). */
int single_threads(int64_t asked);

#endif

/* The usual cause of a run's divergence by its settings, and what to try. */
#ifndef RUNNER_SINGLE_RUN_DIVERGENCE_CAUSE_H
#define RUNNER_SINGLE_RUN_DIVERGENCE_CAUSE_H

#include "plan/plan.h"
#include "record/result.h"

/*
 * "usual cause here: momentum 0.9 with 16 asynchronous workers, ...; try --optim ..., or ...". The
 * caller frees.
 */
char *divergence_advice(const struct setup *su);

/*
 * A note for each cause among the plan's runs that diverged, with the first run that has it; `runs`
 * are those that are finished, in the plan's order. NULL-ended, path_list_free().
 */
char **divergence_notes(const struct plan *p, const struct results *runs);

#endif

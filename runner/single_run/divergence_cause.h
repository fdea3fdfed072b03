/* The usual cause of a run's divergence by its settings, and what to try. */
#ifndef RUNNER_SINGLE_RUN_DIVERGENCE_CAUSE_H
#define RUNNER_SINGLE_RUN_DIVERGENCE_CAUSE_H

#include "plan/plan.h"

/*
 * "usual cause here: momentum 0.9 with 16 asynchronous workers, ...; try --optim ..., or ...". The
 * caller frees.
 */
char *divergence_advice(const struct setup *su);

/*
 * Adds a note to the array for each cause among the plan's runs that diverged, with the first run
 * that has it; `runs` are the run objects of those that are finished, in the plan's order.
 */
void divergence_notes(cJSON *notes, const struct plan *p, const cJSON *runs);

#endif

/* Timing-only runs of a plan of which only the figures are asked for: they leave no files. */
#ifndef RUNNER_FIGURES_RUN_H
#define RUNNER_FIGURES_RUN_H

#include "plan/plan.h"
#include "record/record.h"
#include "runner/plan_run.h"

/*
 * Makes the runs to do in n->jobs child processes (0: as many as jobs_choose() says), shows
 * progress unless n->quiet, and sets their states and figure[p->n]. With why[p->n], a run may fail:
 * it gets the reason, which the caller frees. Without, the first failure ends all, and so does a
 * signal; figures of runs that are finished by then are set. EXIT_OK, also if runs have failed;
 * EXIT_BAD or EXIT_DIE after error(); after a signal, its exit code.
 */
int figures_run(struct plan *p, struct pool_conf *n, struct record_figures *figure, char **why);

#endif

/* From a plan to its result files, with a word on what is done. */
#ifndef RUNNER_PLAN_RUN_H
#define RUNNER_PLAN_RUN_H

#include "runner/worker_pool.h"

/*
 * Makes the runs to do and says so. What is 0 of n->jobs and n->threads is chosen: all cores for
 * timing-only runs at once, or all for one training run. EXIT_OK, though runs may have failed;
 * EXIT_BAD where none could begin, and all of them failed; EXIT_DIE where the disk is full, and the
 * rest was not begun; after a signal, its exit code. Runs that
 * compute are one at a time, whatever was asked for, where spec_is_real().
 */
int plan_run(struct plan *p, struct pool_conf *n);

/* The runs that were not reached, or interrupted. */
size_t plan_left(const struct plan *p);

/* The runs that have no result, after an error() that counts them. */
size_t plan_failed(const struct plan *p);

#endif

/* How many runs of a plan are made at once, and with how many threads each. */
#ifndef RUNNER_JOBS_H
#define RUNNER_JOBS_H

#include "runner/worker_pool.h"

/*
 * Chooses n->jobs and n->threads where they are 0: all cores for timing-only runs at once, or all
 * for one training run. On real ranks training runs are one at a time, whatever n->jobs was. 0 or
 * error().
 */
int jobs_choose(const struct plan *p, struct pool_conf *n);

#endif

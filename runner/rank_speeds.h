/* How long a gradient of a run takes on each of its ranks. */
#ifndef RUNNER_RANK_SPEEDS_H
#define RUNNER_RANK_SPEEDS_H

#include "plan/resolve/setup.h"

/*
 * seconds[workers] <- of a minibatch of `batch` samples, with so many threads a rank, while all
 * workers compute: the median of 5 spans, after 2 gradients. A span has 0.4 s of gradients, or one.
 * What the settings make workers wait (slow, delay) is left out. All ranks call it alike. 0; -1
 * after error(), or a signal.
 */
int rank_speeds(const struct setup *su, int threads, double *seconds);

#endif

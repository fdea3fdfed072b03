/*
 * length.h - how long a timing-only run must be for its times to mean something.
 *
 * The first gradients of all workers begin together, and the last ones are cut off: of a few
 * gradients a worker, the time per epoch is mostly that of the start and of the end.
 */
#ifndef PLAN_SETTINGS_LENGTH_H
#define PLAN_SETTINGS_LENGTH_H

#include "plan/resolve/setup.h"

/* Epochs of a timing-only run that was given no length: 1, or enough for many workers. */
double length_enough(const struct setup *su);

/* Gradients of each worker; infinite where the start does not matter, or is unknown. */
double length_each(const struct setup *su);

/*
 * 0, or error() when a simulated run has more than RUN_GRADIENTS_MOST gradients; samples: of an
 * epoch, 0: unknown.
 */
int length_check(const struct setup *su, int64_t samples);

/* Warns when that is few. */
void length_warn(const struct setup *su);

#endif

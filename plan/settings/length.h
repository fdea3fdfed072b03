/*
 * length.h - how long a timing-only run must be for its times to mean something.
 *
 * The first gradients of all workers begin together: where times vary, or workers do not wait for
 * each other, the time per epoch of a few gradients a worker is mostly that of the start.
 */
#ifndef PLAN_SETTINGS_LENGTH_H
#define PLAN_SETTINGS_LENGTH_H

#include "plan/resolve/setup.h"

/*
 * Epochs of a timing-only run that was given no length: 1, or enough for many workers, and on to
 * the end of a round of all.
 */
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

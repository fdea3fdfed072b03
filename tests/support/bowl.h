/*
 * bowl.h - for tests of momentum: a problem that begins at (1, ..., 1), and the part of a pool
 * without threads that no gradient changes.
 */
#ifndef TESTS_SUPPORT_BOWL_H
#define TESTS_SUPPORT_BOWL_H

#include "core/pool/pool.h"

/* A problem whose dim the test sets, with its own submit(), which computes at once. */
extern const struct problem_ops bowl_ops;

/*
 * Pool functions for gradients that are always computed already: nothing to wait for or withdraw.
 */
void bowl_wait(struct pool *p, struct job *j);
bool bowl_withdraw(struct pool *p, struct job *j);

#endif

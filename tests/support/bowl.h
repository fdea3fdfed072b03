/*
 * bowl.h - for tests of momentum: a problem that begins at (1, ..., 1), and the part of a pool
 * without threads that no gradient changes.
 */
#ifndef TESTS_SUPPORT_BOWL_H
#define TESTS_SUPPORT_BOWL_H

#include "core/pool/pool.h"

/* A problem's dim and the test's own submit(), which computes at once, make it whole. */
extern const struct problem_ops bowl_ops;

/* Every gradient is there already. */
void bowl_wait(struct pool *p, struct job *j);
bool bowl_withdraw(struct pool *p, struct job *j);

#endif

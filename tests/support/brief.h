/*
 * Settings of algorithms for tests that run all of them: rounds that are complete in a short run.
 */
#ifndef TESTS_SUPPORT_BRIEF_H
#define TESTS_SUPPORT_BRIEF_H

#include <stdbool.h>

/* The algorithm with short rounds and a small outer momentum, if it has such options. */
const char *brief_algo(const char *name);

/* The optimiser, or adam for local-adam, which refuses all others. */
const char *brief_optim(const char *name, const char *optim);

/* True if one worker alone does not do serial SGD. */
bool brief_is_no_sgd(const char *name);

#endif

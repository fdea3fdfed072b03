/* Algorithms as tests of all of them run them: with rounds that end in a short run. */
#ifndef TESTS_SUPPORT_BRIEF_H
#define TESTS_SUPPORT_BRIEF_H

#include <stdbool.h>

/* The algorithm of that name, with short rounds and a small outer momentum where it has those. */
const char *brief_algo(const char *name);

/* The optimiser, or adam for local-adam, which refuses all others. */
const char *brief_optim(const char *name, const char *optim);

/* One worker alone does something else than serial SGD. */
bool brief_is_no_sgd(const char *name);

#endif

/* Settings that are given although the run does not depend on them. */
#ifndef PLAN_RESOLVE_UNUSED_H
#define PLAN_RESOLVE_UNUSED_H

#include "plan/resolve/setup.h"

/* Notes in the sources of a resolved run which given settings have no effect, and why. */
void unused_mark(struct setup *su);

/*
 * "no effect: precision, lr (timing only: ...); update_s (no server)": what is given and without
 * effect in all of n runs. NULL: nothing. The caller frees.
 */
char *unused_text(const struct setup *const *runs, size_t n);

#endif

/* Which runs are outside what their link was measured for. */
#ifndef PLAN_MACHINE_LINK_MEASURED_H
#define PLAN_MACHINE_LINK_MEASURED_H

#include "plan/resolve/setup.h"

/*
 * Which of the run's messages or all-reduces the link's tables do not hold, and which they do.
 * NULL: all that is known is measured, or the link has no tables. The caller frees.
 */
char *measured_beyond(const struct setup *su);

/* Notes the same as what the run assumes of its link. */
void measured_note(struct setup *su);

#endif

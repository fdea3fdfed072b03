/*
 * ledger.h - where a node's idle time went.
 *
 * An idle span ends when something is received. The part of the span in which that
 * thing was already on its way is communicating; the rest is waiting for others.
 */
#ifndef CORE_ENGINE_LEDGER_H
#define CORE_ENGINE_LEDGER_H

#include "core/node.h"

/*
 * Books the span that began at *idle_from and ends now, and moves *idle_from here;
 * what the node waited for was under way since `since`. Seconds. Nothing, when
 * *idle_from is not in the past.
 */
void ledger_idle(struct ledger *l, double *idle_from, double now, double since);

#endif

/* The setting `recovery`: what a job does when a worker fails. */
#ifndef PLAN_SETTINGS_RESTART_H
#define PLAN_SETTINGS_RESTART_H

#include "sim/sim.h"

/*
 * Parses "continue", where *r is zeros, or "restart:interval_s=S[,cost_s=S]". Returns 0 or error().
 */
int restart_parse(const char *text, struct restart *r);

/* Its one text, which parses to the same. The caller frees. */
char *restart_format(const struct restart *r);

#endif

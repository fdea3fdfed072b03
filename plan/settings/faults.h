/* The setting `faults`: who leaves, what stalls or drops, and when. */
#ifndef PLAN_SETTINGS_FAULTS_H
#define PLAN_SETTINGS_FAULTS_H

#include "core/fault.h"
#include "sim/sim.h"

#include <stddef.h>

/*
 * Parses "none", or faults joined by '+':
 *
 *     RANK:leave@TIME[,detect_s=S]
 *     RANK:leave@FROM-TO[,detect_s=S][,copy=old|fresh][,fetch=TIMES]
 *     RANKS:fail@mtbf_s=S[,detect_s=S][,restart_s=S][,copy=old|fresh][,fetch=TIMES], RANKS: all,
 *     RANK, RANK-RANK
 *     server:stall@FROM-TO
 *     END-END:drop@FROM-TO, each end a rank or `server`
 *
 * They are sorted by when they begin, and a drop's ends by rank, the server last. faults_check()
 * says whether such a run can have them. *fault[*n] is the caller's to free. Returns 0 or error().
 */
int faults_parse(const char *text, struct fault **fault, size_t *n);

/* The one text of fault[n], which parses to the same; "none" where n is 0. The caller frees. */
char *faults_format(const struct fault *fault, size_t n);

/* ---- the setting `recovery`: what a job does when a worker fails ---- */

/*
 * Parses "continue", where *r is zeros, or "restart:interval_s=S[,cost_s=S]". Returns 0 or error().
 */
int restart_parse(const char *text, struct restart *r);

/* The one text of it, which parses to the same. The caller frees. */
char *restart_format(const struct restart *r);

#endif

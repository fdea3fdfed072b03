/*
 * late.h - processes that are not heard, that have died, and all that wait for ever.
 */
#ifndef MPI_LATE_H
#define MPI_LATE_H

#include "mpi/state.h"

/* ---- late.c ---- */

void late_open(struct real *r);
void late_close(struct real *r);
void late_begin(struct real *r);                /* the clock runs */
int late_state(const struct real *r);           /* what our nodes are at: enum state */
void late_hear(struct real *r, const struct header *h); /* a process reports */

/* Names who is late; die() when somebody hangs. To be called every round. */
void late_watch(struct real *r);

/* ---- gone.c ---- */

void gone_open(struct real *r);
void gone_close(struct real *r);

/* Once the run has been asked to end, every round: has it marked, for its end may not come. */
void gone_watch(struct real *r);

/* Has the result marked as it is, for the run is about to be cut short. */
void gone_cut(const struct real *r, const char *why);

/* ---- stall.c ---- */

void stall_open(struct real *r);
void stall_close(struct real *r);

/* Process 0: a process reports; all pause when nobody seems to have anything to wait for. */
void stall_hear(struct real *r, const struct header *h);

/* Collective, while nothing is under way: ends the run when nothing is left to happen. */
void stall_judge(struct real *r);

#endif

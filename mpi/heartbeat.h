/* Processes without a heartbeat or dead, and runs that have stalled. */
#ifndef MPI_HEARTBEAT_H
#define MPI_HEARTBEAT_H

#include "mpi/state.h"

/* ---- heartbeat.c ---- */

void heartbeat_open(struct real *r);
void heartbeat_close(struct real *r);
void heartbeat_begin(struct real *r);                /* the clock runs */
int heartbeat_state(const struct real *r);           /* what our nodes are at: enum state */
void heartbeat_receive(struct real *r, const struct header *h); /* a process reports */

/* Names processes without a heartbeat; real_fail() when one hangs. Called every round. */
void heartbeat_watch(struct real *r);

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

/* Process 0: a process reports; all pause when no process seems to have anything to wait for. */
void stall_receive(struct real *r, const struct header *h);

/* Collective, while nothing is under way: ends the run when nothing is left to happen. */
void stall_judge(struct real *r);

#endif

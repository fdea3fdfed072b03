/* What all processes stop for, with nothing under way. */
#ifndef MPI_CHECKPOINT_PAUSE_H
#define MPI_CHECKPOINT_PAUSE_H

#include "mpi/state.h"

/*
 * The budget is spent, as `why` says, after so many gradients: ends the run at `time`, or after a
 * checkpoint where one is to be kept.
 */
void pause_at_budget(struct real *r, enum pause why, int64_t gradients, double time);

/* A gradient came that the budget leaves out. */
void pause_over_budget(struct real *r, double now);

/* A process wants the run to end: after a checkpoint, if it has any. */
void pause_to_interrupt(struct real *r);

void pause_receive(struct real *r, const struct header *h);

/* Collective, when nothing is under way: does what the pause is for. */
void pause_all(struct real *r);

#endif

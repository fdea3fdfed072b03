/* Group sums, shared by the files of the engine. */
#ifndef MPI_SUM_SUM_H
#define MPI_SUM_SUM_H

#include "mpi/state.h"

/* ---- sum.c ---- */

void real_sum(struct real *r, struct node *nd, float *v, size_t n, bool codes);

/* Computed and counted: the sum that node_grad_sum() asked for, which takes the task. */
void real_sum_task(struct real *r, struct node *nd, struct task *t);

/* Begins to add those parts of the node's gradient in flight that are final. */
void real_sum_parts(struct real *r, struct node *nd);

/* The sum is there: the next one may be asked for. */
void real_sum_close(struct real *r, struct real_node *sn);

/* Floats of a piece of a sum of n. */
size_t real_piece(const struct real *r, size_t n);

/* True once the node's sum is there, though it may be in codes. */
bool real_sum_done(struct real *r, struct node *nd);

/* After the last message: takes part in a sum that only some of the group have asked for. */
void real_sum_settle(struct real *r);

/* ---- buckets.c ---- */

/* For a new gradient of n floats: none is ready. */
void buckets_open(struct real *r, struct buckets *b, size_t n);

/* ---- ring.c ---- */

/* Begins to add sn->v over the workers; sn->side can hold a piece. */
void ring_begin(struct real *r, struct real_node *sn);

/* Goes on; true once the sum is there. */
bool ring_done(struct real *r, struct real_node *sn);

#endif

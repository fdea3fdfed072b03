/* All-reduces, shared by the files of the engine. */
#ifndef MPI_ALLREDUCE_REAL_ALLREDUCE_H
#define MPI_ALLREDUCE_REAL_ALLREDUCE_H

#include "mpi/state.h"

/* ---- real_allreduce.c ---- */

void real_allreduce(struct real *r, struct node *nd, float *v, size_t n, bool codes);

/* Computed and counted: for the all-reduce of node_grad_allreduce(), which takes the task. */
void real_allreduce_task(struct real *r, struct node *nd, struct task *t);

/* Begins to add those parts of the node's gradient in flight that are final. */
void real_allreduce_parts(struct real *r, struct node *nd);

/* The all-reduce is done: the next one may be asked for. */
void real_allreduce_close(struct real *r, struct real_node *sn);

/* Floats of a piece of an all-reduce of n. */
size_t real_piece(const struct real *r, size_t n);

/* True once the node's all-reduce is done, though its result may be in codes. */
bool real_allreduce_done(struct real *r, struct node *nd);

/* After the last message: takes part in an all-reduce that only some of the group asked for. */
void real_allreduce_settle(struct real *r);

/* ---- buckets.c ---- */

/* For a new gradient of n floats: none is ready. */
void buckets_open(struct real *r, struct buckets *b, size_t n);

/* ---- ring.c ---- */

/* Begins to add sn->v over the workers; sn->side can hold a piece. */
void ring_begin(struct real *r, struct real_node *sn);

/* Goes on; true once the all-reduce is done. */
bool ring_done(struct real *r, struct real_node *sn);

#endif

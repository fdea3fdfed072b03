/* All-reduces of packed gradients, and what checkpoints keep of all-reduces of either kind. */
#ifndef MPI_ALLREDUCE_CODES_H
#define MPI_ALLREDUCE_CODES_H

#include "mpi/state.h"

void codes_open(struct real *r, struct real_node *sn);  /* memory for those of all */

/* Our own part of an all-reduce of codes, [codec_bytes]. */
void *codes_own(const struct real *r, const struct real_node *sn);

/* Begins to gather those of all; request[0] is done when they are there. */
void codes_begin(struct real *r, struct real_node *sn);

/* Bytes of the node's own part of its all-reduce. */
size_t real_allreduce_bytes(const struct real *r, const struct real_node *sn);

/* Makes sn->v the sum that is there, where it is in codes. */
void real_allreduce_decode(const struct real *r, const struct real_node *sn);

/* ---- real_allreduce.c ---- */

/* As real_allreduce(), of a checkpoint: of the part that is next in it. */
void real_allreduce_again(struct real *r, struct checked *s, struct node *nd, float *v, size_t n,
		    bool coded);

/* What a checkpoint needs of an all-reduce asked for: our part of it. */
const void *real_allreduce_own(const struct real *r, const struct real_node *sn);

#endif

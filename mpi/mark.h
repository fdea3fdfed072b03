/* Models on their way to an evaluation. */
#ifndef MPI_MARK_H
#define MPI_MARK_H

#include "mpi/state.h"

/* True when the last of so many gradients ends one of the spans of `every` epochs; 0: never. */
bool real_ends_span(const struct run *run, int64_t gradients, double every);

void marks_open(struct real *r);
void marks_close(struct real *r);

/* When this gradient is the last before a mark: notes that, directly after the gradient. */
void mark_note(struct real *r, int64_t gradients, double time);

/* The same, when it has been handled: tells all processes. */
void mark_if_due(struct real *r, int64_t gradients);

/* The same of a run that goes on after so many gradients, where it has no such mark. */
void marks_go_on(struct real *r, int64_t gradients);
void mark_send(struct real *r, const struct message *l); /* our model, to process 0 */
void mark_receive(struct real *r, const struct message *l); /* process 0: a model */

/* Process 0: the stored models, into a checkpoint and back. */
void marks_put(const struct real *r, struct checked *s);
void marks_get(struct real *r, struct checked *s);

/* Gathers models and ledgers; shows the last events, and every mark's model. */
void marks_end(struct real *r, struct run_result *result);

#endif

/*
 * remote.h - a pool's jobs, computed by other processes too.
 *
 * A job is data, and its result does not depend on who computes it; so the simulator on process 0
 * does not know of the others, which know nothing of the simulation.
 */
#ifndef MPI_REMOTE_REMOTE_H
#define MPI_REMOTE_REMOTE_H

#include "core/pool/pool.h"

struct remote;

/* Whether this MPI lets another thread than the first speak to other processes. */
bool remote_possible(void);

/*
 * On process 0: jobs for which its pool has no thread are sent to the other processes, by a
 * thread of its own, until remote_close(); process 0 makes no other use of MPI meanwhile. NULL
 * after error(), and the others are let go. remote_possible() must be true.
 */
struct remote *remote_open(struct pool *p);

/* Once no process waits for a job: lets the other processes go. */
void remote_close(struct remote *r);

/*
 * On the others, called as process 0 calls remote_open(): computes what comes, until it closes. 0;
 * -1 after error() and real_leave(): a job failed.
 */
int remote_serve(struct pool *p);

#endif

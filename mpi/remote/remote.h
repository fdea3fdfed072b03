/*
 * remote.h - lets other processes compute a pool's jobs.
 *
 * A job is data, and its result does not depend on the process that computes it. So the simulator
 * on process 0 need not know of the other processes, nor they of the simulation.
 */
#ifndef MPI_REMOTE_REMOTE_H
#define MPI_REMOTE_REMOTE_H

#include "core/pool/pool.h"

struct remote;

/* True if this MPI allows other threads than the first to communicate. */
bool remote_possible(void);

/*
 * On process 0: a thread of its own sends jobs for which the pool has no thread to the other
 * processes, until remote_close(); process 0 must not use MPI in any other way meanwhile. NULL
 * after error(): then remote_serve() returns on the others. remote_possible() must be true.
 */
struct remote *remote_open(struct pool *p);

/* Ends remote_serve() on the other processes. Call it when no job is waited for. */
void remote_close(struct remote *r);

/*
 * On the other processes, while process 0 calls remote_open(): computes jobs until remote_close().
 * 0; -1 after error() and real_leave(), when a job failed.
 */
int remote_serve(struct pool *p);

#endif

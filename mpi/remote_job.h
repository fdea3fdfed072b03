/*
 * remote_job.h - what travels between process 0 and those that compute. Private to remote*.c.
 *
 * Process 0 sends an order, x, and the statistics where a score needs them; the answer is the
 * gradient or the statistics, and the numbers. As many jobs are under way to a process as it has
 * threads, and one, so that the next is there when one ends; each place among them has its own tag.
 */
#ifndef MPI_REMOTE_JOB_H
#define MPI_REMOTE_JOB_H

#include "core/pool.h"

#include <mpi.h>

enum { NO_JOB = -1 };           /* an order: there will be no more */
enum { REMOTE_MOST = 3 };       /* messages one way */

struct order {
	int kind;               /* enum job_kind, or NO_JOB */
	int rank, split;
	int64_t index, first;
	uint64_t n;
};

struct answer {
	double loss;
	struct score score;
};

struct transfer {               /* messages under way, all that a place waits for */
	MPI_Request request[REMOTE_MOST];
	int n;
};

/* Messages of `count` things each way, with process `peer` at that place. */
void transfer_send(struct transfer *t, const void *v, size_t count, MPI_Datatype type, int peer,
		   int place);
void transfer_receive(struct transfer *t, void *v, size_t count, MPI_Datatype type, int peer,
		      int place);

/* True once all are over. */
bool transfer_over(struct transfer *t);

/* Floats of a job's result. */
size_t remote_floats(const struct problem *p, enum job_kind kind);

/* Places of a process with so many threads. */
int remote_places(int threads);

/* Everybody's threads: [processes], freed by the caller. Opens the communicator, at first use. */
int *remote_meet(const struct pool *p);

/* Frees what remote_meet() opened. */
void remote_part(void);

/* How long to look away when nothing has happened for `since` seconds: so that little is missed. */
double remote_pause(double since);

#endif

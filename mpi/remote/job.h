/*
 * job.h - what is sent between process 0 and those that compute. Private to this folder.
 *
 * Process 0 sends an order, x, and the statistics where a score needs them, or what a stage of a
 * gradient is given, or the memory of its streams; the answer is the gradient or the statistics,
 * what a stage gives or the memory that is left, and the numbers. As many jobs are under way to a
 * process as it has threads, and one, so that the next is there when one ends; each slot among them
 * has its own tag. The first slot is for models: the x of jobs that share one (job.model) is sent
 * once, before them, and kept until the next, when none of its jobs is left.
 */
#ifndef MPI_REMOTE_JOB_H
#define MPI_REMOTE_JOB_H

#include "core/pool/pool.h"
#include "mpi/library.h"

enum { NO_JOB = -1, KEEP_MODEL = -2 };  /* orders: there will be no more; only x, for later */
enum { MODEL_SLOT = 0 };        /* number of the slot for models */
enum { REMOTE_MOST = 3 };       /* messages one way */

struct order {
	int kind;               /* enum job_kind, NO_JOB, or KEEP_MODEL */
	int rank, split;
	int kept;               /* x is the model that is kept, and does not follow */
	int64_t index, first;
	uint64_t n;
	int stage;              /* GRAD: enum grad_stage; WHOLE: all of it */
	int rows;               /* GRAD: tokens in the memory of its streams */
};

struct answer {
	double loss;
	struct score score;
};

struct transfer {               /* messages under way, all that a slot waits for */
	MPI_Request request[REMOTE_MOST];
	int n;
};

/* Messages of `count` things each way, with process `peer` at that slot. */
void transfer_send(struct transfer *t, const void *v, size_t count, MPI_Datatype type, int peer,
		   int slot);
void transfer_receive(struct transfer *t, void *v, size_t count, MPI_Datatype type, int peer,
		      int slot);

/* True once all are over. */
bool transfer_over(struct transfer *t);

/* Floats of the result of an order's job, and of what a stage is given and gives. */
size_t remote_floats(const struct problem *p, int kind);
size_t remote_stage_in(const struct pool *p, const struct order *o);
size_t remote_stage_out(const struct pool *p, const struct order *o);

/* Floats of the memory that a gradient is given, and that it leaves; of a net without one 0. */
size_t remote_memory_in(const struct pool *p, const struct order *o);
size_t remote_memory_out(const struct pool *p, const struct order *o);

/* Slots of a process with so many threads, that for models too. */
int remote_slots(int threads);

/* Threads of each process: [processes], freed by the caller. First opens the communicator. */
int *remote_open_comm(const struct pool *p);

/* Frees what remote_open_comm() opened. */
void remote_close_comm(void);

/* How long to sleep when nothing has happened for `since` seconds: so that little is missed. */
double remote_pause(double since);

#endif

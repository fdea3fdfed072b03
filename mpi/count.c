/* The gradients of all workers, counted by one-sided operations on process 0. */
#include "mpi/heartbeat.h"
#include "mpi/state.h"

void counter_open(struct real *r)
{
	struct counter *c = &r->counter;
	const MPI_Aint bytes = r->rank == 0 ? sizeof(*c->at) : 0;

	MPI_Win_allocate(bytes, sizeof(*c->at), MPI_INFO_NULL, r->waves, &c->at, &c->window);
	MPI_Win_lock_all(MPI_MODE_NOCHECK, c->window);
	if (r->rank == 0)
		*c->at = 0;
	MPI_Win_sync(c->window);
	MPI_Barrier(r->waves);
}

void counter_close(struct real *r)
{
	MPI_Win_unlock_all(r->counter.window);
	MPI_Win_free(&r->counter.window);
}

void counter_set(struct real *r, int64_t n)
{
	*r->counter.at = n;
	MPI_Win_sync(r->counter.window);
}

/* Some libraries need process 0 for the operation: it may hang, or have died. */
static void await_count(struct real *r, MPI_Request *request)
{
	int done = 0;

	for (int idle = 0;; idle++) {
		MPI_Test(request, &done, MPI_STATUS_IGNORE);
		if (done || r->failed)
			return;
		heartbeat_watch(r);
		if (r->run.interrupted && *r->run.interrupted)
			gone_watch(r);
		real_nap(idle);
	}
}

int64_t counter_next(struct real *r)
{
	static const int64_t one = 1;
	static int64_t before;          /* a run that has failed leaves while it is under way */
	MPI_Request request;

	MPI_Rget_accumulate(&one, 1, MPI_INT64_T, &before, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T,
			    MPI_SUM, r->counter.window, &request);
	await_count(r, &request);
	return before + 1;
}

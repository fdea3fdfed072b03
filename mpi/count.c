/*
 * count.c - the gradients of all workers, counted by one-sided operations on process 0.
 */
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

int64_t counter_next(struct real *r)
{
	const int64_t one = 1;
	int64_t before;

	MPI_Fetch_and_op(&one, &before, MPI_INT64_T, 0, 0, MPI_SUM, r->counter.window);
	MPI_Win_flush(0, r->counter.window);
	return before + 1;
}

/* Transfers between process 0 and the processes that compute its jobs. */
#include "mpi/remote/job.h"

#include "core/base/mem.h"
#include "mpi/real.h"

#include <math.h>

static MPI_Comm comm = MPI_COMM_NULL;

/* Seconds; a sleep is this share of the time already waited. */
static const double pause_least = 20e-6, pause_most = 1e-3, pause_share = 1.0 / 16;

double remote_pause(double since)
{
	return fmin(fmax(pause_share * since, pause_least), pause_most);
}

void transfer_send(struct transfer *t, const void *v, size_t count, MPI_Datatype type, int peer,
		   int slot)
{
	if (count)
		MPI_Isend(v, (int)count, type, peer, slot, comm, &t->request[t->n++]);
}

void transfer_receive(struct transfer *t, void *v, size_t count, MPI_Datatype type, int peer,
		      int slot)
{
	if (count)
		MPI_Irecv(v, (int)count, type, peer, slot, comm, &t->request[t->n++]);
}

bool transfer_over(struct transfer *t)
{
	int over;

	MPI_Testall(t->n, t->request, &over, MPI_STATUSES_IGNORE);
	if (over)
		t->n = 0;
	return over;
}

size_t remote_floats(const struct problem *p, int kind)
{
	switch (kind) {
	case JOB_GRAD:
		return p->dim;
	case JOB_STATS:
		return p->stats_dim;
	default:
		return 0;
	}
}

static size_t remote_at_cut(const struct pool *p, const struct order *o)
{
	return sampler_size(&p->sampler, o->rank) * p->problem->cut.width;
}

size_t remote_stage_in(const struct pool *p, const struct order *o)
{
	return o->stage == STAGE_HEAD || o->stage == STAGE_BACKWARD ? remote_at_cut(p, o) : 0;
}

size_t remote_stage_out(const struct pool *p, const struct order *o)
{
	return o->stage == STAGE_HEAD || o->stage == STAGE_FORWARD ? remote_at_cut(p, o) : 0;
}

static size_t remote_memory(const struct pool *p, const struct order *o)
{
	return o->kind == JOB_GRAD
		       ? sampler_size(&p->sampler, o->rank) * p->problem->carry.floats : 0;
}

size_t remote_memory_in(const struct pool *p, const struct order *o)
{
	return o->rows ? remote_memory(p, o) : 0;
}

size_t remote_memory_out(const struct pool *p, const struct order *o)
{
	return remote_memory(p, o);
}

int remote_slots(int threads)
{
	return threads + 2;
}

int *remote_open_comm(const struct pool *p)
{
	int *threads = xcalloc((size_t)real_size(), sizeof(*threads));

	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Allgather(&p->width, 1, MPI_INT, threads, 1, MPI_INT, comm);
	return threads;
}

void remote_close_comm(void)
{
	MPI_Comm_free(&comm);
}

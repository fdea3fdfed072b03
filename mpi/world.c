/* Opens and closes the nodes, communicators and buffers of a run on real ranks. */
#include "mpi/state.h"

#include "core/base/error.h"
#include "core/codec.h"
#include "mpi/checkpoint/checkpoint.h"
#include "mpi/heartbeat.h"
#include "mpi/mark.h"
#include "mpi/window.h"

#include <math.h>
#include <stdlib.h>

int real_processes(const struct real_conf *conf, const struct algo *algo, int workers)
{
	return workers + (algo->server && !conf->shared);
}

int real_index(const struct real *r, int rank)
{
	if (rank != SERVER)
		return rank;
	return r->conf->shared ? 0 : r->run.workers;
}

struct node *real_find(struct real *r, int rank)
{
	for (int i = 0; i < r->n; i++)
		if (r->nodes[i].rank == rank)
			return &r->nodes[i];
	BUG("process %d does not host the node of rank %d", r->rank, rank);
}

static void mpi_world_open_node(struct real *r, int rank, const float *x)
{
	const bool shared = r->run.algo->shared != NULL;
	struct node *nd = &r->nodes[r->n];
	struct real_node *sn = &r->priv[r->n++];

	sn->real = r;
	sn->idle_from = HUGE_VAL;
	*nd = node_new(&r->run, rank == SERVER ? r->run.workers : rank, &real_engine, sn);
	node_open(nd, shared ? window_model(r) : NULL, x);
	if (shared)
		nd->moved = hold_alloc(&r->hold, nd->dim, sizeof(*nd->moved));
}

static void open_nodes(struct real *r)
{
	const struct problem *p = r->run.pool->problem;
	float *x = vec_new(r->run.dim);

	p->ops->init(p, r->run.seed, x);
	window_open(r, x);
	if (codec_packs(&r->run))
		r->decoded = arena_alloc(&r->arena, r->run.dim, sizeof(float));
	if (r->rank < r->run.workers)
		mpi_world_open_node(r, r->rank, x);
	if (r->run.algo->server && real_index(r, SERVER) == r->rank)
		mpi_world_open_node(r, SERVER, x);
	free(x);
}

static void open_comms(struct real *r)
{
	MPI_Comm_dup(MPI_COMM_WORLD, &r->messages);
	MPI_Comm_dup(MPI_COMM_WORLD, &r->waves);
	MPI_Comm_split(MPI_COMM_WORLD, r->rank < r->run.workers ? 0 : MPI_UNDEFINED, r->rank,
		       &r->workers);
}

void real_open(struct real *r, const struct real_conf *conf, const struct run *run)
{
	*r = (struct real){
		.conf = conf, .user = run, .run = *run, .rank = real_rank(), .size = real_size(),
		.near = real_neighbours() == real_size(), .pause = -1, .generation = -1,
		.nnodes = run->workers + (run->algo->server != NULL),
	};
	r->budget = run_budget(run, &r->budget_end);
	hold_open(&r->hold, checkpoint_address(r));
	open_comms(r);
	open_nodes(r);
	counter_open(r);
	heartbeat_open(r);
	stall_open(r);
	gone_open(r);
	event_log_open(r);
	marks_open(r);
}

void real_close(struct real *r)
{
	marks_close(r);
	event_log_close(r);
	gone_close(r);
	stall_close(r);
	heartbeat_close(r);
	counter_close(r);
	window_close(r);
	post_close(r);
	MPI_Comm_free(&r->messages);
	MPI_Comm_free(&r->waves);
	if (r->workers != MPI_COMM_NULL)
		MPI_Comm_free(&r->workers);
	arena_release(&r->arena);
	hold_close(&r->hold);
}

/* A run from its beginning to its end. */
#include "mpi/state.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/codec.h"
#include "core/text/word.h"
#include "mpi/checkpoint/checkpoint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- opens and closes the nodes, communicators and buffers of a run on real ranks ---- */

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

static void real_open_node(struct real *r, int rank, const float *x)
{
	const bool shared = r->run.algo->shared != NULL;
	struct node *nd = &r->nodes[r->n];
	struct real_node *sn = &r->priv[r->n++];

	sn->real = r;
	sn->idle_from = HUGE_VAL;
	sn->passed = -1;
	*nd = node_new(&r->run, rank == SERVER ? r->run.workers : rank, &real_engine, sn);
	node_open(nd, shared ? window_model(r) : NULL, x);
	if (shared)
		nd->moved = hold_alloc(&r->hold, nd->dim, sizeof(*nd->moved));
}

static void real_open(struct real *r, const struct real_conf *conf, const struct run *run)
{
	float *x;

	*r = (struct real){
		.conf = conf, .user = run, .run = *run, .rank = real_rank(), .size = real_size(),
		.near = real_ranks_here() == real_size(), .pause = -1, .generation = -1,
		.nnodes = run->workers + (run->algo->server != NULL),
	};
	r->budget = run_budget(run, &r->budget_end);
	hold_open(&r->hold, checkpoint_address(r));
	MPI_Comm_dup(MPI_COMM_WORLD, &r->messages);
	MPI_Comm_dup(MPI_COMM_WORLD, &r->waves);
	MPI_Comm_split(MPI_COMM_WORLD, r->rank < r->run.workers ? 0 : MPI_UNDEFINED, r->rank,
		       &r->workers);
	x = vec_new(run->dim);
	run->pool->problem->ops->init(run->pool->problem, run->seed, x);
	window_open(r, x);
	if (codec_packs(&r->run))
		r->decoded = arena_alloc(&r->arena, r->run.dim, sizeof(float));
	if (r->rank < r->run.workers)
		real_open_node(r, r->rank, x);
	if (r->run.algo->server && real_index(r, SERVER) == r->rank)
		real_open_node(r, SERVER, x);
	free(x);
	counter_open(r);
	heartbeat_open(r);
	stall_open(r);
	gone_open(r);
	event_log_open(r);
	marks_open(r);
}

static void real_close(struct real *r)
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

void real_fail(struct real *r)
{
	if (!r->failed && !r->rank)
		gone_cut(r, NULL);
	r->failed = true;
	real_leave();
}

/* Runs to the end of the budget, and until nothing is in flight. */
static void real_run_rounds(struct real *r)
{
	for (;;) {
		for (int idle = 0; !r->stopping && r->pause < 0 && !r->failed; idle++) {
			if (real_round(r))
				idle = 0;
			else
				real_idle(r, idle);
		}
		settle(r);
		if (r->stopping || r->failed)
			return;
		pause_all(r);
	}
}

/* Time at which the last process of this machine was ready. */
static double all_ready(struct real *r)
{
	MPI_Comm here;
	double began;

	MPI_Comm_split_type(r->waves, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
	MPI_Barrier(r->waves);
	began = clock_s();
	MPI_Allreduce(MPI_IN_PLACE, &began, 1, MPI_DOUBLE, MPI_MAX, here);
	MPI_Comm_free(&here);
	return began;
}

/*
 * Resumes from a checkpoint at the end of a shorter run, which evaluated its last model then: here
 * that is a mark during the run, if one is due. A checkpoint at this run's own end ends it.
 */
static void real_resume(struct real *r)
{
	if (r->budget && r->generation >= r->budget) {
		real_stop_here(r, r->budget_end, real_now(r));
		r->kept = r->conf->checkpoint.keep > 0;
		return;
	}
	r->pause = r->generation;
	marks_go_on(r, r->generation);
	settle(r);
	r->pause = -1;
}

/* Starts the nodes, or resumes them from the checkpoint. */
static int real_start_or_resume(struct real *r)
{
	int ret = 0;

	r->began = all_ready(r);
	if (r->conf->checkpoint.from)
		ret = checkpoint_read(r);
	heartbeat_begin(r);
	event_log_begin(r);
	if (!r->conf->checkpoint.from)
		real_start(r);
	else if (ret == 0)
		real_resume(r);
	return ret;
}

static int real_run_check(const struct real_conf *c, const struct run *run)
{
	const int need = real_processes(c, run->algo, run->workers);

	if (!run->pool)
		return error("real ranks compute real gradients: a run without them is simulated");
	if (run->algo->shared && !window_possible())
		return error("%s: its workers share one memory, and these ranks are on several "
			     "machines", run->algo->plugin.name);
	if (run->algo->shared && c->checkpoint.path)
		return error("%s: a checkpoint holds what ranks keep for themselves, not the "
			     "memory that they share", run->algo->plugin.name);
	if (need != real_size())
		return error("%s with %d worker%s needs %d rank%s (there are %d)",
			     run->algo->plugin.name, run->workers, word_plural(run->workers), need,
			     word_plural(need), real_size());
	return pace_check(&c->pace, run->workers) < 0 ? -1 : run_check(run);
}

/* Runs until nothing is in flight, and the hooks have seen all events. */
static void real_run_whole(struct real *r, struct run_result *result)
{
	double pumped;

	real_running(true);
	real_run_rounds(r);
	pumped = real_now(r);
	drain(r);
	if (r->failed)
		return;
	real_running(false);
	marks_end(r, result);
	/* Adds this process's seconds to the sums over all processes. */
	result->end = r->end;
	result->time = r->stop_time;
	result->epochs = run_epochs(&r->run, result->gradients);
	result->events = r->events;
	result->kept = r->kept;
	result->loop_s = pumped - r->handler_s;
	result->handler_s = r->handler_s;
	result->data_s = pool_data_s(r->run.pool);
	memcpy(result->waits, r->waits, sizeof(r->waits));
	if (pool_failed(r->run.pool))
		real_fail(r);
	if (r->end != END_INTERRUPTED && r->end != END_STALLED && !r->kept && !r->failed)
		checkpoint_drop(r);
}

/* Buffers of messages in flight are not freed if this process has failed: it is about to end. */
int real_run(const struct real_conf *conf, const struct run *run, struct run_result *result)
{
	struct real *r;
	bool failed;

	if (real_run_check(conf, run) < 0)
		return -1;
	*result = (struct run_result){ 0 };
	r = xcalloc(1, sizeof(*r));
	real_open(r, conf, run);
	failed = real_start_or_resume(r) < 0;
	if (!failed && !r->failed)
		real_run_whole(r, result);
	if (r->failed)
		return -1;
	real_close(r);
	free(r);
	return failed ? -1 : 0;
}

/*
 * wait.c - what a process does while nothing happens: at first it only looks again, then it
 * sleeps, so that there may be more ranks than cores.
 */
#include "mpi/state.h"

#include "core/base/clock.h"
#include "mpi/allreduce/allreduce.h"

#include <math.h>
#include <sched.h>

enum {
	SPINS = 50,             /* rounds before a process sleeps ... */
	ALLREDUCE_SPINS = 1000  /* ... in an all-reduce in memory: a nap is one of all ranks' */
};
static const double nap_least = 20e-6, nap_most = 200e-6, nap_alone = 20e-3;

bool real_grad_due(struct real *r, const struct node *nd, double wait)
{
	struct real_node *sn = real_node(nd);
	double base = r->conf->compute_s;

	if (!sn->task)
		return false;
	if (!sn->ready && pool_wait_for(r->run.pool, &sn->task->job, wait)) {
		const double took = real_now(r) - sn->begun;

		base *= node_stage_weight(nd);
		sn->ready = true;
		sn->due = sn->begun + (base > 0.0 ? base : took) * sn->factor;
	}
	return sn->ready && real_now(r) >= sn->due;
}

/* Where no other process can send, the gradient itself is what ends the wait for it. */
static double wait_longest(const struct real *r, const struct real_node *sn)
{
	return r->size == 1 && !sn->timers ? nap_alone : nap_most;
}

void real_idle(struct real *r, int idle)
{
	struct real_node *sn = &r->priv[0];
	const bool computing = sn->task && !sn->ready;
	const bool allreducing = r->near && sn->allreducing && !computing;
	const int spins = allreducing ? ALLREDUCE_SPINS : SPINS;
	const double most = computing ? wait_longest(r, sn) : nap_most;
	const double wait = fmin(ldexp(nap_least, idle - spins), most);

	if (allreducing && idle < ALLREDUCE_POLLS)
		return;
	if (idle <= spins)
		sched_yield();
	else if (computing)
		real_grad_due(r, &r->nodes[0], wait);
	else
		clock_sleep(wait);
}

void real_nap(int idle)
{
	if (idle <= SPINS)
		sched_yield();
	else
		clock_sleep(fmin(ldexp(nap_least, idle - SPINS), nap_most));
}

void real_await(struct real *r, MPI_Request *request)
{
	int done = 0;

	for (int idle = 0; !done && !r->failed; idle++) {
		if (real_round(r))
			idle = 0;
		if (!r->failed)
			MPI_Test(request, &done, MPI_STATUS_IGNORE);
		if (!done && !r->failed)
			real_idle(r, idle);
	}
}

/*
 * wait.c - what a process does while nothing happens: at first it only looks again, then it
 * sleeps, so that there may be more ranks than cores.
 */
#include "mpi/state.h"

#include <math.h>
#include <sched.h>
#include <time.h>

enum { SPINS = 50 };            /* rounds before a process sleeps */
static const double nap_least = 20e-6, nap_most = 200e-6;

static void nap(double seconds)
{
	nanosleep(&(struct timespec){ .tv_nsec = (long)(seconds * 1e9) }, NULL);
}

void real_idle(struct real *r, int idle)
{
	const double wait = fmin(nap_least * (idle - SPINS), nap_most);
	struct real_node *sn = &r->priv[0];

	if (wait <= 0.0)
		sched_yield();
	else if (!sn->task || sn->ready)
		nap(wait);
	else
		real_grad_due(r, sn, wait);
}

void real_await(struct real *r, MPI_Request *request)
{
	int done = 0;

	for (int idle = 0; !done; idle++) {
		if (real_round(r))
			idle = 0;
		MPI_Test(request, &done, MPI_STATUS_IGNORE);
		if (!done)
			real_idle(r, idle);
	}
}

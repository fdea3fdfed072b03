/*
 * window.c - a model in memory that all processes of one machine share.
 *
 * Only a process's main thread touches it, by shared_read() and shared_add(): relaxed atomics,
 * which need no locks between processes either. Gradients are computed at private snapshots. So
 * there is no data race; the machine decides when a process sees which part of another worker's
 * step.
 */

#include "core/base/error.h"
#include "core/math/vec.h"
#include "mpi/state.h"

#include <stdlib.h>
#include <string.h>

/* Factor of a window's bytes that Open MPI wants to be free, and bytes of its own in the file. */
static const double window_share = 1.05, window_own = 1 << 16;

struct real_common {
	_Atomic int64_t steps;
	char padding[64 - sizeof(int64_t)];     /* the model begins on another cache line */
	float x[];
};

struct window {
	MPI_Win window;
	struct real_common *at;
};

bool window_possible(void)
{
	MPI_Comm here;
	int size;

	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
	MPI_Comm_size(here, &size);
	MPI_Comm_free(&here);
	return real_agree(size < real_size()) == 0;
}

/*
 * Process 0 allocates the model, and writes all of it: if the folder were full, that would be a bus
 * error.
 */
static void window_check_space(const struct real *r, MPI_Aint bytes)
{
	const char *folder;
	const double left = mem_shared_left(&folder);
	const double need = window_share * ((double)bytes + window_own);

	if (r->rank == 0 && need > left)
		die("%s: its workers share a model of %.1f MB in %s, which has %.1f MB left "
		    "(expected %.1f MB). " MEM_SHARED_ADVICE, r->run.algo->plugin.name,
		    (double)bytes * 1e-6, folder, left * 1e-6, need * 1e-6);
}

void window_open(struct real *r, const float *x)
{
	struct window *w;
	MPI_Aint bytes = (MPI_Aint)(sizeof(struct real_common) + r->run.dim * sizeof(*x));
	int unit;

	if (!r->run.algo->shared)
		return;
	window_check_space(r, bytes);
	w = r->window = xcalloc(1, sizeof(*w));
	MPI_Win_allocate_shared(r->rank ? 0 : bytes, 1, MPI_INFO_NULL, r->waves, &w->at,
				&w->window);
	MPI_Win_shared_query(w->window, 0, &bytes, &unit, &w->at);
	MPI_Win_lock_all(MPI_MODE_NOCHECK, w->window);
	if (r->rank == 0) {
		w->at->steps = 0;
		memcpy(w->at->x, x, r->run.dim * sizeof(*x));
	}
	MPI_Win_sync(w->window);
	MPI_Barrier(r->waves);
	MPI_Win_sync(w->window);
}

void window_close(struct real *r)
{
	if (!r->window)
		return;
	MPI_Win_unlock_all(r->window->window);
	MPI_Win_free(&r->window->window);
	free(r->window);
}

float *window_model(const struct real *r)
{
	return r->window->at->x;
}

void window_clock(const struct real *r, struct node *nd)
{
	if (r->window)
		nd->step = atomic_load_explicit(&r->window->at->steps, memory_order_relaxed);
}

void window_add(struct real *r, struct node *nd)
{
	atomic_fetch_add_explicit(&r->window->at->steps, 1, memory_order_relaxed);
	shared_add(nd->dim, nd->seen, nd->moved, nd->x);
}

/* ---- the gradients of all workers, counted by one-sided operations on process 0 ---- */

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

/* Waits for the count. Some libraries need process 0 for it, which may hang or be dead. */
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
		real_sleep(idle);
	}
}

int64_t counter_next(struct real *r)
{
	static const int64_t one = 1;
	static int64_t before;          /* a failed run leaves while the operation is in flight */
	MPI_Request request;

	MPI_Rget_accumulate(&one, 1, MPI_INT64_T, &before, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T,
			    MPI_SUM, r->counter.window, &request);
	await_count(r, &request);
	return before + 1;
}

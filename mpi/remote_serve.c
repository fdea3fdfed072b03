/*
 * remote_serve.c - the processes that compute for process 0.
 */
#include "mpi/remote.h"

#include "core/clock.h"
#include "core/mem.h"
#include "mpi/real.h"
#include "mpi/remote_job.h"

#include <sched.h>
#include <stdlib.h>

enum stage { LISTENING, FETCHING, COMPUTING, ANSWERING, CLOSED };

struct place {
	int number;
	enum stage stage;
	struct transfer transfer;
	struct order order;
	struct answer answer;
	struct job job;
	float *x, *stats, *out; /* [dim], [stats_dim], what is longer of both */
};

static void await_order(struct place *at)
{
	transfer_receive(&at->transfer, &at->order, sizeof(at->order), MPI_BYTE, 0, at->number);
	at->stage = LISTENING;
}

static void fetch(const struct problem *p, struct place *at)
{
	const struct order *o = &at->order;

	if (o->kind == NO_JOB) {
		at->stage = CLOSED;
		return;
	}
	at->job = (struct job){ .kind = (enum job_kind)o->kind, .x = at->x, .rank = o->rank,
				.index = o->index, .stats = at->stats,
				.split = (enum split)o->split, .first = o->first, .n = o->n,
				.out = at->out };
	transfer_receive(&at->transfer, at->x, p->dim, MPI_FLOAT, 0, at->number);
	if (at->job.kind == JOB_SCORE)
		transfer_receive(&at->transfer, at->stats, p->stats_dim, MPI_FLOAT, 0, at->number);
	at->stage = FETCHING;
}

static void answer(const struct problem *p, struct place *at)
{
	const size_t n = remote_floats(p, at->job.kind);

	at->answer = (struct answer){ at->job.loss, at->job.score };
	transfer_send(&at->transfer, at->out, n, MPI_FLOAT, 0, at->number);
	transfer_send(&at->transfer, &at->answer, sizeof(at->answer), MPI_BYTE, 0, at->number);
	at->stage = ANSWERING;
}

/* What the place waits for has come. */
static bool ready(struct pool *p, struct place *at)
{
	if (at->stage == CLOSED)
		return false;
	return at->stage == COMPUTING ? pool_wait_for(p, &at->job, 0.0)
				      : transfer_over(&at->transfer);
}

static void advance(struct pool *p, struct place *at)
{
	switch (at->stage) {
	case LISTENING:
		fetch(p->problem, at);
		break;
	case FETCHING:
		pool_submit(p, &at->job);
		at->stage = COMPUTING;
		break;
	case COMPUTING:
		answer(p->problem, at);
		break;
	case ANSWERING:
		await_order(at);
		break;
	case CLOSED:
		break;
	}
}

static struct place *open_places(const struct problem *p, int n)
{
	struct place *places = xcalloc((size_t)n, sizeof(*places));

	for (int k = 0; k < n; k++) {
		struct place *at = &places[k];

		at->number = k;
		at->x = vec_new(p->dim);
		at->stats = vec_new(p->stats_dim);
		at->out = vec_new(p->dim > p->stats_dim ? p->dim : p->stats_dim);
		await_order(at);
	}
	return places;
}

static void free_places(struct place *places, int n)
{
	for (int k = 0; k < n; k++) {
		free(places[k].x);
		free(places[k].stats);
		free(places[k].out);
	}
	free(places);
}

/* All of them, until process 0 has closed the last. */
static void serve(struct pool *p, struct place *places, int n)
{
	double heard = clock_s();
	int closed = 0;

	while (closed < n) {
		const double now = clock_s(), pause = remote_pause(now - heard);
		const double before = heard;

		for (int k = 0; k < n; k++)
			while (ready(p, &places[k])) {
				heard = now;
				advance(p, &places[k]);
				closed += places[k].stage == CLOSED;
			}
		if (heard == before)
			clock_sleep(pause);
	}
}

void remote_serve(struct pool *p)
{
	const int n = remote_places(p->width);
	struct place *places;

	free(remote_meet(p));
	places = open_places(p->problem, n);
	serve(p, places, n);
	free_places(places, n);
	remote_part();
}

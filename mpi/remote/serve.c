/* The processes that compute for process 0. */
#include "mpi/remote/remote.h"

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "mpi/real.h"
#include "mpi/remote/job.h"

#include <sched.h>
#include <stdlib.h>

enum stage { LISTENING, FETCHING, COMPUTING, ANSWERING, CLOSED };

struct slot {
	int number;
	enum stage stage;
	struct transfer transfer;
	struct order order;
	struct answer answer;
	struct job job;
	float *x, *stats;       /* [dim], [stats_dim], where they come; NULL until they do */
	float *given, *gives;   /* of a stage, or of a memory, [largest batch x floats]; the same */
	struct stage_data stage_data;
	float *out;             /* [capacity] the result */
	size_t capacity;
};

struct server {
	struct pool *pool;
	float *kept;            /* [dim] the model of orders without one; NULL: none yet */
	int n;
	struct slot *slots;     /* [n] */
};

static void await_order(struct slot *at)
{
	transfer_receive(&at->transfer, &at->order, sizeof(at->order), MPI_BYTE, 0, at->number);
	at->stage = LISTENING;
}

/* *v, of n floats once it is needed. */
static float *remote_serve_needed(float **v, size_t n)
{
	if (!*v)
		*v = vec_new(n);
	return *v;
}

static float *serve_result_of(struct slot *at, size_t n)
{
	if (n > at->capacity) {
		free(at->out);
		at->out = vec_new(at->capacity = n);
	}
	return at->out;
}

/* Memory for what a gradient is given and gives besides itself, so many floats a sample. */
static void serve_open_stage(const struct pool *p, struct slot *at, size_t floats)
{
	const struct sampler *s = &p->sampler;
	const size_t most = slices_most(s->slice, s->workers, s->size) * floats;

	remote_serve_needed(&at->given, most);
	remote_serve_needed(&at->gives, most);
}

static void fetch_stage(const struct pool *p, struct slot *at)
{
	serve_open_stage(p, at, p->problem->cut.width);
	at->stage_data = (struct stage_data){ (enum grad_stage)at->order.stage,
					      at->given, at->gives };
	at->job.stage = &at->stage_data;
	transfer_receive(&at->transfer, at->given, remote_stage_in(p, &at->order), MPI_FLOAT, 0,
			 at->number);
}

static void fetch_memory(const struct pool *p, struct slot *at)
{
	serve_open_stage(p, at, p->problem->carry.floats);
	at->job.carried = (struct carried){ at->given, (size_t)at->order.rows, at->gives };
	transfer_receive(&at->transfer, at->given, remote_memory_in(p, &at->order), MPI_FLOAT, 0,
			 at->number);
}

static void fetch_job(const struct server *s, struct slot *at)
{
	const struct problem *p = s->pool->problem;
	const struct order *o = &at->order;
	float *x = o->kept ? s->kept : remote_serve_needed(&at->x, p->dim);

	at->job = (struct job){ .kind = (enum job_kind)o->kind, .x = x, .rank = o->rank,
				.index = o->index, .split = (enum split)o->split,
				.first = o->first, .n = o->n,
				.out = serve_result_of(at, remote_floats(p, o->kind)) };
	transfer_receive(&at->transfer, x, o->kept ? 0 : p->dim, MPI_FLOAT, 0, at->number);
	if (o->stage != STAGE_WHOLE)
		fetch_stage(s->pool, at);
	if (remote_memory_out(s->pool, o))
		fetch_memory(s->pool, at);
	if (at->job.kind != JOB_SCORE)
		return;
	at->job.stats = remote_serve_needed(&at->stats, p->stats_dim);
	transfer_receive(&at->transfer, at->stats, p->stats_dim, MPI_FLOAT, 0, at->number);
}

static void remote_serve_fetch(struct server *s, struct slot *at)
{
	const size_t dim = s->pool->problem->dim;

	at->stage = FETCHING;
	if (at->order.kind == NO_JOB)
		at->stage = CLOSED;
	else if (at->order.kind == KEEP_MODEL)
		transfer_receive(&at->transfer, remote_serve_needed(&s->kept, dim), dim, MPI_FLOAT,
				 0, at->number);
	else
		fetch_job(s, at);
}

static void remote_serve_answer(const struct pool *p, struct slot *at)
{
	const size_t n = remote_floats(p->problem, at->order.kind);

	at->answer = (struct answer){ at->job.loss, at->job.score };
	transfer_send(&at->transfer, at->out, n, MPI_FLOAT, 0, at->number);
	transfer_send(&at->transfer, at->gives,
		      remote_stage_out(p, &at->order) + remote_memory_out(p, &at->order),
		      MPI_FLOAT, 0, at->number);
	transfer_send(&at->transfer, &at->answer, sizeof(at->answer), MPI_BYTE, 0, at->number);
	at->stage = ANSWERING;
}

/* What the slot waits for has come. */
static bool remote_serve_ready(struct pool *p, struct slot *at)
{
	if (at->stage == CLOSED)
		return false;
	return at->stage == COMPUTING ? pool_wait_for(p, &at->job, 0.0)
				      : transfer_over(&at->transfer);
}

static void remote_serve_fetched(struct server *s, struct slot *at)
{
	if (at->order.kind == KEEP_MODEL) {
		remote_serve_answer(s->pool, at);
		return;
	}
	pool_submit(s->pool, &at->job);
	at->stage = COMPUTING;
}

static void remote_serve_advance(struct server *s, struct slot *at)
{
	switch (at->stage) {
	case LISTENING:
		remote_serve_fetch(s, at);
		break;
	case FETCHING:
		remote_serve_fetched(s, at);
		break;
	case COMPUTING:
		remote_serve_answer(s->pool, at);
		break;
	case ANSWERING:
		await_order(at);
		break;
	case CLOSED:
		break;
	}
}

static void open_slots(struct server *s)
{
	s->slots = xcalloc((size_t)s->n, sizeof(*s->slots));
	for (int k = 0; k < s->n; k++) {
		s->slots[k].number = k;
		await_order(&s->slots[k]);
	}
}

static void free_slots(struct server *s)
{
	for (int k = 0; k < s->n; k++) {
		free(s->slots[k].x);
		free(s->slots[k].stats);
		free(s->slots[k].given);
		free(s->slots[k].gives);
		free(s->slots[k].out);
	}
	free(s->slots);
	free(s->kept);
}

/* All slots, until process 0 has closed the last; or a job fails here, and no answer is given. */
static void serve(struct server *s)
{
	double received = clock_s();
	int closed = 0;

	while (closed < s->n && !pool_failed(s->pool)) {
		const double now = clock_s(), pause = remote_pause(now - received);
		const double before = received;

		for (int k = 0; k < s->n; k++)
			while (!pool_failed(s->pool) &&
			       remote_serve_ready(s->pool, &s->slots[k])) {
				received = now;
				remote_serve_advance(s, &s->slots[k]);
				closed += s->slots[k].stage == CLOSED;
			}
		if (received == before)
			clock_sleep(pause);
	}
}

/* After a failure orders may still come: what they are received in stays. */
int remote_serve(struct pool *p)
{
	struct server s = { .pool = p, .n = remote_slots(p->width) };

	free(remote_open_comm(p));
	open_slots(&s);
	serve(&s);
	if (pool_failed(p)) {
		real_leave();
		return -1;
	}
	free_slots(&s);
	remote_close_comm();
	return 0;
}

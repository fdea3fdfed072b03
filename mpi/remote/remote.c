/* A thread of process 0 that hands a pool's jobs to other processes and takes results. */
#include "mpi/remote/remote.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/math/vec.h"
#include "mpi/real.h"
#include "mpi/remote/job.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct slot {                   /* of another process, for a job or a model */
	int process, number;
	bool busy;
	struct job *job;        /* while busy, but for a model */
	struct order order;
	struct answer answer;
	struct transfer out, in;
};

struct remote {
	struct pool *pool;
	pthread_t thread;
	atomic_bool closing;
	double received;        /* when something happened last */
	float *x;               /* [dim] our copy of the model that the others keep */
	uint64_t model;         /* its number */
	size_t n;
	struct slot slot[];     /* [n] a first one of each process, then the second ones, ... */
};

static void send_order(struct slot *at, struct order order)
{
	at->busy = true;
	at->order = order;
	transfer_send(&at->out, &at->order, sizeof(at->order), MPI_BYTE, at->process, at->number);
}

static void await_answer(struct slot *at)
{
	transfer_receive(&at->in, &at->answer, sizeof(at->answer), MPI_BYTE, at->process,
			 at->number);
}

static void order_job(const struct pool *pool, struct slot *at, struct job *j)
{
	const struct problem *p = pool->problem;
	const struct stage_data none = { STAGE_WHOLE, NULL, NULL };
	const struct stage_data *s = j->stage ? j->stage : &none;
	const size_t stats = j->kind == JOB_SCORE ? p->stats_dim : 0;

	at->job = j;
	send_order(at, (struct order){ (int)j->kind, j->rank, (int)j->split, j->model != 0,
				       j->index, j->first, j->n, (int)s->stage,
				       (int)j->carried.rows });
	transfer_send(&at->out, j->x, j->model ? 0 : p->dim, MPI_FLOAT, at->process, at->number);
	transfer_send(&at->out, j->stats, stats, MPI_FLOAT, at->process, at->number);
	transfer_send(&at->out, s->in, remote_stage_in(pool, &at->order), MPI_FLOAT, at->process,
		      at->number);
	transfer_send(&at->out, j->carried.in, remote_memory_in(pool, &at->order), MPI_FLOAT,
		      at->process, at->number);
	transfer_receive(&at->in, j->out, remote_floats(p, at->order.kind), MPI_FLOAT,
			 at->process, at->number);
	transfer_receive(&at->in, s->out, remote_stage_out(pool, &at->order), MPI_FLOAT,
			 at->process, at->number);
	transfer_receive(&at->in, j->carried.out, remote_memory_out(pool, &at->order), MPI_FLOAT,
			 at->process, at->number);
	await_answer(at);
}

/* Where the slot's process is sent models. */
static struct slot *model_slot_of(struct remote *r, const struct slot *at)
{
	return &r->slot[at->process - 1];
}

/* Takes back what is over there. */
static void look_at(struct remote *r, struct slot *at)
{
	if (!at->busy || !transfer_over(&at->out) || !transfer_over(&at->in))
		return;
	at->busy = false;
	r->received = clock_s();
	if (!at->job)
		return;
	at->job->loss = at->answer.loss;
	at->job->score = at->answer.score;
	pool_done(r->pool, at->job);
	at->job = NULL;
}

/* Takes back what is over; a slot for a job, NULL where there is none. */
static struct slot *remote_look(struct remote *r, bool *busy)
{
	struct slot *idle = NULL;

	*busy = false;
	for (size_t i = r->n; i-- > 0;) {
		struct slot *at = &r->slot[i];

		look_at(r, at);
		*busy |= at->busy;
		if (at->number != MODEL_SLOT && !at->busy && !model_slot_of(r, at)->busy)
			idle = at;
	}
	return idle;
}

/*
 * Sends the job's model to all, once they have the one before. A process is given jobs when it
 * has its copy, and until then process 0 goes on alone, so that a slow network delays no job.
 */
static void send_model(struct remote *r, const struct job *j)
{
	const size_t dim = r->pool->problem->dim;

	for (struct slot *at = r->slot; at->number == MODEL_SLOT; at++)
		for (look_at(r, at); at->busy; look_at(r, at))
			clock_sleep(remote_pause(clock_s() - r->received));
	if (!r->x)
		r->x = vec_new(dim);
	vec_copy(dim, j->x, r->x);
	r->model = j->model;
	for (struct slot *at = r->slot; at->number == MODEL_SLOT; at++) {
		send_order(at, (struct order){ .kind = KEEP_MODEL });
		transfer_send(&at->out, r->x, dim, MPI_FLOAT, at->process, at->number);
		await_answer(at);
	}
}

static void close_slots(struct remote *r)
{
	for (size_t i = 0; i < r->n; i++)
		send_order(&r->slot[i], (struct order){ .kind = NO_JOB });
	for (size_t i = 0; i < r->n; i++)
		while (!transfer_over(&r->slot[i].out))
			clock_sleep(1e-4);
}

/* The job to that slot; or its model to all, and the job back, for its x may not live as long. */
static void hand_over(struct remote *r, struct slot *idle, struct job *j)
{
	if (!j->model || j->model == r->model) {
		order_job(r->pool, idle, j);
		return;
	}
	send_model(r, j);
	pool_return(r->pool, j);
}

/* Sends what no thread here has time for, and looks for what comes back. */
static void *exchange_main(void *arg)
{
	struct remote *r = arg;
	struct slot *idle;
	bool busy;

	while ((idle = remote_look(r, &busy)) == NULL || busy || !atomic_load(&r->closing)) {
		const double pause = remote_pause(clock_s() - r->received);
		struct job *j = idle ? pool_take(r->pool, pause) : NULL;

		if (j) {
			hand_over(r, idle, j);
			r->received = clock_s();
		} else if (!idle) {
			clock_sleep(pause);
		}
	}
	close_slots(r);
	return NULL;
}

static size_t remote_sum(const int *threads)
{
	size_t n = 0;

	for (int p = 1; p < real_size(); p++)
		n += (size_t)remote_slots(threads[p]);
	return n;
}

bool remote_possible(void)
{
	int level;

	MPI_Query_thread(&level);
	return level >= MPI_THREAD_SERIALIZED;
}

struct remote *remote_open(struct pool *p)
{
	int *threads = remote_open_comm(p);
	struct remote *r = xcalloc(1, sizeof(*r) + remote_sum(threads) * sizeof(r->slot[0]));

	r->pool = p;
	for (int number = 0; r->n < remote_sum(threads); number++)
		for (int k = 1; k < real_size(); k++)
			if (number < remote_slots(threads[k]))
				r->slot[r->n++] = (struct slot){ .process = k, .number = number };
	free(threads);
	if (pthread_create(&r->thread, NULL, exchange_main, r) == 0)
		return r;
	error("cannot start the thread that speaks to other ranks");
	close_slots(r);
	remote_close_comm();
	free(r);
	return NULL;
}

void remote_close(struct remote *r)
{
	atomic_store(&r->closing, true);
	pthread_join(r->thread, NULL);
	remote_close_comm();
	free(r->x);
	free(r);
}

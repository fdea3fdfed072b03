/*
 * remote.c - messages between process 0 and the processes that compute its jobs.
 *
 * Process 0 sends an order, x, and the job's input: statistics for a score, input of a stage,
 * memory of streams. The answer is the gradient or the statistics, output of a stage or memory, and
 * the numbers. Each process has as many jobs in flight as it has threads, plus one, so that the
 * next job is there when one ends; each of these slots has its own tag. The first slot is for
 * models: the x of jobs that share one (job.model) is sent once, before them, and kept until the
 * next model is sent, when none of its jobs is left.
 */
#include "mpi/remote/remote.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/base/thread.h"
#include "core/math/vec.h"
#include "core/pool/pool.h"
#include "mpi/library.h"
#include "mpi/real.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { NO_JOB = -1, KEEP_MODEL = -2 };  /* orders: no more jobs; only x, for later jobs */
enum { MODEL_SLOT = 0 };        /* number of the slot for models */
enum { REMOTE_MOST = 3 };       /* MPI messages in one direction */

struct remote_order {
	int kind;               /* enum job_kind, NO_JOB, or KEEP_MODEL */
	int rank, split;
	int kept;               /* x is the model that the process keeps, and is not sent */
	int64_t index, first;
	uint64_t n;
	int stage;              /* GRAD: enum grad_stage; WHOLE: all of it */
	int rows;               /* GRAD: tokens in the memory of its streams */
};

struct remote_answer {
	double loss;
	struct score score;
};

struct transfer {               /* MPI messages in flight that a slot waits for */
	MPI_Request request[REMOTE_MOST];
	int n;
};

/* ---- transfers between process 0 and the processes that compute its jobs ---- */

static MPI_Comm comm = MPI_COMM_NULL;

/* Seconds; a sleep takes this share of the time already waited. */
static const double pause_least = 20e-6, pause_most = 1e-3, pause_share = 1.0 / 16;

/* Seconds to sleep when nothing has happened for `since` seconds: a fraction of that. */
static double remote_pause(double since)
{
	return fmin(fmax(pause_share * since, pause_least), pause_most);
}

/* Begin messages of `count` elements in either direction, with process `peer`, for that slot. */
static void transfer_send(struct transfer *t, const void *v, size_t count, MPI_Datatype type,
			  int peer, int slot)
{
	if (count)
		MPI_Isend(v, (int)count, type, peer, slot, comm, &t->request[t->n++]);
}

static void transfer_receive(struct transfer *t, void *v, size_t count, MPI_Datatype type, int peer,
			     int slot)
{
	if (count)
		MPI_Irecv(v, (int)count, type, peer, slot, comm, &t->request[t->n++]);
}

/* True once all messages of the transfer are over. */
static bool transfer_over(struct transfer *t)
{
	int over;

	MPI_Testall(t->n, t->request, &over, MPI_STATUSES_IGNORE);
	if (over)
		t->n = 0;
	return over;
}

/* Floats of a job's result; and of a stage's input and output. */
static size_t order_floats(const struct problem *p, int kind)
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

static size_t order_at_cut(const struct pool *p, const struct remote_order *o)
{
	return sampler_size(&p->sampler, o->rank) * p->problem->cut.width;
}

static size_t order_stage_in(const struct pool *p, const struct remote_order *o)
{
	return o->stage == STAGE_HEAD || o->stage == STAGE_BACKWARD ? order_at_cut(p, o) : 0;
}

static size_t order_stage_out(const struct pool *p, const struct remote_order *o)
{
	return o->stage == STAGE_HEAD || o->stage == STAGE_FORWARD ? order_at_cut(p, o) : 0;
}

static size_t order_memory(const struct pool *p, const struct remote_order *o)
{
	return o->kind == JOB_GRAD
		       ? sampler_size(&p->sampler, o->rank) * p->problem->carry.floats : 0;
}

/* Floats of the memory that a gradient reads and writes; 0 for a net without one. */
static size_t order_memory_in(const struct pool *p, const struct remote_order *o)
{
	return o->rows ? order_memory(p, o) : 0;
}

static size_t order_memory_out(const struct pool *p, const struct remote_order *o)
{
	return order_memory(p, o);
}

/* Slots of a process with that number of threads, including the one for models. */
static int remote_slots(int threads)
{
	return threads + 2;
}

/*
 * Opens the communicator, and returns the threads of each process: [processes], freed by the
 * caller.
 */
static int *remote_open_comm(const struct pool *p)
{
	int *threads = xcalloc((size_t)real_size(), sizeof(*threads));

	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Allgather(&p->width, 1, MPI_INT, threads, 1, MPI_INT, comm);
	return threads;
}

/* Frees what remote_open_comm() opened. */
static void remote_close_comm(void)
{
	MPI_Comm_free(&comm);
}

/* ---- the processes that compute for process 0 ---- */

enum helper_stage { LISTENING, FETCHING, COMPUTING, ANSWERING, CLOSED };

struct helper_slot {
	int number;
	enum helper_stage stage;
	struct transfer transfer;
	struct remote_order order;
	struct remote_answer answer;
	struct job job;
	float *x, *stats;       /* [dim], [stats_dim] if they are sent; NULL until then */
	float *given, *gives;   /* [largest batch x floats] input, output of a stage or memory */
	struct stage_data stage_data;
	float *out;             /* [capacity] the result */
	size_t capacity;
};

struct helper {
	struct pool *pool;
	float *kept;            /* [dim] the model for orders without one; NULL: none yet */
	int n;
	struct helper_slot *slots;      /* [n] */
};

static void helper_await_order(struct helper_slot *at)
{
	transfer_receive(&at->transfer, &at->order, sizeof(at->order), MPI_BYTE, 0, at->number);
	at->stage = LISTENING;
}

/* Allocates *v with n floats when it is first needed. */
static float *helper_buffer(float **v, size_t n)
{
	if (!*v)
		*v = vec_new(n);
	return *v;
}

static float *helper_result(struct helper_slot *at, size_t n)
{
	if (n > at->capacity) {
		free(at->out);
		at->out = vec_new(at->capacity = n);
	}
	return at->out;
}

/* Allocates input and output of a stage or memory with `floats` floats for each sample. */
static void helper_open_stage(const struct pool *p, struct helper_slot *at, size_t floats)
{
	const struct sampler *s = &p->sampler;
	const size_t most = slices_most(s->slice, s->workers, s->size) * floats;

	helper_buffer(&at->given, most);
	helper_buffer(&at->gives, most);
}

static void helper_fetch_job(const struct helper *s, struct helper_slot *at)
{
	const struct problem *p = s->pool->problem;
	const struct remote_order *o = &at->order;
	float *x = o->kept ? s->kept : helper_buffer(&at->x, p->dim);

	at->job = (struct job){ .kind = (enum job_kind)o->kind, .x = x, .rank = o->rank,
				.index = o->index, .split = (enum split)o->split,
				.first = o->first, .n = o->n,
				.out = helper_result(at, order_floats(p, o->kind)) };
	transfer_receive(&at->transfer, x, o->kept ? 0 : p->dim, MPI_FLOAT, 0, at->number);
	if (o->stage != STAGE_WHOLE) {
		helper_open_stage(s->pool, at, s->pool->problem->cut.width);
		at->stage_data = (struct stage_data){ (enum grad_stage)at->order.stage, at->given,
						      at->gives };
		at->job.stage = &at->stage_data;
		transfer_receive(&at->transfer, at->given, order_stage_in(s->pool, &at->order),
				 MPI_FLOAT, 0, at->number);
	}
	if (order_memory_out(s->pool, o)) {
		helper_open_stage(s->pool, at, s->pool->problem->carry.floats);
		at->job.carried = (struct carried){ at->given, (size_t)at->order.rows, at->gives };
		transfer_receive(&at->transfer, at->given, order_memory_in(s->pool, &at->order),
				 MPI_FLOAT, 0, at->number);
	}
	if (at->job.kind != JOB_SCORE)
		return;
	at->job.stats = helper_buffer(&at->stats, p->stats_dim);
	transfer_receive(&at->transfer, at->stats, p->stats_dim, MPI_FLOAT, 0, at->number);
}

static void helper_answer(const struct pool *p, struct helper_slot *at)
{
	const size_t n = order_floats(p->problem, at->order.kind);

	at->answer = (struct remote_answer){ at->job.loss, at->job.score };
	transfer_send(&at->transfer, at->out, n, MPI_FLOAT, 0, at->number);
	transfer_send(&at->transfer, at->gives,
		      order_stage_out(p, &at->order) + order_memory_out(p, &at->order),
		      MPI_FLOAT, 0, at->number);
	transfer_send(&at->transfer, &at->answer, sizeof(at->answer), MPI_BYTE, 0, at->number);
	at->stage = ANSWERING;
}

/* True when the event for which the slot waits has come: a finished job, or a finished transfer. */
static bool helper_slot_ready(struct pool *p, struct helper_slot *at)
{
	if (at->stage == CLOSED)
		return false;
	return at->stage == COMPUTING ? pool_wait_for(p, &at->job, 0.0)
				      : transfer_over(&at->transfer);
}

static void helper_fetched(struct helper *s, struct helper_slot *at)
{
	if (at->order.kind == KEEP_MODEL) {
		helper_answer(s->pool, at);
		return;
	}
	pool_submit(s->pool, &at->job);
	at->stage = COMPUTING;
}

static void helper_advance(struct helper *s, struct helper_slot *at)
{
	const size_t dim = s->pool->problem->dim;

	switch (at->stage) {
	case LISTENING:
		at->stage = FETCHING;
		if (at->order.kind == NO_JOB)
			at->stage = CLOSED;
		else if (at->order.kind == KEEP_MODEL)
			transfer_receive(&at->transfer, helper_buffer(&s->kept, dim), dim,
					 MPI_FLOAT, 0, at->number);
		else
			helper_fetch_job(s, at);
		break;
	case FETCHING:
		helper_fetched(s, at);
		break;
	case COMPUTING:
		helper_answer(s->pool, at);
		break;
	case ANSWERING:
		helper_await_order(at);
		break;
	case CLOSED:
		break;
	}
}

/*
 * Serves all slots until process 0 has closed the last, or a job fails here: then it is not
 * answered.
 */
static void helper_run(struct helper *s)
{
	double received = clock_s();
	int closed = 0;

	while (closed < s->n && !pool_failed(s->pool)) {
		const double now = clock_s(), pause = remote_pause(now - received);
		const double before = received;

		for (int k = 0; k < s->n; k++)
			while (!pool_failed(s->pool) && helper_slot_ready(s->pool, &s->slots[k])) {
				received = now;
				helper_advance(s, &s->slots[k]);
				closed += s->slots[k].stage == CLOSED;
			}
		if (received == before)
			clock_sleep(pause);
	}
}

/* After a failure orders may still arrive: their buffers are not freed. */
int remote_serve(struct pool *p)
{
	struct helper s = { .pool = p, .n = remote_slots(p->width) };

	free(remote_open_comm(p));
	s.slots = xcalloc((size_t)s.n, sizeof(*s.slots));
	for (int k = 0; k < s.n; k++) {
		s.slots[k].number = k;
		helper_await_order(&s.slots[k]);
	}
	helper_run(&s);
	if (pool_failed(p)) {
		real_leave();
		return -1;
	}
	for (int k = 0; k < s.n; k++) {
		free(s.slots[k].x);
		free(s.slots[k].stats);
		free(s.slots[k].given);
		free(s.slots[k].gives);
		free(s.slots[k].out);
	}
	free(s.slots);
	free(s.kept);
	remote_close_comm();
	return 0;
}

/* ---- process 0 ---- */

struct remote_slot {            /* a slot of another process, for a job or a model */
	int process, number;
	bool busy;
	struct job *job;        /* while busy, except for a model */
	struct remote_order order;
	struct remote_answer answer;
	struct transfer out, in;
};

struct remote {
	struct pool *pool;
	pthread_t thread;
	atomic_bool closing;
	double received;        /* time at which something last happened */
	float *x;               /* [dim] our copy of the model that other processes keep */
	uint64_t model;         /* number of the model */
	size_t n;
	struct remote_slot slot[];      /* [n] the first of each process, then the second, ... */
};

static void remote_send_order(struct remote_slot *at, struct remote_order order)
{
	at->busy = true;
	at->order = order;
	transfer_send(&at->out, &at->order, sizeof(at->order), MPI_BYTE, at->process, at->number);
}

static void remote_await_answer(struct remote_slot *at)
{
	transfer_receive(&at->in, &at->answer, sizeof(at->answer), MPI_BYTE, at->process,
			 at->number);
}

static void remote_send_job(const struct pool *pool, struct remote_slot *at, struct job *j)
{
	const struct problem *p = pool->problem;
	const struct stage_data none = { STAGE_WHOLE, NULL, NULL };
	const struct stage_data *s = j->stage ? j->stage : &none;
	const size_t stats = j->kind == JOB_SCORE ? p->stats_dim : 0;

	at->job = j;
	remote_send_order(at, (struct remote_order){ (int)j->kind, j->rank, (int)j->split,
						     j->model != 0, j->index, j->first, j->n,
						     (int)s->stage, (int)j->carried.rows });
	transfer_send(&at->out, j->x, j->model ? 0 : p->dim, MPI_FLOAT, at->process, at->number);
	transfer_send(&at->out, j->stats, stats, MPI_FLOAT, at->process, at->number);
	transfer_send(&at->out, s->in, order_stage_in(pool, &at->order), MPI_FLOAT, at->process,
		      at->number);
	transfer_send(&at->out, j->carried.in, order_memory_in(pool, &at->order), MPI_FLOAT,
		      at->process, at->number);
	transfer_receive(&at->in, j->out, order_floats(p, at->order.kind), MPI_FLOAT,
			 at->process, at->number);
	transfer_receive(&at->in, s->out, order_stage_out(pool, &at->order), MPI_FLOAT,
			 at->process, at->number);
	transfer_receive(&at->in, j->carried.out, order_memory_out(pool, &at->order), MPI_FLOAT,
			 at->process, at->number);
	remote_await_answer(at);
}

/* Takes the result of a slot, if it has come. */
static void remote_take_result(struct remote *r, struct remote_slot *at)
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

/* Takes all results that have come; returns a free slot for a job, or NULL. */
static struct remote_slot *remote_take_results(struct remote *r, bool *busy)
{
	struct remote_slot *idle = NULL;

	*busy = false;
	for (size_t i = r->n; i-- > 0;) {
		struct remote_slot *at = &r->slot[i];

		remote_take_result(r, at);
		*busy |= at->busy;
		if (at->number != MODEL_SLOT && !at->busy && !r->slot[at->process - 1].busy)
			idle = at;
	}
	return idle;
}

/*
 * Sends the job's model to all processes, once they have received the one before. A process gets
 * jobs when it has its copy; until then process 0 computes alone, so that a slow network delays no
 * job.
 */
static void remote_send_model(struct remote *r, const struct job *j)
{
	const size_t dim = r->pool->problem->dim;

	for (struct remote_slot *at = r->slot; at->number == MODEL_SLOT; at++)
		for (remote_take_result(r, at); at->busy; remote_take_result(r, at))
			clock_sleep(remote_pause(clock_s() - r->received));
	if (!r->x)
		r->x = vec_new(dim);
	vec_copy(dim, j->x, r->x);
	r->model = j->model;
	for (struct remote_slot *at = r->slot; at->number == MODEL_SLOT; at++) {
		remote_send_order(at, (struct remote_order){ .kind = KEEP_MODEL });
		transfer_send(&at->out, r->x, dim, MPI_FLOAT, at->process, at->number);
		remote_await_answer(at);
	}
}

static void remote_close_slots(struct remote *r)
{
	for (size_t i = 0; i < r->n; i++)
		remote_send_order(&r->slot[i], (struct remote_order){ .kind = NO_JOB });
	for (size_t i = 0; i < r->n; i++)
		while (!transfer_over(&r->slot[i].out))
			clock_sleep(1e-4);
}

/*
 * Sends a job to that slot; or sends its model to all, and returns the job, as its x may not live
 * long enough.
 */
static void remote_hand_over(struct remote *r, struct remote_slot *idle, struct job *j)
{
	if (!j->model || j->model == r->model) {
		remote_send_job(r->pool, idle, j);
		return;
	}
	remote_send_model(r, j);
	pool_return(r->pool, j);
}

/* Thread that sends jobs for which no thread here is free, and receives the results. */
static void *remote_main(void *arg)
{
	struct remote *r = arg;
	struct remote_slot *idle;
	bool busy;

	while ((idle = remote_take_results(r, &busy)) == NULL || busy ||
	       !atomic_load(&r->closing)) {
		const double pause = remote_pause(clock_s() - r->received);
		struct job *j = idle ? pool_take(r->pool, pause) : NULL;

		if (j) {
			remote_hand_over(r, idle, j);
			r->received = clock_s();
		} else if (!idle) {
			clock_sleep(pause);
		}
	}
	remote_close_slots(r);
	return NULL;
}

static size_t remote_all_slots(const int *threads)
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
	struct remote *r = xcalloc(1, sizeof(*r) + remote_all_slots(threads) * sizeof(r->slot[0]));

	r->pool = p;
	for (int number = 0; r->n < remote_all_slots(threads); number++)
		for (int k = 1; k < real_size(); k++)
			if (number < remote_slots(threads[k]))
				r->slot[r->n++] =
					(struct remote_slot){ .process = k, .number = number };
	free(threads);
	if (thread_start(&r->thread, remote_main, r) == 0)
		return r;
	error("cannot start the thread that speaks to other ranks");
	remote_close_slots(r);
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

#include "mpi/remote.h"

#include "core/clock.h"
#include "core/error.h"
#include "core/mem.h"
#include "mpi/real.h"
#include "mpi/remote_job.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct place {                  /* room for a job at another process */
	int process, number;
	struct job *job;        /* under way; NULL: free */
	struct order order;
	struct answer answer;
	struct transfer out, in;
};

struct remote {
	struct pool *pool;
	pthread_t ferry;
	atomic_bool closing;
	double heard;           /* when something happened last */
	size_t n;
	struct place place[];   /* [n] a first one of each process, then the second ones, ... */
};

static void order_job(const struct problem *p, struct place *at, struct job *j)
{
	const size_t stats = j->kind == JOB_SCORE ? p->stats_dim : 0;

	at->job = j;
	at->order = (struct order){ (int)j->kind, j->rank, (int)j->split, j->index, j->first,
				    j->n };
	transfer_send(&at->out, &at->order, sizeof(at->order), MPI_BYTE, at->process, at->number);
	transfer_send(&at->out, j->x, p->dim, MPI_FLOAT, at->process, at->number);
	transfer_send(&at->out, j->stats, stats, MPI_FLOAT, at->process, at->number);
	transfer_receive(&at->in, j->out, remote_floats(p, j->kind), MPI_FLOAT, at->process,
			 at->number);
	transfer_receive(&at->in, &at->answer, sizeof(at->answer), MPI_BYTE, at->process,
			 at->number);
}

/* True when it is over, and given back. */
static bool job_over(struct remote *r, struct place *at)
{
	if (!at->job || !transfer_over(&at->out) || !transfer_over(&at->in))
		return false;
	at->job->loss = at->answer.loss;
	at->job->score = at->answer.score;
	pool_done(r->pool, at->job);
	at->job = NULL;
	return true;
}

/* Takes back what is over; a free place, NULL where there is none. */
static struct place *look(struct remote *r, bool *busy)
{
	struct place *room = NULL;

	*busy = false;
	for (size_t i = r->n; i-- > 0;) {
		struct place *at = &r->place[i];

		if (job_over(r, at))
			r->heard = clock_s();
		*busy |= at->job != NULL;
		room = at->job ? room : at;
	}
	return room;
}

static void close_places(struct remote *r)
{
	for (size_t i = 0; i < r->n; i++) {
		struct place *at = &r->place[i];

		at->order = (struct order){ .kind = NO_JOB };
		transfer_send(&at->out, &at->order, sizeof(at->order), MPI_BYTE, at->process,
			      at->number);
	}
	for (size_t i = 0; i < r->n; i++)
		while (!transfer_over(&r->place[i].out))
			clock_sleep(1e-4);
}

/* Sends what nobody here has time for, and looks for what comes back. */
static void *ferry_main(void *arg)
{
	struct remote *r = arg;
	struct place *room;
	bool busy;

	while ((room = look(r, &busy)) == NULL || busy || !atomic_load(&r->closing)) {
		const double pause = remote_pause(clock_s() - r->heard);
		struct job *j = room ? pool_take(r->pool, pause) : NULL;

		if (j) {
			order_job(r->pool->problem, room, j);
			r->heard = clock_s();
		} else if (!room) {
			clock_sleep(pause);
		}
	}
	close_places(r);
	return NULL;
}

static size_t sum(const int *threads)
{
	size_t n = 0;

	for (int p = 1; p < real_size(); p++)
		n += (size_t)remote_places(threads[p]);
	return n;
}

struct remote *remote_open(struct pool *p)
{
	int *threads = remote_meet(p), level;
	struct remote *r = xcalloc(1, sizeof(*r) + sum(threads) * sizeof(r->place[0]));

	r->pool = p;
	for (int number = 0; r->n < sum(threads); number++)
		for (int k = 1; k < real_size(); k++)
			if (number < remote_places(threads[k]))
				r->place[r->n++] = (struct place){ .process = k, .number = number };
	free(threads);
	MPI_Query_thread(&level);
	if (level < MPI_THREAD_SERIALIZED)
		die("this MPI does not let another thread than the first speak to other ranks");
	if (pthread_create(&r->ferry, NULL, ferry_main, r))
		die("cannot start the thread that speaks to other ranks");
	return r;
}

void remote_close(struct remote *r)
{
	atomic_store(&r->closing, true);
	pthread_join(r->ferry, NULL);
	remote_part();
	free(r);
}

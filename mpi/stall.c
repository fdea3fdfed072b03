/*
 * stall.c - a run in which all nodes wait for ever.
 *
 * Every report (event_log.c) says what its process is at and how many events it has handled.
 * When all have said some times in a row that they wait, with no event between and no
 * message under way, process 0 has a doubt, and all pause as for a checkpoint. Then what is
 * under way has been delivered, by the waves of drain.c; and when no node computes, nor has
 * set a timer, nothing will ever happen.
 */
#include "mpi/heartbeat.h"

#include "core/engine/stall.h"

#include <stdlib.h>

enum { REPORTS = 3 };           /* in a row, before process 0 has a doubt */

struct stall {                  /* process 0 */
	struct reported {
		int state;
		int64_t events, balance;
		int quiet;      /* reports in a row of the same events, all waiting */
	} *v;                   /* [size] */
};

void stall_open(struct real *r)
{
	r->stall = xcalloc(1, sizeof(*r->stall));
	r->stall->v = xcalloc((size_t)r->size, sizeof(*r->stall->v));
}

void stall_close(struct real *r)
{
	free(r->stall->v);
	free(r->stall);
}

/* Of every process: for how many reports it has been waiting; and whether that can be in vain. */
static bool is_doubtful(const struct real *r)
{
	int64_t balance = 0;
	int allreducing = 0;

	for (int p = 0; p < r->size; p++) {
		const struct reported *v = &r->stall->v[p];

		if (v->quiet < REPORTS)
			return false;
		balance += v->balance;
		allreducing += v->state == STATE_ALLREDUCING;
	}
	return balance == 0 && allreducing < r->run.workers;
}

void stall_receive(struct real *r, const struct header *h)
{
	struct reported *v = &r->stall->v[h->from];
	const bool waits = h->tag == STATE_ALLREDUCING || h->tag == STATE_LISTENING;
	const bool again = waits && h->stamp == v->events;

	*v = (struct reported){ .state = h->tag, .events = h->stamp, .balance = h->balance,
				.quiet = again ? v->quiet + 1 : waits };
	if (r->stopping || r->pause >= 0 || !is_doubtful(r))
		return;
	for (int p = 0; p < r->size; p++)
		r->stall->v[p].quiet = 0;
	post_all(r, &(struct header){ .kind = MESSAGE_PAUSE, .tag = PAUSE_DOUBT,
				      .stamp = r->known });
}

static bool may_go_on(const struct real *r)
{
	for (int i = 0; i < r->n; i++)
		if (r->priv[i].task || r->priv[i].timers)
			return true;
	return false;
}

/* Process 0: r->waits, from the two kinds that every process has of its nodes. */
static void name_all(struct real *r, const enum waits (*all)[2])
{
	enum waits *what = xcalloc((size_t)r->nnodes, sizeof(*what));

	for (int i = 0; i < r->nnodes; i++) {
		const bool server = i == r->run.workers;

		what[i] = all[real_index(r, server ? SERVER : i)][server && r->conf->shared];
	}
	stall_text(what, r->nnodes, r->run.workers, r->waits, sizeof(r->waits));
	free(what);
}

static void gather_waits(struct real *r)
{
	enum waits mine[2] = { WAITS_NOTHING, WAITS_NOTHING };
	enum waits (*all)[2] = xcalloc((size_t)r->size, sizeof(*all));
	const int bytes = sizeof(mine);

	for (int i = 0; i < r->n; i++)
		mine[i] = stall_waits(&r->nodes[i], r->priv[i].allreducing, r->priv[i].stopped);
	MPI_Gather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, 0, r->waves);
	if (!r->rank)
		name_all(r, (const enum waits (*)[2])all);
	free(all);
}

void stall_judge(struct real *r)
{
	if (real_agree(may_go_on(r)))
		return;
	gather_waits(r);
	if (!r->rank)
		real_stop(r, END_STALLED, real_now(r));
}

/*
 * heartbeat.c - ranks that die, wait for ever or fall silent: they are named, and the run ends.
 *
 * Every process reports to process 0 twice a second; process 0 reports to process 1, which watches
 * it. While a run drains, processes do not report: then there is only a time limit for the whole.
 */
#include "mpi/state.h"

#include "core/base/error.h"
#include "core/engine/engine.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * End of a run with dead ranks, when it was asked to end.
 *
 * When a rank dies, mpirun asks the others to end by SIGTERM, and kills them about a second later.
 * A normal end needs all ranks, so it may never come. Therefore process 0 has the result marked as
 * soon as it is asked, and checks whether a process of its machine has died. If process 0 is dead,
 * the first living process of its machine does so instead.
 */

static const double gone_every_s = 0.05, gone_patience_s = 5.0;

struct gone {
	pid_t *pid;             /* [size] of ranks on this machine that can be checked; else 0 */
	bool cut, named;
	double looked, since;   /* time of the last check, of the first death; 0: none */
};

struct rank_process {           /* identity of a process */
	int process;
	pid_t pid;
};

static bool is_dead(pid_t pid)
{
	return kill(pid, 0) < 0 && errno == ESRCH;
}

static void find_pids(const struct real *r, pid_t *pid)
{
	const struct rank_process mine = { r->rank, getpid() };
	scoped struct rank_process *all = NULL;
	MPI_Comm here;
	int n;

	MPI_Comm_split_type(r->waves, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
	MPI_Comm_size(here, &n);
	all = xcalloc((size_t)n, sizeof(*all));
	MPI_Allgather(&mine, sizeof(mine), MPI_BYTE, all, sizeof(mine), MPI_BYTE, here);
	MPI_Comm_free(&here);
	for (int i = 0; i < n; i++)
		pid[all[i].process] = is_dead(all[i].pid) ? 0 : all[i].pid;
}

void gone_open(struct real *r)
{
	r->gone = xcalloc(1, sizeof(*r->gone));
	r->gone->pid = xcalloc((size_t)r->size, sizeof(*r->gone->pid));
	find_pids(r, r->gone->pid);
}

void gone_close(struct real *r)
{
	free(r->gone->pid);
	free(r->gone);
}

/* First process of this machine that is dead, or that is alive; -1: none. */
static int gone_first(const struct real *r, bool dead)
{
	const pid_t *pid = r->gone->pid;

	for (int p = 0; p < r->size; p++)
		if (pid[p] && is_dead(pid[p]) == dead)
			return p;
	return -1;
}

void gone_cut(const struct real *r, const char *why)
{
	if (r->conf->cut)
		r->conf->cut(r->conf->checkpoint.ctx, why);
}

void gone_watch(struct real *r)
{
	struct gone *g = r->gone;
	const double now = real_now(r);
	int dead;

	if (!g->cut && r->rank == 0)
		gone_cut(r, NULL);
	g->cut = true;
	if (now - g->looked < gone_every_s)
		return;
	g->looked = now;
	dead = gone_first(r, true);
	if (dead < 0)
		return;
	if (!g->named && (r->rank == 0 || (r->gone->pid[0] && gone_first(r, false) == r->rank))) {
		char why[64];

		snprintf(why, sizeof(why), "rank %d has died", dead);
		gone_cut(r, why);
	}
	g->named = true;
	g->since = g->since > 0.0 ? g->since : now;
	if (now - g->since > gone_patience_s)
		_exit(EXIT_DIE);
}

/*
 * A run in which all nodes wait for ever.
 *
 * Every report (event_log.c) has the state of its process and the number of events handled. When
 * all processes have reported several times in a row that they wait, with no event handled in
 * between and no message in flight, process 0 doubts that the run will continue, and all pause as
 * for a checkpoint. settle() in loop.c then delivers everything in flight. If no node computes
 * then, or has a timer, nothing will ever happen, and the run ends.
 */

enum { REPORTS = 3 };           /* reports in a row, before process 0 doubts */

struct stall {                  /* process 0 */
	struct reported {
		int state;
		int64_t events, balance;
		int quiet;      /* number of reports in a row with the same events, all waiting */
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

/*
 * True if every process has reported several times that it waits, with no message or all-reduce in
 * flight.
 */
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

static bool real_may_go_on(const struct real *r)
{
	for (int i = 0; i < r->n; i++)
		if (real_will_deliver(r, &r->nodes[i]) || r->priv[i].timers)
			return true;
	return false;
}

/* Process 0: sets r->waits from what the two nodes of every process wait for. */
static void name_all(struct real *r, const enum waits (*all)[2])
{
	scoped enum waits *what = xcalloc((size_t)r->nnodes, sizeof(*what));

	for (int i = 0; i < r->nnodes; i++) {
		const bool server = i == r->run.workers;

		what[i] = all[real_index(r, server ? SERVER : i)][server && r->conf->shared];
	}
	stall_text(what, r->nnodes, r->run.workers, r->waits, sizeof(r->waits));
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
	if (real_agree(real_may_go_on(r)))
		return;
	gather_waits(r);
	if (!r->rank)
		real_stop(r, END_STALLED, real_now(r));
}

static const double heartbeat_every_s = 0.5;

enum { REAL_HOST = 256 };

struct watched {
	double received;                /* time of its last report ... */
	int state;                      /* ... and state of its nodes then */
	bool named;
};

struct heartbeats {
	struct watched *v;              /* [size] */
	char (*hosts)[REAL_HOST];       /* [size] on process 0; elsewhere [1]: that of process 0 */
	double looked, reporting;       /* time of the last check, of the last report of all */
};

static const char *const state_name[] = {
	[STATE_COMPUTING] = "computing a gradient",
	[STATE_SLEEPING] = "waiting for a timer",
	[STATE_ALLREDUCING] = "waiting for an all-reduce",
	[STATE_LISTENING] = "waiting for messages",
};

int heartbeat_state(const struct real *r)
{
	enum state first = STATE_LISTENING;

	for (int i = 0; i < r->n; i++) {
		const struct real_node *rn = &r->priv[i];
		const enum state s = real_will_deliver(r, &r->nodes[i]) ? STATE_COMPUTING
				     : rn->timers			? STATE_SLEEPING
				     : rn->allreducing			? STATE_ALLREDUCING
									: STATE_LISTENING;

		first = s < first ? s : first;
	}
	return (int)first;
}

static void read_hosts(struct real *r, struct heartbeats *t)
{
	char *lines = real_hosts(), *line = lines;

	t->hosts = xcalloc((size_t)r->size, sizeof(*t->hosts));
	for (int p = 0; lines && p < r->size; p++) {
		snprintf(t->hosts[p], REAL_HOST, "%.*s", (int)strcspn(line, "\n"), line);
		line += strcspn(line, "\n") + 1;
	}
	free(lines);
	real_share(t->hosts[0], REAL_HOST);
}

void heartbeat_open(struct real *r)
{
	struct heartbeats *t = xcalloc(1, sizeof(*t));

	r->heartbeats = t;
	t->v = xcalloc((size_t)r->size, sizeof(*t->v));
	read_hosts(r, t);
}

void heartbeat_close(struct real *r)
{
	free(r->heartbeats->v);
	free(r->heartbeats->hosts);
	free(r->heartbeats);
}

void heartbeat_begin(struct real *r)
{
	for (int p = 0; p < r->size; p++)
		r->heartbeats->v[p].received = real_now(r);
	r->heartbeats->reporting = real_now(r);
}

void heartbeat_receive(struct real *r, const struct header *h)
{
	r->heartbeats->v[h->from] = (struct watched){ .received = real_now(r), .state = h->tag };
}

static void heartbeat_judge(struct real *r, int process)
{
	struct watched *w = &r->heartbeats->v[process];
	const double since = real_now(r) - w->received;
	const char *host = r->heartbeats->hosts[process];

	if (r->conf->hang_s > 0.0 && since >= r->conf->hang_s) {
		gone_cut(r, "a rank hangs");
		error("rank %d on %s hangs: no heartbeat for %.0f s; last seen %s",
		      process, host, since, state_name[w->state]);
		real_fail(r);
		return;
	}
	if (r->conf->heartbeat_s <= 0.0 || since < r->conf->heartbeat_s || w->named)
		return;
	w->named = true;
	warning("rank %d on %s: no heartbeat for %.0f s; last seen %s", process, host,
		since, state_name[w->state]);
}

static void judge_drain(struct real *r)
{
	const double since = real_now(r) - r->heartbeats->reporting;

	if (r->rank != 0 || r->conf->hang_s <= 0.0 || since < r->conf->hang_s)
		return;
	gone_cut(r, "a rank hangs");
	error("some rank hangs: nothing in flight was delivered for %.0f s", since);
	real_fail(r);
}

void heartbeat_watch(struct real *r)
{
	struct heartbeats *t = r->heartbeats;
	const double now = real_now(r);

	if (r->rank > 1 || now - t->looked < heartbeat_every_s)
		return;
	t->looked = now;
	if (r->stopping || r->pause >= 0) {
		judge_drain(r);
		return;
	}
	if (now - t->reporting > 2 * heartbeat_every_s)
		heartbeat_begin(r);
	t->reporting = now;
	for (int p = r->rank ? 0 : 1; p < (r->rank ? 1 : r->size); p++)
		heartbeat_judge(r, p);
}

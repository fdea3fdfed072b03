/*
 * gone.c - asked to end, with ranks that have died.
 *
 * When a rank dies, mpirun asks the others to end by SIGTERM, and kills them about a second
 * later. An orderly end needs all ranks, so it may not come: therefore process 0 has the
 * result marked as soon as it is asked, and looks whether a process of its machine has died.
 * When it has died itself, the first of its machine that lives does so instead.
 */
#include "mpi/heartbeat.h"

#include "core/base/error.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const double every_s = 0.05, patience_s = 5.0;

struct gone {
	pid_t *pid;             /* [size] of those on this machine that can be looked at; else 0 */
	bool cut, named;
	double looked, since;   /* last time; when a process was first missed, 0: none is */
};

struct rank_process {           /* of a process */
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
	struct rank_process *all;
	MPI_Comm here;
	int n;

	MPI_Comm_split_type(r->waves, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
	MPI_Comm_size(here, &n);
	all = xcalloc((size_t)n, sizeof(*all));
	MPI_Allgather(&mine, sizeof(mine), MPI_BYTE, all, sizeof(mine), MPI_BYTE, here);
	MPI_Comm_free(&here);
	for (int i = 0; i < n; i++)
		pid[all[i].process] = is_dead(all[i].pid) ? 0 : all[i].pid;
	free(all);
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

/* The first process of this machine that is, or is not, dead; -1: none. */
static int gone_first(const struct real *r, bool dead)
{
	const pid_t *pid = r->gone->pid;

	for (int p = 0; p < r->size; p++)
		if (pid[p] && is_dead(pid[p]) == dead)
			return p;
	return -1;
}

/* Whether this process speaks for process 0, or is it. */
static bool is_first(const struct real *r)
{
	return r->rank == 0 || (r->gone->pid[0] && gone_first(r, false) == r->rank);
}

void gone_cut(const struct real *r, const char *why)
{
	if (r->conf->cut)
		r->conf->cut(r->conf->ctx, why);
}

static void gone_name(const struct real *r, int dead)
{
	char why[64];

	snprintf(why, sizeof(why), "rank %d has died", dead);
	gone_cut(r, why);
}

void gone_watch(struct real *r)
{
	struct gone *g = r->gone;
	const double now = real_now(r);
	int dead;

	if (!g->cut && r->rank == 0)
		gone_cut(r, NULL);
	g->cut = true;
	if (now - g->looked < every_s)
		return;
	g->looked = now;
	dead = gone_first(r, true);
	if (dead < 0)
		return;
	if (!g->named && is_first(r))
		gone_name(r, dead);
	g->named = true;
	g->since = g->since > 0.0 ? g->since : now;
	if (now - g->since > patience_s)
		_exit(EXIT_DIE);
}

/*
 * heartbeat.c - processes without a heartbeat: named, and after a longer time the end of the run.
 *
 * Every process reports to process 0 twice a second; process 0 reports to process 1, which watches
 * it. While a run drains no process reports: then only the whole has a time limit.
 */
#include "mpi/heartbeat.h"

#include "core/base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double every_s = 0.5;

enum { HOST = 256 };

struct watched {
	double received;                /* when it last reported ... */
	int state;                      /* ... what its nodes were at */
	bool named;
};

struct heartbeats {
	struct watched *v;              /* [size] */
	char (*hosts)[HOST];            /* [size] on process 0; [1] elsewhere: that of process 0 */
	double looked, reporting;       /* last time; last time at which all reported */
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
		const struct real_node *sn = &r->priv[i];
		const enum state s = sn->task      ? STATE_COMPUTING
				     : sn->timers  ? STATE_SLEEPING
				     : sn->allreducing ? STATE_ALLREDUCING
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
		snprintf(t->hosts[p], HOST, "%.*s", (int)strcspn(line, "\n"), line);
		line += strcspn(line, "\n") + 1;
	}
	free(lines);
	real_share(t->hosts[0], HOST);
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

	if (r->rank > 1 || now - t->looked < every_s)
		return;
	t->looked = now;
	if (r->stopping || r->pause >= 0) {
		judge_drain(r);
		return;
	}
	if (now - t->reporting > 2 * every_s)
		heartbeat_begin(r);
	t->reporting = now;
	for (int p = r->rank ? 0 : 1; p < (r->rank ? 1 : r->size); p++)
		heartbeat_judge(r, p);
}

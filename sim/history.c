/*
 * history.c - a digest of the order of a run's events, by which runs are found that learn the same.
 *
 * A node's history is a digest of the handlers that it has run: of which kind, and with what.
 * A message carries the history of its sender; an all-reduce those of all members. So equal
 * histories mean the same gradients, at the same models, put together in the same order, all the
 * way back to the start; times are not in it, nor is the order of events of different nodes that
 * know nothing of each other. What else a handler may depend on is added where it is read: the
 * clock, the epoch, the gradients of others that a learning rate is taken by.
 *
 * Where an algorithm says that its order is fixed, a node's history is how far it is.
 *
 * The run's order is that of the models that were evaluated, and of all nodes at the end. A
 * gradient that only goes into an all-reduce changes no model before that.
 */
#include "sim/world.h"

#include <string.h>

/* The rate of a step depends on how many gradients there were. */
static bool rate_varies(const struct stepsize *lr)
{
	const struct plugin *schedule = lr->schedule.plugin;

	return lr->warmup > 0.0 || (schedule && strcmp(schedule->name, "constant") != 0);
}

void histories_open(struct sim *s)
{
	const struct run *run = s->run;
	const bool counts = !run->algo->lockstep && rate_varies(&run->lr);

	s->histories = (struct histories){
		.kept = (run->pool || s->conf->orders) && run->seconds <= 0.0 && !s->faults &&
			!s->line && !s->blocks,
		.counts = counts,
		.fixed = !counts && run->algo->order_fixed && run->algo->order_fixed(run),
		.spreads = !run->algo->server || run->watch || s->conf->spreads,
	};
	for (int i = 0; s->histories.kept && i < s->nnodes; i++)
		s->priv[i].history = s->priv[i].changed = history_mix(0, (uint64_t)i);
}

void history_handle(struct sim *s, const struct node *nd, const struct call *c,
		    const struct packet *p)
{
	struct sim_node *sn = sim_node(nd);
	uint64_t with = 0;

	if (s->histories.fixed)
		return;
	switch (c->what.handler) {
	case HANDLER_GRAD:
		with = s->histories.counts ? (uint64_t)s->gradients : 0;
		break;
	case HANDLER_MSG:
		with = p->history;
		break;
	case HANDLER_ALLREDUCE:
		with = sn->rare->sum.history;
		break;
	case HANDLER_TIMER:
		with = (uint64_t)c->what.token;
		break;
	case HANDLER_START:
	case HANDLER_STAGE:
		break;
	}
	sn->history = history_mix(sn->history, HISTORY_HANDLES + (uint64_t)c->what.handler);
	sn->history = history_mix(sn->history, with);
	if (c->what.handler != HANDLER_GRAD || !nd->adds)
		sn->changed = sn->history;
}

void history_allreduce(struct group *g)
{
	uint64_t h = 0;

	for (int k = 0; k < g->members; k++)
		h = history_mix(h, sim_node(g->node[k])->rare->sum.history);
	for (int k = 0; k < g->members; k++)
		sim_node(g->node[k])->rare->sum.history = h;
}

/* Of the node's model as it is now. */
static uint64_t history_of(const struct sim *s, int i)
{
	const uint64_t h = s->priv[i].changed;

	if (!s->histories.fixed)
		return h;
	return history_mix(history_mix(h, (uint64_t)s->priv[i].asked),
			   (uint64_t)s->nodes[i].step);
}

void history_mark(struct sim *s)
{
	const bool server = s->run->algo->server;

	for (int i = server && !s->histories.spreads ? s->nnodes - 1 : 0; i < s->nnodes; i++)
		s->histories.marks = history_mix(s->histories.marks, history_of(s, i));
}

uint64_t histories_end(const struct sim *s)
{
	uint64_t h = history_mix(s->histories.marks, (uint64_t)s->gradients);

	if (!s->histories.kept || (s->end != s->budget_end && s->end != END_STOPPED))
		return 0;
	for (int i = 0; i < s->nnodes; i++)
		h = history_mix(h, history_of(s, i));
	return h ? h : 1;
}

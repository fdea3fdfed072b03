/*
 * ledger.c - where each node's time went.
 *
 * An idle span ends when something is heard. The part of the span in which that
 * thing was already on its way is communicating; the rest is waiting for others.
 */
#include "sim/world.h"

#include <math.h>

void ledger_settle(struct sim *s, struct node *nd, double since)
{
	struct sim_node *sn = sim_node(nd);
	double from = sn->idle_from;

	if (from >= s->now)
		return;
	if (since < from)
		since = from;
	if (since > s->now)
		since = s->now;
	nd->ledger.wait += since - from;
	nd->ledger.comm += s->now - since;
	sn->idle_from = s->now;
}

void ledger_unfinished(struct node *nd, double end)
{
	const struct sim_node *sn = sim_node(nd);
	const double spent = end - sn->begun;

	if (spent <= 0.0)
		return;
	nd->ledger.compute += fmin(spent, sn->compute);
	nd->ledger.comm += fmax(spent - sn->compute, 0.0);
}

void ledger_close(struct sim *s, double end)
{
	for (int i = 0; i < s->nnodes; i++) {
		struct node *nd = &s->nodes[i];
		struct sim_node *sn = sim_node(nd);

		if (sn->computing)
			ledger_unfinished(nd, end);
		else if (sn->idle_from < end)
			nd->ledger.wait += end - sn->idle_from;
		sn->idle_from = HUGE_VAL;
	}
}

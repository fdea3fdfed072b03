/* Where each node's time went. */
#include "sim/world.h"

#include <math.h>

/* The node waits for its samples until `begun`; then it computes, and hands the gradient over. */
void ledger_unfinished(struct node *nd, double end)
{
	const struct sim_node *sn = sim_node(nd);
	const double spent = end - sn->begun;

	nd->ledger.wait += fmin(fmax(spent + sn->stalled, 0.0), sn->stalled);
	if (spent <= 0.0)
		return;
	nd->ledger.compute += fmin(spent, sn->compute);
	nd->ledger.comm += fmax(spent - sn->compute, 0.0);
}

/*
 * Writing to a shared model was booked when it began. What a job stops for, and does again, is
 * waiting.
 */
void ledger_close(struct sim *s, double end)
{
	for (int i = 0; i < s->nnodes; i++) {
		struct node *nd = &s->nodes[i];
		struct sim_node *sn = sim_node(nd);

		if (sn->computing)
			ledger_unfinished(nd, end);
		else if (sn->idle_from < end)
			nd->ledger.wait += end - sn->idle_from;
		nd->ledger.compute -= fmin(fmax(sn->write_end - end, 0.0), nd->ledger.compute);
		if (s->line)
			nd->ledger.wait += fmax(timeline_at(s->line, end) - end, 0.0);
		sn->idle_from = HUGE_VAL;
	}
}

/* Splits an idle span of a node into time waited for others and time in communication. */
#include "core/engine/ledger.h"

#include <math.h>

void ledger_idle(struct ledger *l, double *idle_from, double now, double since)
{
	const double from = *idle_from;

	if (from >= now)
		return;
	since = fmin(fmax(since, from), now);
	l->wait += since - from;
	l->comm += now - since;
	*idle_from = now;
}

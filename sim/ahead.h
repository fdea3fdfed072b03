/* ahead.h - the next event's node is read into the cache while this one's is handled. */
#ifndef SIM_AHEAD_H
#define SIM_AHEAD_H

#include "sim/world.h"

/* Of many nodes the next event's is not in the cache: it comes while this event is handled. */
static inline void sim_fetch_ahead(const struct sim *s)
{
	enum { MANY = 2000, LINE = 64 };
	const struct sim_event *next = s->nnodes > MANY ? heap_first(&s->heap) : NULL;
	const char *node, *priv;

	if (!next)
		return;
	node = (const char *)&s->nodes[sim_event_node(next)];
	priv = (const char *)&s->priv[sim_event_node(next)];
	for (size_t i = 0; i < sizeof(struct node); i += LINE)
		__builtin_prefetch(node + i, 1);
	for (size_t i = 0; i < sizeof(struct sim_node); i += LINE)
		__builtin_prefetch(priv + i, 1);
}

#endif

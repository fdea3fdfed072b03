/* Of many nodes the next event's is not in the cache: it comes while others are handled. */
#ifndef SIM_EVENTS_FETCH_H
#define SIM_EVENTS_FETCH_H

#include "sim/world.h"

/* Lines that events of most algorithms use: what else the structs have is after these. */
enum { FETCH_MANY = 2000, FETCH_LINE = 64, FETCH_NODE = 4, FETCH_PRIV = 2 };

/* Called after each pop. */
static inline void fetch_ahead(const struct sim *s)
{
	const struct sim_event *next = s->nnodes > FETCH_MANY ? heap_first(&s->heap) : NULL;
	const char *node, *priv;

	if (!next)
		return;
	node = (const char *)&s->nodes[sim_event_node(next)];
	priv = (const char *)&s->priv[sim_event_node(next)];
	for (size_t i = 0; i < FETCH_NODE; i++)
		__builtin_prefetch(node + i * FETCH_LINE, 1);
	for (size_t i = 0; i < FETCH_PRIV; i++)
		__builtin_prefetch(priv + i * FETCH_LINE, 1);
}

#endif

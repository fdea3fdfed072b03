/* Every worker has a neighbour on either side. */
#include "core/graph.h"

static int graph_ring_make(const void *conf, struct topology *t, uint64_t seed)
{
	(void)conf, (void)seed;
	topology_hop(t, -1);
	topology_hop(t, 1);
	return 0;
}

const struct graph_type graph_ring = {
	.plugin = { .name = "ring",
		    .brief = "the neighbour on either side",
		    .cite = "Lian et al. 2017" },
	.make = graph_ring_make,
};

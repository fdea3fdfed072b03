/* Arcs to the ranks 1, 2, 4, 8, ... further around the circle. */
#include "core/graph.h"

static int directed_exponential_make(const void *conf, struct topology *t, uint64_t seed)
{
	(void)conf, (void)seed;
	for (int hop = 1; hop < t->n; hop *= 2)
		topology_hop(t, hop);
	return 0;
}

const struct graph_type graph_directed_exponential = {
	.plugin = { .name = "directed-exponential",
		    .brief = "sends to the ranks 1, 2, 4, 8, ... further on",
		    .cite = "Assran et al. 2019, arXiv 1811.10792" },
	.make = directed_exponential_make,
};

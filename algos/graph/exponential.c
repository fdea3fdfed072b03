/* Neighbours at hops of +-1, +-2, +-4, +-8, ... around the circle. */
#include "core/graph.h"

static int exponential_make(const void *conf, struct topology *t, uint64_t seed)
{
	(void)conf, (void)seed;
	for (int hop = 1; hop < t->n; hop *= 2) {
		topology_hop(t, hop);
		topology_hop(t, -hop);
	}
	return 0;
}

const struct graph_type graph_exponential = {
	.plugin = { .name = "exponential",
		    .brief = "neighbours at hops of +-1, +-2, +-4, +-8, ...",
		    .also = "one-peer",
		    .cite = "Ying et al. 2021, arXiv 2110.13363" },
	.make = exponential_make,
};

/* Every worker is a neighbour of every other. */
#include "core/graph.h"

static int complete_make(const void *conf, struct topology *t, uint64_t seed)
{
	(void)conf, (void)seed;
	if (topology_degree(t, t->n - 1) < 0)
		return -1;
	for (int i = 0; i < t->n; i++)
		for (int k = 0; k < t->n; k++)
			topology_arc(t, i, k);
	return 0;
}

const struct graph_type graph_complete = {
	.plugin = { .name = "complete",
		    .brief = "all other workers",
		    .also = "all-to-all, fully-connected, full" },
	.make = complete_make,
};

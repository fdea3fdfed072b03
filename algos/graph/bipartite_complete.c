/* Every even rank is a neighbour of every odd one. */
#include "core/graph.h"

static int bipartite_complete_make(const void *conf, struct topology *t, uint64_t seed)
{
	(void)conf, (void)seed;
	if (topology_degree(t, t->n / 2) < 0)
		return -1;
	for (int i = 0; i < t->n; i++)
		for (int k = 1 - i % 2; k < t->n; k += 2)
			topology_arc(t, i, k);
	return 0;
}

const struct graph_type graph_bipartite_complete = {
	.plugin = { .name = "bipartite-complete",
		    .brief = "every even rank with every odd one" },
	.make = bipartite_complete_make,
};

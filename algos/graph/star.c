/* Every worker is a neighbour of rank 0, and of no other. */
#include "core/graph.h"

static int star_make(const void *conf, struct topology *t, uint64_t seed)
{
	(void)conf, (void)seed;
	for (int i = 1; i < t->n; i++) {
		topology_arc(t, 0, i);
		topology_arc(t, i, 0);
	}
	return 0;
}

const struct graph_type graph_star = {
	.plugin = { .name = "star",
		    .brief = "rank 0 in the middle of all others" },
	.make = star_make,
};

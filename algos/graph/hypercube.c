/* Neighbours are the ranks that differ in one bit. */
#include "core/graph.h"

#include "core/base/error.h"

static int hypercube_make(const void *conf, struct topology *t, uint64_t seed)
{
	(void)conf, (void)seed;
	if (t->n & (t->n - 1))
		return error("graph hypercube: %d workers are no power of two", t->n);
	for (int i = 0; i < t->n; i++)
		for (int bit = 1; bit < t->n; bit *= 2)
			topology_arc(t, i, i ^ bit);
	return 0;
}

const struct graph_type graph_hypercube = {
	.plugin = { .name = "hypercube",
		    .brief = "the ranks that differ in one bit; workers a power of two" },
	.make = hypercube_make,
};

/*
 * bipartite_exponential.c - neighbours at odd hops of +-1, +-3, +-5, +-9, ... (2^k + 1).
 *
 * Even ranks have odd neighbours and odd ranks even ones. With an odd number of workers, hops
 * across the end of the circle, which would join two ranks of one side, are left out.
 */
#include "core/graph.h"

static void bipartite_exponential_meet(struct topology *t, int hop)
{
	if (t->n % 2 == 0)
		topology_hop(t, hop);
	for (int i = 0; t->n % 2 && i < t->n; i++)
		if (i + hop >= 0 && i + hop < t->n)
			topology_arc(t, i, i + hop);
}

static int bipartite_exponential_make(const void *conf, struct topology *t, uint64_t seed)
{
	(void)conf, (void)seed;
	bipartite_exponential_meet(t, 1);
	bipartite_exponential_meet(t, -1);
	for (int step = 2; step < t->n - 1; step *= 2) {
		bipartite_exponential_meet(t, step + 1);
		bipartite_exponential_meet(t, -step - 1);
	}
	return 0;
}

const struct graph_type graph_bipartite_exponential = {
	.plugin = { .name = "bipartite-exponential",
		    .brief = "even and odd ranks at hops of +-1, +-3, +-5, +-9, ...",
		    .cite = "code of Assran et al. 2019, for AD-PSGD" },
	.make = bipartite_exponential_make,
};

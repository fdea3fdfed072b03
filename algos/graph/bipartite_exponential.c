/*
 * bipartite_exponential.c - neighbours at odd hops of +-1, +-3, +-5, +-9, ... (2^k + 1).
 *
 * Even ranks have odd neighbours and odd ranks even ones. With an odd number of workers, hops
 * across the end of the circle that would join two even ranks are left out.
 */
#include "core/graph.h"

#include <stdlib.h>

static void bipartite_exponential_meet(struct topology *t, int from, int hop)
{
	const int to = ((from + hop) % t->n + t->n) % t->n;

	if (abs(from - to) % 2 == 1)
		topology_arc(t, from, to);
}

static int bipartite_exponential_make(const void *conf, struct topology *t, uint64_t seed)
{
	(void)conf, (void)seed;
	for (int i = 0; i < t->n; i++) {
		bipartite_exponential_meet(t, i, 1);
		bipartite_exponential_meet(t, i, -1);
		for (int step = 2; step < t->n - 1; step *= 2) {
			bipartite_exponential_meet(t, i, step + 1);
			bipartite_exponential_meet(t, i, -step - 1);
		}
	}
	return 0;
}

const struct graph_type graph_bipartite_exponential = {
	.plugin = { .name = "bipartite-exponential",
		    .brief = "even and odd ranks at hops of +-1, +-3, +-5, +-9, ...",
		    .cite = "code of Assran et al. 2019, for AD-PSGD" },
	.make = bipartite_exponential_make,
};

/* A rank's neighbours, one drawn at random, and a neighbour's model averaged into its own. */
#include "algos/common/peers.h"

#include "core/math/vec.h"

struct ranks peers_of(const struct node *nd)
{
	return topology_out(node_topology(nd), nd->rank);
}

int peers_draw(struct node *nd)
{
	const struct ranks peers = peers_of(nd);

	return peers.n ? peers.rank[node_rand(nd) % (uint64_t)peers.n] : NO_PEER;
}

void peers_average(struct node *nd, const float *v)
{
	vec_axpby(nd->dim, 0.5f, v, 0.5f, nd->x);
}

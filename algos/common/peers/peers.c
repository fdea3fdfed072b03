/* A rank's neighbours, one drawn at random, and a neighbour's model averaged into its own. */
#include "algos/common/peers/peers.h"

#include "core/math/vec.h"

struct ranks peers_of(const struct node *nd)
{
	return topology_out(node_topology(nd), nd->rank);
}

/* ---- absent peers ---- */

static void absent_set(struct node *nd, struct absent *a, int rank, bool is)
{
	const struct topology *t = node_topology(nd);
	int i;

	if (!topology_has(t, nd->rank, rank))
		return;
	i = topology_receiver(t, nd->rank, rank);
	if ((a->is ? a->is[i] : false) == is)
		return;
	if (!a->is)
		a->is = node_alloc(nd, (size_t)peers_of(nd).n, sizeof(*a->is));
	a->is[i] = is;
	a->n += is ? 1 : -1;
}

void absent_add(struct node *nd, struct absent *a, int rank)
{
	absent_set(nd, a, rank, true);
}

void absent_remove(struct node *nd, struct absent *a, int rank)
{
	absent_set(nd, a, rank, false);
}

void absent_clear(struct node *nd, struct absent *a)
{
	for (int i = 0; a->is && i < peers_of(nd).n; i++)
		a->is[i] = false;
	a->n = 0;
}

/* ---- draw one, announce to all ---- */

int peers_draw(struct node *nd)
{
	return peers_draw_present(nd, &(struct absent){ 0 });
}

int peers_draw_present(struct node *nd, const struct absent *a)
{
	const struct ranks peers = peers_of(nd);
	const int n = peers.n - a->n;
	int i;

	if (n == 0)
		return NO_PEER;
	i = (int)(node_rand(nd) % (uint64_t)n);
	for (int k = 0; a->n && k <= i; k++)
		i += a->is[k];
	return ranks_at(peers, i);
}

void peers_announce(struct node *nd, int tag)
{
	const struct ranks in = topology_in(node_topology(nd), nd->rank);

	for (int i = 0; i < in.n; i++)
		node_send(nd, ranks_at(in, i), &(struct msg){ .tag = tag, .stamp = nd->step });
}

void peers_average(struct node *nd, const float *v)
{
	vec_axpby(nd->dim, 0.5f, v, 0.5f, nd->x);
}

/* Bytes that each member of an all-reduce sends and receives, by the kind of the all-reduce. */
#include "sim/allreduce/collective.h"

/* Members of a node, and nodes; where all have the link's settings, each is a node. */
struct shape {
	int n, node, nodes;
};

static struct shape shape_of(const struct members *m)
{
	return (struct shape){ m->n, m->differ ? m->node : 1, m->differ ? m->nodes : m->n };
}

static struct traffic traffic_add(struct traffic a, struct traffic b)
{
	return (struct traffic){ a.bytes + b.bytes, a.messages + b.messages };
}

/* As many messages of so many bytes. */
static struct traffic traffic_of(int64_t messages, double bytes)
{
	return (struct traffic){ (double)messages * bytes, messages };
}

static struct traffic traffic_ring(int n, double bytes)
{
	return traffic_of(2 * (int64_t)(n - 1), bytes / n);
}

/*
 * Doubling, or halving and doubling: of members above a power of two, each sends its vector to
 * another one, which sends the sum back.
 */
static struct traffic traffic_doubling(int n, int k, double bytes, bool halves)
{
	struct traffic t;
	int steps = 0;

	while (n >> (steps + 1))
		steps++;
	if (k >= 1 << steps)
		return traffic_of(1, bytes);
	t = traffic_of(steps, bytes);
	if (halves)
		t = (struct traffic){ 2.0 * bytes * (1.0 - 1.0 / (1 << steps)), 2 * steps };
	return k < n - (1 << steps) ? traffic_add(t, traffic_of(1, bytes)) : t;
}

/* Neighbours of the k-th of n in a binomial tree, whose root is 0. */
static int binomial_neighbours(int n, int k)
{
	int found = k > 0;

	for (int step = 1; step < n && !(k & step); step *= 2)
		found += k + step < n;
	return found;
}

/* Neighbours of the k-th of n in a binary tree, whose leaves are the odd ones. */
static int binary_neighbours(int n, int k)
{
	int low = 1, found = k > 0;

	if (k == 0)
		return n > 1;
	while (!(k & low))
		low *= 2;
	if (low == 1)
		return found;
	found++;                        /* k - low / 2 */
	for (low /= 2; low > 0 && k + low >= n;)
		low /= 2;
	return found + (low > 0);
}

/*
 * Neighbours of the k-th of n in both of NCCL's trees. The second one is the first in the opposite
 * order, or moved by one if n is odd, so that leaves of one are inside the other.
 */
static int double_tree_neighbours(int n, int k)
{
	const int other = n % 2 ? (k + n - 1) % n : n - 1 - k;

	return binary_neighbours(n, k) + binary_neighbours(n, other);
}

/* A tree carries the vector up, then down: over each edge, a member sends and receives it once. */
static struct traffic traffic_tree(const struct shape *s, int k, double bytes)
{
	const int inside = binomial_neighbours(s->node, k % s->node);
	const int across = k % s->node ? 0 : binomial_neighbours(s->nodes, k / s->node);

	return traffic_of(inside + across, bytes);
}

/* Trees in groups, and a ring of their first members. */
static struct traffic traffic_groups(const struct shape *s, int64_t group, int k, double bytes)
{
	const int g = s->node > 1 ? s->node : group < s->n ? (int)group : s->n;
	const int groups = (s->n + g - 1) / g, left = s->n - k / g * g;
	const struct traffic t =
		traffic_of(binomial_neighbours(left < g ? left : g, k % g), bytes);

	return k % g ? t : traffic_add(t, traffic_ring(groups, bytes));
}

/* Each tree has half of the vector, over all NICs of a node; the chain in it is of both. */
static struct traffic traffic_double_tree(const struct shape *s, int k, double bytes)
{
	const int j = k % s->node, of_node = double_tree_neighbours(s->nodes, k / s->node);
	const int chain = s->node > 1 ? (j > 0) + (j < s->node - 1) : 0;
	struct traffic t = traffic_of(chain, bytes);

	t.bytes += of_node * 0.5 * bytes / s->node;
	t.messages += of_node;
	return t;
}

struct traffic collective_traffic(const struct collective *c, int k, double bytes)
{
	const struct shape s = shape_of(c->members);
	const struct traffic inside = traffic_ring(s.node, bytes);

	switch (collective_chosen(c, bytes)) {
	case COLLECTIVE_DOUBLING:
		return traffic_doubling(s.n, k, bytes, false);
	case COLLECTIVE_RABENSEIFNER:
		return traffic_doubling(s.n, k, bytes, true);
	case COLLECTIVE_TREE:
		return traffic_tree(&s, k, bytes);
	case COLLECTIVE_HIERARCHICAL:
		return traffic_groups(&s, c->conf->group, k, bytes);
	case COLLECTIVE_DOUBLE_TREE:
		return traffic_double_tree(&s, k, bytes);
	case COLLECTIVE_TWO_LEVEL:
		return traffic_add(inside, traffic_ring(s.nodes, bytes / s.node));
	case COLLECTIVE_IN_SWITCH:
		return s.nodes == 1 ? traffic_of(1, bytes)
				    : traffic_add(inside, traffic_of(1, bytes / s.node));
	case COLLECTIVE_RING:
	case COLLECTIVE_MEASURED:
	case COLLECTIVE_NCCL:
	case COLLECTIVE_OPENMPI:
		break;
	}
	return traffic_ring(s.n, bytes);
}

struct traffic collective_gather_traffic(const struct collective *c, int k, double bytes)
{
	const struct shape s = shape_of(c->members);
	const double all = s.n * bytes;
	struct traffic t = traffic_ring(s.n, all);

	switch ((enum collective_kind)c->conf->kind) {
	case COLLECTIVE_RING:
	case COLLECTIVE_DOUBLE_TREE:
	case COLLECTIVE_IN_SWITCH:
	case COLLECTIVE_NCCL:
	case COLLECTIVE_MEASURED:
		break;
	case COLLECTIVE_TWO_LEVEL:
		t = traffic_add(traffic_ring(s.node, all), traffic_ring(s.nodes, all / s.node));
		break;
	default:
		t = traffic_doubling(s.n, k, all, true);
	}
	/* a message of an odd number is before the steps, or after: of a member without a pair */
	return (struct traffic){ 0.5 * t.bytes, (t.messages + 1) / 2 };
}

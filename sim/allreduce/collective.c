/* Times of all-reduces and gathers by kind, on one level and on two. */
#include "sim/allreduce/collective.h"

#include "core/base/error.h"
#include "sim/allreduce/library_choice.h"

#include <math.h>

const char *const collective_names[] = { "ring", "doubling", "rabenseifner", "tree",
					 "hierarchical", "measured", "double-tree", "two-level",
					 "in-switch", "nccl", "openmpi", NULL };

/* ---- steps ---- */

/* Both ends send and receive. */
static double collective_exchange(const struct collective *c, const struct reach *r, double bytes)
{
	return r->latency + c->both * (r->message + bytes / r->rate);
}

/* One end sends, the other receives. */
static double collective_pass(const struct reach *r, double bytes)
{
	return r->latency + (r->message + bytes / r->rate);
}

/* Members of a node; 1: its own NIC each. */
static int collective_node(const struct collective *c)
{
	return c->members->differ ? c->members->node : 1;
}

static int collective_nodes(const struct collective *c)
{
	return c->members->differ ? c->members->nodes : c->members->n;
}

/* With messages that are lost and sent again. */
static struct reach collective_tried(const struct collective *c, struct reach r)
{
	r.latency += (c->tries - 1.0) * c->again;
	r.message *= c->tries;
	r.rate /= c->tries;
	return r;
}

static struct reach collective_inside(const struct collective *c)
{
	return collective_tried(c, c->members->inside);
}

/* Such a rate within uplinks and core, when so many of each node and of each rack send at once. */
static double collective_shared(const struct collective *c, double rate, int of_node, int of_rack)
{
	const struct members *m = c->members;

	if (!m->racked && c->core > 0.0)
		return fmin(rate, c->core / ((double)collective_nodes(c) * of_node));
	if (!m->rack || of_rack == 0)
		return rate;
	if (c->uplink > 0.0)
		rate = fmin(rate, c->uplink / of_rack);
	if (c->core > 0.0)
		rate = fmin(rate, c->core / (ceil((double)m->n / m->rack) * of_rack));
	return rate;
}

/* A member's way to another node, when so many of each node, and of each rack, send at once. */
static struct reach collective_across(const struct collective *c, int of_node, int of_rack)
{
	const struct members *m = c->members;
	struct reach r = collective_tried(c, m->differ ? m->across : (struct reach){
		c->latency, c->message, c->rate });

	if (m->differ) {
		const int ranks_of_nic = (of_node + m->nics - 1) / m->nics;

		r.rate /= ranks_of_nic;
	}
	r.rate = collective_shared(c, r.rate, of_node, of_rack);
	return r;
}

/* The largest k with 2^k <= n. */
static int log2_floor(int64_t n)
{
	int k = 0;

	while (n >> (k + 1))
		k++;
	return k;
}

static int log2_ceil(int64_t n)
{
	return n > 1 ? log2_floor(n - 1) + 1 : 0;
}

/* ---- kinds ---- */

/* The slowest step of a ring over all members. */
static double collective_ring_step(const struct collective *c, double bytes)
{
	const struct members *m = c->members;
	double slowest = 0.0;

	if (!m->differ) {
		const struct reach r = collective_across(c, 1, 1);

		return collective_exchange(c, &r, bytes);
	}
	for (size_t i = 0; i < m->nsteps; i++) {
		const struct reach r = collective_tried(c, m->step[i]);

		slowest = fmax(slowest, collective_exchange(c, &r, bytes));
	}
	return slowest;
}

static double collective_ring(const struct collective *c, double bytes)
{
	const int64_t n = c->members->n;

	return 2.0 * (double)(n - 1) * collective_ring_step(c, bytes / (double)n);
}

/* Where step i of doubling, with a member 2^i away, goes. */
static struct reach collective_far(const struct collective *c, int i)
{
	const struct members *m = c->members;
	const int node = collective_node(c);

	if (i < log2_floor(node))
		return collective_inside(c);
	return collective_across(c, node, m->rack && i >= log2_floor(m->rack) ? m->rack : 0);
}

/* Those above a power of two are folded into others, and told the result. */
static double collective_fold(const struct collective *c, double bytes)
{
	const int n = c->members->n;
	const struct reach r = collective_far(c, 0);

	return n == 1 << log2_floor(n) ? 0.0 : 2.0 * collective_pass(&r, bytes);
}

static double collective_doubling(const struct collective *c, double bytes)
{
	const int steps = log2_floor(c->members->n);
	double s = 0.0;

	for (int i = 0, same = 1; i < steps; i += same) {
		const struct reach r = collective_far(c, i);

		for (same = 1; i + same < steps; same++) {
			const struct reach next = collective_far(c, i + same);

			if (next.rate < r.rate || next.latency > r.latency)
				break;
		}
		s += same * collective_exchange(c, &r, bytes);
	}
	return s + collective_fold(c, bytes);
}

static double collective_halving(const struct collective *c, double bytes)
{
	double s = 0.0;

	for (int i = 1; i <= log2_floor(c->members->n); i++) {
		const struct reach r = collective_far(c, i - 1);

		s += collective_exchange(c, &r, bytes / (double)(1 << i));
	}
	return 2.0 * s + collective_fold(c, bytes);
}

/* Up and down a binomial tree of so many; in it, one of a rack sends to another rack. */
static double collective_tree_of(const struct reach *r, int64_t n, double bytes)
{
	return 2.0 * log2_ceil(n) * collective_pass(r, bytes);
}

static double collective_tree(const struct collective *c, double bytes)
{
	const struct reach in = collective_inside(c), far = collective_across(c, 1, 1);
	const double within = collective_node(c) > 1 ?
		collective_tree_of(&in, collective_node(c), bytes) : 0.0;

	return within + collective_tree_of(&far, collective_nodes(c), bytes);
}

/* Trees within groups or nodes, and a ring of their first members. */
static double collective_groups(const struct collective *c, double bytes)
{
	const int64_t n = c->members->n, node = collective_node(c);
	const int64_t group = node > 1 ? node : c->conf->group, within = group < n ? group : n;
	const int64_t groups = node > 1 ? collective_nodes(c) : (n + group - 1) / group;
	const struct reach far = collective_across(c, 1, 1);
	const struct reach near = node > 1 ? collective_inside(c) : collective_across(c, 1, 0);

	return collective_tree_of(&near, within, bytes) +
	       2.0 * (double)(groups - 1) *
		       collective_exchange(c, &far, bytes / (double)groups);
}

/* Each of the g members of a node adds up its share inside, and later has all shares. */
static double collective_inside_shares(const struct collective *c, double bytes)
{
	const struct reach in = collective_inside(c);
	const int g = collective_node(c);

	return g > 1 ? 2.0 * (g - 1) * collective_exchange(c, &in, bytes / g) : 0.0;
}

static double collective_two_level(const struct collective *c, double bytes)
{
	const int g = collective_node(c), k = collective_nodes(c);
	const struct reach far = collective_across(c, g, g);

	if (g == 1)
		return collective_ring(c, bytes);
	return collective_inside_shares(c, bytes) +
	       2.0 * (k - 1) * collective_exchange(c, &far, bytes / g / k);
}

static double collective_in_switch(const struct collective *c, double bytes)
{
	const int g = collective_node(c);
	const struct reach in = collective_inside(c), far = collective_across(c, g, g);

	if (collective_nodes(c) == 1)
		return collective_exchange(c, &in, bytes);
	return collective_inside_shares(c, bytes) + collective_exchange(c, &far, bytes / g);
}

/* A node's way to others with all its NICs, of which each has its part of the vector. */
static struct reach collective_nics(const struct collective *c)
{
	struct reach r = collective_across(c, 1, 1);

	if (collective_node(c) == 1)
		return r;
	r.rate = collective_shared(c, collective_tried(c, c->members->across).rate *
				   c->members->nics, 1, 1);
	return r;
}

/*
 * Both trees carry half of the vector, up and down, piece by piece. A node with a parent and two
 * children in one tree is a leaf of the other: it sends and receives four halves. Of two nodes each
 * has one neighbour in each tree, two halves; of three, at most three neighbours in both.
 */
static double collective_tree_share(int nodes)
{
	return nodes < 2 ? 0.0 : fmin(0.5 * nodes, 2.0);
}

/* The same in the chain within a node, which is both trees': inner members have two neighbours. */
static double collective_chain_share(int members)
{
	return fmin(members - 1, 2.0);
}

static double collective_double_tree(const struct collective *c, double bytes)
{
	const int g = collective_node(c), k = collective_nodes(c);
	const struct reach in = collective_inside(c), far = collective_nics(c);
	const double slowest = fmax(collective_chain_share(g) * bytes / in.rate,
				    collective_tree_share(k) * bytes / far.rate);
	const double inside = g > 1 ? (g - 1) * (in.latency + c->both * in.message) : 0.0;

	return 2.0 * (inside + log2_ceil(k) * (far.latency + c->both * far.message)) +
	       c->both * slowest;
}

/* NCCL has as many rings as NICs, each with its part of the vector. */
static double collective_rings(const struct collective *c, double bytes)
{
	const int n = c->members->n;
	const struct reach in = collective_inside(c), far = collective_nics(c);
	double step;

	if (collective_node(c) == 1)
		return collective_ring(c, bytes);
	step = collective_exchange(c, &in, bytes / n);
	if (collective_nodes(c) > 1)
		step = fmax(step, collective_exchange(c, &far, bytes / n));
	return 2.0 * (n - 1) * step;
}

static double collective_nccl(const struct collective *c, double bytes)
{
	const struct library_case l = {
		.n = c->members->n, .nodes = collective_nodes(c),
		.inside = collective_node(c) > 1 ? c->members->inside.rate : 0.0,
		.across = collective_nics(c).rate, .bytes = bytes,
		.channels = 2 * (collective_node(c) > 1 ? c->members->nics : 1),
	};

	return library_nccl(&l) == COLLECTIVE_RING ? collective_rings(c, bytes)
						   : collective_double_tree(c, bytes);
}

static double collective_openmpi(const struct collective *c, double bytes)
{
	struct collective_conf chosen = *c->conf;
	struct collective forced = *c;

	chosen.kind = (int)library_openmpi(c->members->n, bytes);
	forced.conf = &chosen;
	return collective_s(&forced, bytes);
}

double collective_s(const struct collective *c, double bytes)
{
	if (c->members->n < 2)
		return 0.0;
	switch ((enum collective_kind)c->conf->kind) {
	case COLLECTIVE_DOUBLE_TREE:
		return collective_double_tree(c, bytes);
	case COLLECTIVE_TWO_LEVEL:
		return collective_two_level(c, bytes);
	case COLLECTIVE_IN_SWITCH:
		return collective_in_switch(c, bytes);
	case COLLECTIVE_NCCL:
		return collective_nccl(c, bytes);
	case COLLECTIVE_OPENMPI:
		return collective_openmpi(c, bytes);
	case COLLECTIVE_DOUBLING:
		return collective_doubling(c, bytes);
	case COLLECTIVE_RABENSEIFNER:
		return collective_halving(c, bytes);
	case COLLECTIVE_TREE:
		return collective_tree(c, bytes);
	case COLLECTIVE_HIERARCHICAL:
		return collective_groups(c, bytes);
	case COLLECTIVE_MEASURED:
		return table_allreduce(&c->conf->table, c->conf->ranks, c->members->n, bytes);
	case COLLECTIVE_RING:
		break;
	}
	return collective_ring(c, bytes);
}

double collective_gather_s(const struct collective *c, double bytes)
{
	const double all = (double)c->members->n * bytes;

	switch ((enum collective_kind)c->conf->kind) {
	case COLLECTIVE_RING:
		return 0.5 * collective_ring(c, all);
	case COLLECTIVE_DOUBLE_TREE:
	case COLLECTIVE_IN_SWITCH:
	case COLLECTIVE_NCCL:
		return 0.5 * collective_rings(c, all);
	case COLLECTIVE_MEASURED:
	case COLLECTIVE_TWO_LEVEL:
		return 0.5 * collective_s(c, all);
	default:
		return 0.5 * collective_halving(c, all);
	}
}

int collective_check(const struct collective_conf *c, const char *model)
{
	const bool given = c->table.bytes.n || c->table.seconds.n;

	if (c->kind == COLLECTIVE_MEASURED)
		return given ? table_check(&c->table, model, "allreduce")
			     : error("link model %s: collective=measured needs a table. Give "
				     "allreduce_bytes=A/B/... and allreduce_s=A/B/...", model);
	return !given ? 0 : error("link model %s: allreduce_bytes and allreduce_s are of "
				  "collective=measured, not %s", model, collective_names[c->kind]);
}

/* Times of all-reduces and gathers by kind, on one level and on two. */
#include "sim/allreduce/collective.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "sim/link/flows.h"
#include "sim/link/network.h"
#include "sim/link/wan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- measured times by size, and all-reduces of other numbers of members ---- */

double table_at(const struct size_table *t, double bytes)
{
	const struct opt_doubles *keys = &t->bytes, *values = &t->seconds;
	size_t i = 1;

	if (bytes <= keys->v[0] || keys->n < 2)
		return values->v[0];
	while (i + 1 < keys->n && keys->v[i] < bytes)
		i++;
	return values->v[i - 1] + (values->v[i] - values->v[i - 1]) * (bytes - keys->v[i - 1]) /
				  (keys->v[i] - keys->v[i - 1]);
}

double table_allreduce(const struct size_table *t, int64_t ranks, int n, double bytes)
{
	const double latency = t->seconds.v[0], m = (double)ranks;
	const double rest = table_at(t, bytes) - latency;
	const double steps = (n - 1) / (m - 1), share = steps * m / n;

	return latency * steps + (rest > 0.0 ? rest * share : 0.0);
}

int table_check(const struct size_table *t, const char *model, const char *name)
{
	const struct opt_doubles *keys = &t->bytes, *values = &t->seconds;

	if (keys->n == 0 || keys->n != values->n)
		return error("link model %s: %s_bytes has %zu numbers, %s_s %zu: they go in pairs",
			     model, name, keys->n, name, values->n);
	for (size_t i = 1; i < keys->n; i++)
		if (keys->v[i] <= keys->v[i - 1])
			return error("link model %s: %s_bytes must ascend, but %g comes before %g",
				     model, name, keys->v[i - 1], keys->v[i]);
	return 0;
}

double link_scaled(double value, double ratio)
{
	char text[32];

	snprintf(text, sizeof(text), "%.9g", ratio * value);
	return strtod(text, NULL);
}

void table_scale(struct size_table *t, double ratio)
{
	for (size_t i = 0; i < t->bytes.n; i++)
		t->bytes.v[i] = link_scaled(t->bytes.v[i], ratio);
}

/*
 * The slowest path for which a step of an all-reduce waits.
 *
 * In a ring's step each member sends to the next, all at once: rates are the fair ones of these
 * flows (sim/link/flows.h). A step need not be kept if another one is at least as slow in every
 * respect.
 */

static bool reach_is_slower(const struct reach *a, const struct reach *b)
{
	return a->latency >= b->latency && a->message >= b->message && a->rate <= b->rate;
}

/* Adds a step, and drops those that are faster than another in every respect. */
static void members_add_step(struct members *m, const struct reach *r)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->nsteps; i++)
		if (reach_is_slower(&m->step[i], r))
			return;
	for (size_t i = 0; i < m->nsteps; i++)
		if (!reach_is_slower(r, &m->step[i]))
			m->step[kept++] = m->step[i];
	m->step = xrealloc(m->step, kept + 1, sizeof(*m->step));
	m->step[kept] = *r;
	m->nsteps = kept + 1;
}

/* Rate of NICs in an all-reduce of these members, relative to their bandwidth. */
static double members_nics(const struct members *m, const struct network *net)
{
	const struct fabric *f = &net->fabric;

	return f->wan ? wan_nodes_share(f->wan, m->nodes, f->nic) : 1.0;
}

static void members_find_steps(struct members *m, const struct network *net, const int *location,
			       bool shares)
{
	scoped double *rate = xcalloc((size_t)m->n, sizeof(*rate));

	lines_ring_rates(net, location, m->n, shares, members_nics(m, net), rate);
	for (int i = 0; i < m->n && m->n > 1; i++) {
		const int to = location[(i + 1) % m->n];
		struct reach r = { .rate = rate[i] };

		if (net->plain) {
			r.latency = net->fabric.latency_s;
			r.message = net->fabric.message_s;
		} else {
			const struct wire w = network_wire(net, location[i], to);

			r.latency = w.latency_s;
			r.message = fmax(w.out_message, w.in_message);
			r.wan = w.wan;
			r.flow = w.line_rate;
		}
		members_add_step(m, &r);
	}
}

static void reach_slow(struct reach *r, double latency, double message, double rate)
{
	r->latency = fmax(r->latency, latency);
	r->message = fmax(r->message, message);
	r->rate = fmin(r->rate, rate);
}

/* Most members in a block of `size` locations; *blocks <- number of blocks with members. */
static int members_in_block(const int *location, int n, int64_t size, int *blocks)
{
	int most = 0, run = 0;

	*blocks = 0;
	for (int i = 0; i < n; i++) {
		const bool same = i && location[i] / size == location[i - 1] / size;

		*blocks += !same;
		run = same ? run + 1 : 1;
		most = run > most ? run : most;
	}
	return most;
}

struct members members_of(const struct network *net, const int *location, int n, bool shares)
{
	const struct fabric *f = &net->fabric;
	struct members m = { .n = n, .nodes = n, .node = 1, .nics = 1 };
	int racks;

	m.differ = !net->plain || f->background > 0.0;
	m.racked = f->rack > 0;
	if (m.racked) {
		m.rack = members_in_block(location, n, f->rack, &racks);
		m.rack = racks > 1 ? m.rack : 0;
	}
	if (!m.differ)
		return m;
	m.across = (struct reach){ .latency = f->latency_s, .message = f->message_s,
				   .rate = f->nic };
	if (f->node > 1) {
		m.node = members_in_block(location, n, f->node, &m.nodes);
		m.nics = (int)f->nics;
	}
	if (!net->plain) {
		const struct reach free_way = { .rate = HUGE_VAL };

		m.across = m.inside = free_way;
		for (int i = 0; i < m.n; i++) {
			const struct network_end *e = &net->end[location[i]];

			reach_slow(&m.across, e->latency_s, e->message_s, e->rate);
			reach_slow(&m.inside, e->node_latency_s, e->message_s, e->node_rate);
		}
	}
	if (f->wan) {
		m.across.wan = f->wan;
		m.across.rate *= members_nics(&m, net);
		m.across.flow = fmin(m.across.rate, wan_flow_rate(f->wan, m.across.latency));
		m.across.rate = wan_shaped(f->wan, m.across.rate);
	}
	members_find_steps(&m, net, location, shares);
	return m;
}

void members_release(struct members *m)
{
	free(m->step);
	*m = (struct members){ 0 };
}

/* ---- the choice of an all-reduce as NCCL and Open MPI make it ---- */

/* ---- NCCL ---- */

enum nccl_protocol { NCCL_LL, NCCL_LL128, NCCL_SIMPLE, NCCL_PROTOCOLS };

enum nccl_hop { NCCL_NVLINK, NCCL_PCI, NCCL_NET };

struct nccl_times {             /* microseconds */
	double base[NCCL_PROTOCOLS];
	double hop[3][NCCL_PROTOCOLS];
};

static const struct nccl_times nccl_tree = {
	{ 6.8, 14.0, 8.4 }, { { 0.6, 1.25, 4.0 }, { 1.0, 1.9, 4.0 }, { 5.0, 8.5, 14.0 } }
};

static const struct nccl_times nccl_ring = {
	{ 6.6, 14.0, 8.4 }, { { 0.6, 1.9, 3.4 }, { 1.0, 2.5, 5.7 }, { 2.7, 4.0, 14.0 } }
};

enum { NCCL_SIZES = 24 };

/* Efficiency of a tree's bandwidth, by powers of two from 64 bytes on. */
static const double nccl_tree_factor[NCCL_PROTOCOLS][NCCL_SIZES] = {
	{ 1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1, 1 },
	{ 1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1 },
	{ .9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9,
	  .9, .9 }
};

static enum nccl_hop nccl_inside(const struct library_case *c)
{
	return c->inside >= LIBRARY_NVLINK ? NCCL_NVLINK : NCCL_PCI;
}

/* Bytes a second of all channels on the bus. */
static double nccl_bus(const struct library_case *c)
{
	if (c->nodes == 1)
		return c->inside;
	return c->n > c->nodes ? fmin(c->inside, c->across) : c->across;
}

static double nccl_seconds(double us, double bytes, double rate)
{
	return us * 1e-6 + bytes / rate;
}

static double nccl_ring_s(const struct library_case *c, enum nccl_protocol p)
{
	static const double share[] = { 0.5, 0.92, 1.0 };
	const double rate = nccl_bus(c) * share[p] * c->n / (2.0 * (c->n - 1));
	const double across = 2.0 * (c->nodes - 1), inside = 2.0 * (c->n - 1) - across;
	/* If each rank is alone in its node, a hop takes the tree's time. */
	const struct nccl_times *net = c->n == c->nodes ? &nccl_tree : &nccl_ring;
	double us = nccl_ring.base[p] + inside * nccl_ring.hop[nccl_inside(c)][p] +
		    across * net->hop[NCCL_NET][p];

	if (p == NCCL_SIMPLE && c->nodes > 1 && c->bytes / ((double)c->channels * c->n) >= 64.0)
		us *= 1.4;
	return nccl_seconds(us, c->bytes, rate);
}

static double nccl_tree_s(const struct library_case *c, enum nccl_protocol p)
{
	const double share[] = { 1.0 / 3.8, c->nodes == 1 ? 7.0 / 9.0 : 120.0 / 128.0, 1.0 };
	const double size = floor(log2(fmax(c->bytes / 64.0, 1.0)));
	const double factor = size < NCCL_SIZES ? nccl_tree_factor[p][(int)size] : 1.0;
	const double rate = nccl_bus(c) * 0.92 * share[p] * 0.5 * factor;
	const double inside = (double)c->n / c->nodes - 1.0, across = floor(log2(c->nodes));

	return nccl_seconds(nccl_tree.base[p] + 2.0 * (inside * nccl_tree.hop[nccl_inside(c)][p] +
						       across * nccl_tree.hop[NCCL_NET][p]),
			    c->bytes, rate);
}

enum collective_kind library_nccl(const struct library_case *c)
{
	double ring = HUGE_VAL, tree = HUGE_VAL;

	for (int p = 0; p < NCCL_PROTOCOLS; p++) {
		if (p == NCCL_LL128 && nccl_inside(c) != NCCL_NVLINK)
			continue;
		ring = fmin(ring, nccl_ring_s(c, (enum nccl_protocol)p));
		tree = fmin(tree, nccl_tree_s(c, (enum nccl_protocol)p));
	}
	return tree < ring ? COLLECTIVE_DOUBLE_TREE : COLLECTIVE_RING;
}

/* ---- Open MPI ---- */

/* Rules of ranks and bytes, both upper bounds: the first one that fits gives the kind. */
static const struct openmpi_rule {
	int below;
	double bytes;
	enum collective_kind kind;
} openmpi_rules[] = {
	{ 4, 65536, COLLECTIVE_DOUBLING },
	{ 4, 262144, COLLECTIVE_RING },
	{ 16, 8192, COLLECTIVE_DOUBLING },
	{ 32, 4096, COLLECTIVE_DOUBLING },
	{ 64, 128, COLLECTIVE_DOUBLING },
	{ 128, 262144, COLLECTIVE_DOUBLING },
	{ INT32_MAX, 131072, COLLECTIVE_TREE },
	{ INT32_MAX, 262144, COLLECTIVE_DOUBLING },
};

enum collective_kind library_openmpi(int n, double bytes)
{
	int below = 0;

	for (size_t i = 0; i < sizeof(openmpi_rules) / sizeof(openmpi_rules[0]); i++) {
		const struct openmpi_rule *r = &openmpi_rules[i];

		if (n >= r->below || (below && r->below != below))
			continue;
		below = r->below;
		if (bytes < r->bytes)
			return r->kind;
	}
	return COLLECTIVE_RABENSEIFNER;
}

const char *const collective_names[] = { "ring", "doubling", "rabenseifner", "tree",
					 "hierarchical", "measured", "double-tree", "two-level",
					 "in-switch", "nccl", "openmpi", NULL };

/* ---- steps ---- */

/* Seconds by which slow start lengthens a step, in which a connection is used again. */
static double reach_lag(const struct reach *r, double bytes)
{
	return r->wan ? wan_lag_s(r->wan, r->latency, r->rate, bytes) : 0.0;
}

/*
 * Seconds by which slow start and token buckets change the `bytes` that a connection carries during
 * a whole all-reduce, after those of earlier ones, and the path of its steps without either.
 */
static double reach_whole(const struct collective *c, struct reach *r, double bytes)
{
	static const struct wan_past none = { 0 };
	const struct wan_conf *wan = r->wan;
	struct wan_past *past = c->members->past;
	const struct wan_past *p = past ? past : &none;

	r->wan = NULL;
	if (past)
		past->carries = bytes;
	return wan ? wan_lag_s(wan, r->latency, r->rate, p->carried + bytes) -
			     wan_lag_s(wan, r->latency, r->rate, p->carried) -
			     wan_burst_s(wan->burst - p->spent, r->rate, r->flow, bytes)
		   : 0.0;
}

/* Seconds of a step in which both ends send and receive. */
static double collective_exchange(const struct collective *c, const struct reach *r, double bytes)
{
	return r->latency + c->both * (r->message + bytes / r->rate) + reach_lag(r, bytes);
}

/* Seconds of a step in which one end sends, and the other receives. */
static double collective_pass(const struct reach *r, double bytes)
{
	return r->latency + (r->message + bytes / r->rate) + reach_lag(r, bytes);
}

/* Members of a node; 1: each has a NIC of its own. */
static int collective_node(const struct collective *c)
{
	return c->members->differ ? c->members->node : 1;
}

static int collective_nodes(const struct collective *c)
{
	return c->members->differ ? c->members->nodes : c->members->n;
}

/* The path with the mean number of attempts, if messages are lost. */
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

/*
 * `rate`, limited by uplinks and core when of_node members of each node send at once, of_rack of
 * each rack.
 */
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

/*
 * Path to a member of another node, when of_node members of each node send at once, of_rack of
 * each rack.
 */
static struct reach collective_across(const struct collective *c, int of_node, int of_rack)
{
	const struct members *m = c->members;
	struct reach r = collective_tried(c, m->differ ? m->across : (struct reach){
		.latency = c->latency, .message = c->message, .rate = c->rate });

	if (m->differ) {
		const int ranks_of_nic = (of_node + m->nics - 1) / m->nics;

		r.rate /= ranks_of_nic;
	}
	r.rate = collective_shared(c, r.rate, of_node, of_rack);
	if (r.wan)
		r.rate = fmin(r.rate, r.flow);
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

/*
 * The slowest step of a ring over all members. *whole <- seconds by which slow start and token
 * buckets change `steps` of them, at least.
 */
static double collective_ring_step(const struct collective *c, double bytes, double steps,
				   double *whole)
{
	const struct members *m = c->members;
	double slowest = 0.0, slowest_whole = -HUGE_VAL;

	*whole = 0.0;

	if (!m->differ) {
		const struct reach r = collective_across(c, 1, 1);

		return collective_exchange(c, &r, bytes);
	}
	for (size_t i = 0; i < m->nsteps; i++) {
		struct reach r = collective_tried(c, m->step[i]);

		slowest_whole = fmax(slowest_whole, reach_whole(c, &r, steps * bytes));
		slowest = fmax(slowest, collective_exchange(c, &r, bytes));
	}
	*whole = m->nsteps ? slowest_whole : 0.0;
	return slowest;
}

/* Seconds of an all-reduce, or half of one: of `parts` times n - 1 steps. */
static double collective_ring(const struct collective *c, double bytes, double parts)
{
	const int64_t n = c->members->n;
	const double steps = parts * (double)(n - 1);
	double whole, step;

	step = collective_ring_step(c, bytes / (double)n, steps, &whole);
	return steps * step + whole;
}

/* Path of step i of doubling, to a member 2^i positions away. */
static struct reach collective_far(const struct collective *c, int i)
{
	const struct members *m = c->members;
	const int node = collective_node(c);

	if (i < log2_floor(node))
		return collective_inside(c);
	return collective_across(c, node, m->rack && i >= log2_floor(m->rack) ? m->rack : 0);
}

/*
 * Seconds for members above a power of two to add to other members before, and receive the result
 * after.
 */
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

			if (next.rate != r.rate || next.latency != r.latency || next.wan != r.wan)
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

/*
 * Seconds up and down a binomial tree of n members, in which one member of a rack sends to another
 * rack.
 */
static double collective_tree_of(const struct reach *r, int64_t n, double bytes)
{
	return 2.0 * log2_ceil(n) * collective_pass(r, bytes);
}

/* Seconds of a tree within each node, and one between the nodes. */
static double collective_tree(const struct collective *c, double bytes)
{
	const struct reach in = collective_inside(c), far = collective_across(c, 1, 1);
	const double within = collective_node(c) > 1 ?
			      collective_tree_of(&in, collective_node(c), bytes) : 0.0;

	return within + collective_tree_of(&far, collective_nodes(c), bytes);
}

/* Seconds of trees within groups or nodes, and a ring of their first members. */
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

/* Seconds in which each of a node's g members adds up its share, and later receives all shares. */
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
		return collective_ring(c, bytes, 2.0);
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

/* Path from a node to another with all its NICs, each with its part of the vector. */
static struct reach collective_nics(const struct collective *c)
{
	struct reach r = collective_across(c, 1, 1);

	if (collective_node(c) == 1)
		return r;
	r.rate = collective_shared(c, collective_tried(c, c->members->across).rate *
				   c->members->nics, 1, 1);
	if (r.wan) {
		r.flow *= c->members->nics;
		r.rate = fmin(r.rate, r.flow);
	}
	return r;
}

/*
 * Halves of the vector that a node sends and receives. Each tree carries half of the vector, up and
 * down, in pieces. A node with a parent and two children in one tree is a leaf of the other: it
 * sends and receives four halves. If there are two nodes, each has one neighbour in each tree, two
 * halves; of three, at most three neighbours in both.
 */
static double collective_tree_share(int nodes)
{
	return nodes < 2 ? 0.0 : fmin(0.5 * nodes, 2.0);
}

/*
 * Share of the bytes in the chain within a node, which both trees use: inner members have two
 * neighbours.
 */
static double collective_chain_share(int members)
{
	return fmin(members - 1, 2.0);
}

static double collective_double_tree(const struct collective *c, double bytes)
{
	const int g = collective_node(c), k = collective_nodes(c);
	const double share = collective_tree_share(k);
	const struct reach in = collective_inside(c);
	struct reach far = collective_nics(c);
	const double whole = k > 1 ? reach_whole(c, &far, share * bytes) : 0.0;
	const double slowest = fmax(collective_chain_share(g) * bytes / in.rate,
				    share * bytes / far.rate + whole);
	const double inside = g > 1 ? (g - 1) * (in.latency + c->both * in.message) : 0.0;

	return 2.0 * (inside + log2_ceil(k) * (far.latency + c->both * far.message)) +
	       c->both * slowest;
}

/* Seconds of NCCL's rings, of which there are as many as NICs, each with its part of the vector. */
static double collective_rings(const struct collective *c, double bytes, double parts)
{
	const int n = c->members->n;
	const double steps = parts * (n - 1);
	const struct reach in = collective_inside(c);
	struct reach far = collective_nics(c);
	double step, whole = 0.0;

	if (collective_node(c) == 1)
		return collective_ring(c, bytes, parts);
	step = collective_exchange(c, &in, bytes / n);
	if (collective_nodes(c) > 1) {
		whole = reach_whole(c, &far, steps * bytes / n);
		step = fmax(step, collective_exchange(c, &far, bytes / n));
	}
	return steps * step + whole;
}

enum collective_kind collective_chosen(const struct collective *c, double bytes)
{
	const struct library_case l = {
		.n = c->members->n, .nodes = collective_nodes(c),
		.inside = collective_node(c) > 1 ? c->members->inside.rate : 0.0,
		.across = collective_nics(c).rate, .bytes = bytes,
		.channels = 2 * (collective_node(c) > 1 ? c->members->nics : 1),
	};

	if (c->conf->kind == COLLECTIVE_NCCL)
		return library_nccl(&l);
	if (c->conf->kind == COLLECTIVE_OPENMPI)
		return library_openmpi(c->members->n, bytes);
	return (enum collective_kind)c->conf->kind;
}

/* Seconds of an all-reduce by a kind that collective_chosen() returned. */
static double collective_as(const struct collective *c, enum collective_kind kind, double bytes)
{
	switch (kind) {
	case COLLECTIVE_DOUBLE_TREE:
		return collective_double_tree(c, bytes);
	case COLLECTIVE_TWO_LEVEL:
		return collective_two_level(c, bytes);
	case COLLECTIVE_IN_SWITCH:
		return collective_in_switch(c, bytes);
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
	case COLLECTIVE_NCCL:
	case COLLECTIVE_OPENMPI:
		break;
	}
	return c->conf->kind == COLLECTIVE_NCCL ? collective_rings(c, bytes, 2.0)
						: collective_ring(c, bytes, 2.0);
}

double collective_s(const struct collective *c, double bytes)
{
	return c->members->n < 2 ? 0.0 : collective_as(c, collective_chosen(c, bytes), bytes);
}

double collective_latency_s(const struct collective *c, double bytes)
{
	return collective_as(c, collective_chosen(c, bytes), 0.0);
}

enum collective_kind collective_gather_kind(const struct collective *c)
{
	switch ((enum collective_kind)c->conf->kind) {
	case COLLECTIVE_RING:
	case COLLECTIVE_DOUBLE_TREE:
	case COLLECTIVE_IN_SWITCH:
	case COLLECTIVE_NCCL:
		return COLLECTIVE_RING;
	case COLLECTIVE_MEASURED:
	case COLLECTIVE_TWO_LEVEL:
		return (enum collective_kind)c->conf->kind;
	default:
		return COLLECTIVE_RABENSEIFNER;
	}
}

double collective_gather_s(const struct collective *c, double bytes)
{
	const double all = (double)c->members->n * bytes;

	switch (collective_gather_kind(c)) {
	case COLLECTIVE_RING:
		return c->conf->kind == COLLECTIVE_RING ? collective_ring(c, all, 1.0)
							: collective_rings(c, all, 1.0);
	case COLLECTIVE_RABENSEIFNER:
		return 0.5 * collective_halving(c, all);
	default:
		return 0.5 * collective_s(c, all);
	}
}

double link_collective_s(const struct link *link, const void *conf, const struct members *m,
			 bool gathers, size_t bytes)
{
	struct collective c;

	if (!link->collective)
		return gathers ? 0.5 * link->allreduce(conf, m, (size_t)m->n * bytes)
			       : link->allreduce(conf, m, bytes);
	c = link->collective(conf, m);
	return gathers ? collective_gather_s(&c, (double)bytes) : collective_s(&c, (double)bytes);
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

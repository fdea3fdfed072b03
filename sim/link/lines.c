/* lines.c - NICs, uplinks and the core as lines, and other traffic on them. */
#include "sim/link/lines.h"

#include "core/base/mem.h"
#include "core/node.h"

#include <math.h>
#include <stdlib.h>

/* ---- which is which ---- */

static int lines_core(const struct lines *l)
{
	return 2 * l->nics;
}

static int lines_uplink(const struct lines *l, int rack)
{
	return lines_core(l) + 1 + rack;
}

/* Of a worker to others of its node. */
static int lines_lane(const struct lines *l, int location)
{
	return lines_uplink(l, 2 * l->racks) + location;
}

static int lines_rack(const struct lines *l, int location)
{
	return l->racks ? (int)(location / l->net->fabric.rack) : 0;
}

/* Bytes a second; 0: as many as come. */
static double lines_capacity(double rate)
{
	return isinf(rate) ? 0.0 : rate;
}

static void lines_set(struct lines *l)
{
	const struct network *net = l->net;

	for (int i = 0; i < net->locations; i++) {
		const int nic = network_nic(net, i);
		const double rate = net->end ? net->end[i].rate : net->fabric.nic;

		l->line[nic].capacity = l->line[l->nics + nic].capacity = lines_capacity(rate);
		if (net->end)
			l->line[lines_lane(l, i)].capacity =
				l->line[lines_lane(l, net->locations + i)].capacity =
					lines_capacity(net->end[i].node_rate);
	}
	l->line[lines_core(l)].capacity = net->fabric.core;
	for (int i = 0; i < 2 * l->racks; i++)
		l->line[lines_uplink(l, i)].capacity = net->fabric.uplink;
}

static void lines_take(const struct lines *l, struct share *s, int line)
{
	if (l->line[line].capacity > 0.0)
		s->line[s->nlines++] = line;
}

static void lines_route_inside(const struct lines *l, struct share *s, int from, int to)
{
	lines_take(l, s, lines_lane(l, from));
	lines_take(l, s, lines_lane(l, l->net->locations + to));
}

/* NICs alone where uplinks and the core are not shared. */
static void lines_route_nics(const struct lines *l, struct share *s, int from, int to)
{
	lines_take(l, s, network_nic(l->net, from));
	lines_take(l, s, l->nics + network_nic(l->net, to));
}

struct share lines_route(const struct lines *l, int from, int to)
{
	const int a = lines_rack(l, from), b = lines_rack(l, to);
	const struct link_values *pair = network_pair(l->net, from, to);
	struct share s = { 0 };

	if (pair && pair->bandwidth > 0.0)
		s.cap = pair->bandwidth * 1e9;
	if (network_inside(l->net, from, to)) {
		lines_route_inside(l, &s, from, to);
		return s;
	}
	lines_route_nics(l, &s, from, to);
	if (!l->shares)
		return s;
	if (!l->racks || a != b)
		lines_take(l, &s, lines_core(l));
	if (a != b) {
		lines_take(l, &s, lines_uplink(l, a));
		lines_take(l, &s, lines_uplink(l, l->racks + b));
	}
	return s;
}

/* Bytes a second of a flow that is alone. */
double lines_alone(const struct lines *l, const struct share *s)
{
	double rate = s->cap > 0.0 ? s->cap : HUGE_VAL;

	for (int k = 0; k < s->nlines; k++)
		rate = fmin(rate, l->line[s->line[k]].capacity);
	return rate;
}

/* ---- other traffic ---- */

struct lines_list {
	struct share *share;
	size_t n;
};

static void lines_add_other(struct lines_list *list, struct share s, double rate)
{
	list->share = xrealloc(list->share, list->n + 1, sizeof(*list->share));
	s.cap = s.cap > 0.0 ? fmin(s.cap, rate) : rate;
	list->share[list->n++] = s;
}

static bool lines_is_of(const struct network *net, const struct rank_list *who, int location)
{
	return ranks_has(who, location < net->workers ? location : SERVER);
}

static void lines_add_pairs(const struct lines *l, const struct rank_list *from,
			    const struct rank_list *to, double rate, struct lines_list *list)
{
	for (int i = 0; i < l->net->locations; i++)
		for (int k = 0; lines_is_of(l->net, from, i) && k < l->net->locations; k++)
			if (i != k && lines_is_of(l->net, to, k))
				lines_add_other(list, lines_route(l, i, k), rate);
}

size_t lines_others(const struct lines *l, struct share **others)
{
	const double rate = l->net->fabric.background;
	struct lines_list list = { 0 };

	for (int i = 0; i < 2 * l->racks && l->shares && rate > 0.0; i++)
		lines_add_other(&list, (struct share){ .line = { lines_uplink(l, i) },
						       .nlines = 1 }, rate);
	for (size_t i = 0; i < l->net->own->n; i++) {
		const struct link_clause *c = &l->net->own->clause[i];

		if (c->set.background < 0.0)
			continue;
		lines_add_pairs(l, &c->from, &c->to, c->set.background * 1e9, &list);
		if (c->back)
			lines_add_pairs(l, &c->to, &c->from, c->set.background * 1e9, &list);
	}
	*others = list.share;
	return list.n;
}

void lines_ring_rates(const struct network *net, const int *location, int n, bool shares,
		      double *rate)
{
	struct share *ring = xcalloc((size_t)n, sizeof(*ring)), *others, **all;
	struct lines l;
	size_t more;

	lines_open(&l, net, shares);
	more = lines_others(&l, &others);
	all = xcalloc((size_t)n + more, sizeof(struct share *));
	for (int i = 0; i < n; i++) {
		ring[i] = lines_route(&l, location[i], location[(i + 1) % n]);
		all[i] = &ring[i];
	}
	for (size_t i = 0; i < more; i++)
		all[(size_t)n + i] = &others[i];
	share_fairly(l.line, all, (size_t)n + more);
	for (int i = 0; i < n; i++)
		rate[i] = ring[i].rate;
	lines_release(&l);
	free(others);
	free(all);
	free(ring);
}

/* ---- made and freed ---- */

void lines_open(struct lines *l, const struct network *net, bool shares)
{
	const struct fabric *b = &net->fabric;
	const size_t lanes = net->end ? 2 * (size_t)net->locations : 0;

	*l = (struct lines){ .net = net, .nics = network_nics(net), .shares = shares };
	l->racks = b->rack ? (int)((net->locations + b->rack - 1) / b->rack) : 0;
	l->line = xcalloc(2 * ((size_t)l->nics + (size_t)l->racks) + 1 + lanes,
			  sizeof(*l->line));
	lines_set(l);
}

void lines_release(struct lines *l)
{
	free(l->line);
	*l = (struct lines){ 0 };
}

/* network.c - NICs, nodes, clauses of single locations, and checks of their settings. */
#include "sim/link/network.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/node.h"
#include "sim/link/wan.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_BACKGROUND = 100000 };      /* flows: each rate is computed from all of them */

/* ---- locations ---- */

static int network_node_size(const struct network *net)
{
	return net->fabric.node > 1 ? (int)net->fabric.node : 1;
}

static int network_nics_of_node(const struct network *net)
{
	return network_node_size(net) > 1 ? (int)net->fabric.nics : 1;
}

/* Number of NICs of the workers' nodes. */
static int network_worker_nics(const struct network *net)
{
	const int size = network_node_size(net);

	return (net->workers + size - 1) / size * network_nics_of_node(net);
}

int network_nics(const struct network *net)
{
	return network_worker_nics(net) + net->locations - net->workers;
}

int network_nic(const struct network *net, int location)
{
	const int size = network_node_size(net), nics = network_nics_of_node(net);

	if (location >= net->workers)
		return network_worker_nics(net) + location - net->workers;
	return location / size * nics + location % size * nics / size;
}

bool network_inside(const struct network *net, int a, int b)
{
	const int size = network_node_size(net);

	return size > 1 && a < net->workers && b < net->workers && a / size == b / size;
}

static int network_rank(const struct network *net, int location)
{
	return location < net->workers ? location : SERVER;
}

const struct link_values *network_pair(const struct network *net, int from, int to)
{
	const struct link_clause *c = clauses_pair(net->own, network_rank(net, from),
						   network_rank(net, to));

	return c ? &c->set : NULL;
}

/* ---- links of locations ---- */

static double network_unless(double given, double otherwise)
{
	return given >= 0.0 ? given : otherwise;
}

static double network_rate(double given, double otherwise)
{
	const double rate = given >= 0.0 ? given * 1e9 : otherwise;

	return rate > 0.0 ? rate : HUGE_VAL;
}

static struct network_end network_end_of(const struct fabric *f, const struct link_values *v)
{
	return (struct network_end){
		.latency_s = network_unless(v->latency_s, f->latency_s),
		.message_s = network_unless(v->message_s, f->message_s),
		.rate = network_rate(v->bandwidth, f->nic),
		.node_latency_s = network_unless(v->node_latency_s, f->node_latency_s),
		.node_rate = network_rate(v->node_bandwidth, f->node_rate),
	};
}

static void network_set(struct network *net, const struct link_clause *c)
{
	for (size_t k = 0; k < c->from.n; k++) {
		const struct rank_span *s = &c->from.span[k];
		const int first = s->first == SERVER ? net->workers : s->first;
		const int last = s->first == SERVER ? net->locations - 1 : s->last;

		for (int i = first; i <= last; i++)
			net->end[i] = network_end_of(&net->fabric, &c->set);
	}
}

void network_open(struct network *net, const struct fabric *fabric,
		  const struct link_clauses *own, int workers, int locations)
{
	const struct link_values none = { -1, -1, -1, -1, -1, -1 };

	*net = (struct network){ .fabric = *fabric, .own = own, .workers = workers,
				 .locations = locations };
	net->plain = own->n == 0 && network_node_size(net) == 1 && !fabric->wan;
	if (net->plain)
		return;
	net->end = xcalloc((size_t)locations, sizeof(*net->end));
	for (int i = 0; i < locations; i++)
		net->end[i] = network_end_of(fabric, &none);
	for (size_t i = 0; i < own->n; i++)
		if (own->clause[i].to.n == 0)
			network_set(net, &own->clause[i]);
}

void network_release(struct network *net)
{
	free(net->end);
	net->end = NULL;
}

struct wire network_wire(const struct network *net, int from, int to)
{
	const struct network_end *a = &net->end[from], *b = &net->end[to];
	const bool inside = network_inside(net, from, to);
	const struct link_values *pair = network_pair(net, from, to);
	const struct wan_conf *wan = inside ? NULL : net->fabric.wan;
	struct wire w = {
		.latency_s = inside ? 0.5 * (a->node_latency_s + b->node_latency_s)
				    : 0.5 * (a->latency_s + b->latency_s),
		.out_message = a->message_s, .in_message = b->message_s,
		.out_rate = inside ? a->node_rate : a->rate,
		.in_rate = inside ? b->node_rate : b->rate, .wan = wan,
	};

	if (pair) {
		w.latency_s = network_unless(pair->latency_s, w.latency_s);
		w.out_message = network_unless(pair->message_s, w.out_message);
		w.in_message = network_unless(pair->message_s, w.in_message);
		w.out_rate = fmin(w.out_rate, network_rate(pair->bandwidth, HUGE_VAL));
		w.in_rate = fmin(w.in_rate, network_rate(pair->bandwidth, HUGE_VAL));
	}
	w.line_rate = w.out_rate;
	if (wan) {
		const double flow = wan_flow_rate(wan, w.latency_s);

		w.line_rate = fmin(w.out_rate, flow);
		w.out_rate = fmin(wan_shaped(wan, w.out_rate), flow);
		w.in_rate = fmin(w.in_rate, flow);
	}
	return w;
}

/* ---- checks ---- */

int network_check_nics(const struct link *model, const void *conf, const char *devices)
{
	const struct fabric f = model->fabric ? model->fabric(conf) : (struct fabric){ 0 };
	const long long node = f.node, nics = f.nics;

	if (nics <= node)
		return 0;
	return error("link model %s: nics = %lld, but the NICs of a node are divided among its "
		     "%ss, of which it has node = %lld (expected nics of at most %lld). Give "
		     "node=NUMBER of %ss; or for a %s with several NICs, give nics=%lld and %.4g "
		     "times the bandwidth_GBps", model->plugin.name, nics, devices, node, node,
		     devices, devices, node, (double)nics / (double)node);
}

static int network_check_nodes(const char *model, const struct fabric *f, int workers)
{
	const long long node = f->node;

	if (node > 1 && workers > node && workers % node)
		return error("link model %s: workers = %d do not fill nodes of node = %lld "
			     "(expected a multiple of %lld, or fewer). Change workers or node",
			     model, workers, node, node);
	if (f->rack && node > 1 && f->rack % node)
		return error("link model %s: rack = %lld workers are not whole nodes of node = "
			     "%lld (expected a multiple of %lld). Change rack or node", model,
			     (long long)f->rack, node, node);
	return 0;
}

static size_t network_who_size(const struct rank_list *who)
{
	size_t n = 0;

	for (size_t i = 0; i < who->n; i++)
		n += (size_t)(who->span[i].last - who->span[i].first) + 1;
	return n;
}

static int network_check_ring(const char *model, const struct fabric *f)
{
	if (f->ring)
		return 0;
	return error("link model %s: only the all-reduces of collective=ring count "
		     "background_GBps. Give collective=ring, or leave background_GBps out", model);
}

static int network_check_clause(const struct link *model, const struct fabric *f,
				const struct link_clause *c)
{
	const char *name = model->plugin.name;
	const size_t flows = network_who_size(&c->from) * network_who_size(&c->to);
	const bool inside = c->set.node_bandwidth >= 0.0 || c->set.node_latency_s >= 0.0;

	if (inside && f->node <= 1)
		return error("link model %s: node_GBps and node_latency_s need nodes of several "
			     "workers, but node = 1. Give node=WORKERS", name);
	if (c->set.background < 0.0)
		return 0;
	if (!model->shares)
		return error("link model %s: background_GBps: a NIC carries one message at a time "
			     "here. Use link model fair", name);
	if (flows > MOST_BACKGROUND)
		return error("link model %s: background_GBps is for %zu pairs of ranks (expected "
			     "at most %d). Name fewer", name, flows, MOST_BACKGROUND);
	return network_check_ring(name, f);
}

/* Refuses clauses that give workers with a common NIC different rates of it. */
static int network_check_rates(const struct network *net, const char *model)
{
	for (int i = 1; i < net->workers && net->end; i++)
		if (network_nic(net, i) == network_nic(net, i - 1) &&
		    (net->end[i].rate < net->end[i - 1].rate ||
		     net->end[i].rate > net->end[i - 1].rate))
			return error("link model %s: ranks %d and %d share a NIC, but have "
				     "bandwidth_GBps = %.9g and %.9g (expected one value). Name "
				     "all ranks of the NIC in a clause", model, i - 1, i,
				     1e-9 * net->end[i - 1].rate, 1e-9 * net->end[i].rate);
	return 0;
}

int network_check(const struct link *model, const void *conf, const struct link_clauses *own,
		  int workers)
{
	struct fabric fabric;
	struct network net;
	int ret;

	if (!model->fabric)
		return own->n == 0 ? 0 : error("link model %s: all nodes are alike in it. For "
					       "settings of single nodes use nic or fair",
					       model->plugin.name);
	fabric = model->fabric(conf);
	if (network_check_nics(model, conf, "worker") < 0 ||
	    network_check_nodes(model->plugin.name, &fabric, workers) < 0 ||
	    (fabric.background > 0.0 && network_check_ring(model->plugin.name, &fabric) < 0))
		return -1;
	for (size_t i = 0; i < own->n; i++)
		if (network_check_clause(model, &fabric, &own->clause[i]) < 0)
			return -1;
	network_open(&net, &fabric, own, workers, workers + 1);
	ret = network_check_rates(&net, model->plugin.name);
	network_release(&net);
	return ret;
}

/* ---- the table of link models, built from sim/list.h ---- */

#define LINK(name) extern const struct link link_##name;
#include "sim/list.h"
#undef LINK

#define LINK(name) &link_##name.plugin,
const struct plugin *const link_table[] = {
#include "sim/list.h"
	NULL
};
#undef LINK

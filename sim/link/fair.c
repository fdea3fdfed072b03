/*
 * fair.c - nodes on switches, whose messages share every line fairly.
 *
 * A message uses its sender's NIC, its receiver's, and the switch between them. If there are racks,
 * a message from one rack to another uses the racks' uplinks and the core, and one within a rack
 * only NICs. At every moment, lines are shared by max-min fairness (flows.h). A message that shares
 * nothing takes latency + bytes / bandwidth.
 *
 * Workers of a node share its NICs, and are connected by lines of their own. Other jobs' traffic is
 * a set of permanent flows with a maximal rate.
 *
 * All-reduces take the time of sim/allreduce/collective.h; the flows of a ring in the order of
 * ranks share the core, or one flow leaves each rack.
 */
#include "sim/allreduce/collective.h"
#include "sim/link/link.h"
#include "sim/link/wan.h"

#include "core/base/error.h"

#include <math.h>

struct fair_conf {
	double latency_s, bandwidth, core, uplink;      /* seconds; GB/s = 1e9 bytes a second */
	double message_s, background;
	int64_t rack;
	int stepwise;           /* enum ring_steps */
	struct collective_conf allreduce;
	struct nodes_conf nodes;
	struct wan_conf wan;
};

static struct fabric fair_fabric(const void *conf)
{
	const struct fair_conf *c = conf;

	return nodes_in((struct fabric){
		.latency_s = c->latency_s, .message_s = c->message_s, .nic = c->bandwidth * 1e9,
		.core = c->core * 1e9, .rack = c->rack, .uplink = c->uplink * 1e9,
		.background = c->background * 1e9, .ring = c->allreduce.kind == COLLECTIVE_RING,
		.wan = wan_used(&c->wan),
	}, &c->nodes);
}

/* Bytes a second of each flow in a ring over n nodes. */
static double ring_rate(const struct fair_conf *c, int n)
{
	const int64_t crossing = c->rack ? (n + c->rack - 1) / c->rack : n;
	double rate = c->bandwidth;

	if (crossing > 1 && c->core > 0.0)
		rate = fmin(rate, c->core / (double)crossing);
	if (c->rack && crossing > 1 && c->uplink > 0.0)
		rate = fmin(rate, c->uplink);
	return rate * 1e9;
}

static struct collective fair_collective(const void *conf, const struct members *m)
{
	const struct fair_conf *c = conf;
	const bool ring = c->allreduce.kind == COLLECTIVE_RING && !m->differ;

	return (struct collective){
		.conf = &c->allreduce, .members = m,
		.latency = c->latency_s, .message = c->message_s,
		.rate = ring ? ring_rate(c, m->n) : c->bandwidth * 1e9, .both = 1.0,
		.tries = 1.0,
		.core = ring ? 0.0 : c->core * 1e9, .uplink = ring ? 0.0 : c->uplink * 1e9,
	};
}

static enum ring_steps fair_stepwise(const void *conf)
{
	return (enum ring_steps)((const struct fair_conf *)conf)->stepwise;
}

static int fair_check(const void *conf)
{
	const struct fair_conf *c = conf;

	if (!c->rack && c->uplink > 0.0)
		return error("link model fair: uplink_GBps = %g without racks: rack must be at "
			     "least 1, or uplink_GBps 0", c->uplink);
	if (!(c->uplink > 0.0) && c->background > 0.0)
		return error("link model fair: background_GBps = %g without uplinks: other jobs' "
			     "traffic crosses these. Give rack and uplink_GBps, or a clause "
			     "'RANKS>RANKS: background_GBps=...'", c->background);
	if (c->stepwise && c->allreduce.kind != COLLECTIVE_RING)
		return error("link model fair: stepwise needs collective=ring, not %s",
			     collective_names[c->allreduce.kind]);
	if (wan_check(&c->wan, "fair", c->latency_s) < 0)
		return -1;
	return collective_check(&c->allreduce, "fair");
}

#define FAIR_AT(type, field) OPT_AT(type, struct fair_conf, field)

static void fair_scale(void *conf, double ratio)
{
	struct fair_conf *c = conf;

	c->bandwidth = link_scaled(c->bandwidth, ratio);
	c->core = link_scaled(c->core, ratio);
	c->uplink = link_scaled(c->uplink, ratio);
	c->background = link_scaled(c->background, ratio);
	c->nodes.rate = link_scaled(c->nodes.rate, ratio);
	table_scale(&c->allreduce.table, ratio);
	wan_scale(&c->wan, ratio);
}

static const struct opt fair_opts[] = {
	OPT_NUMBER(struct fair_conf, latency_s, "1e-5", "seconds from one end to the other",
		   "SECONDS", 0, 1e6),
	{ "bandwidth_GBps", FAIR_AT(DOUBLE, bandwidth), "1",
	  "1e9 bytes a second through a NIC, each way", "GB/S", 1e-9, 1e9, NULL, 0 },
	{ "core_GBps", FAIR_AT(DOUBLE, core), "0",
	  "1e9 bytes a second through the switch, or from rack to rack; 0: never too few", "GB/S",
	  0, 1e9, NULL, 0 },
	OPT_NUMBER(struct fair_conf, rack, "0", "nodes of a rack; 0: no racks", "N", 0, 1 << 24),
	{ "uplink_GBps", FAIR_AT(DOUBLE, uplink), "0",
	  "1e9 bytes a second between a rack and the core, each way; 0: never too few", "GB/S", 0,
	  1e9, NULL, 0 },
	OPT_CHOICE(struct fair_conf, stepwise, "false",
		   "make an all-reduce of a ring's messages, which share lines with others; pairs, "
		   "or true: a step ends with its send and its receive, as in MPI and NCCL; eager: "
		   "with its receive",
		   NULL, ring_steps_names),
	{ "message_s", FAIR_AT(DOUBLE, message_s), "0",
	  "seconds of a NIC per message, without its bytes", "SECONDS", 0, 1e6, NULL, OPT_ADDED },
	{ "background_GBps", FAIR_AT(DOUBLE, background), "0",
	  "1e9 bytes a second of other jobs on each uplink, each way", "GB/S", 0, 1e9, NULL,
	  OPT_ADDED },
	COLLECTIVE_OPTS(struct fair_conf, allreduce),
	NODES_OPTS(struct fair_conf, nodes),
	COLLECTIVE_TABLE_OPTS(struct fair_conf, allreduce),
	WAN_OPTS(struct fair_conf, wan),
	{ 0 }
};

const struct link link_fair = {
	.plugin = { .name = "fair",
		    .brief = "a switch, or racks with uplinks, shared fairly by what is under way",
		    .also = "maxmin, flow",
		    .cite = "Bertsekas, Gallager 1992 (max-min fairness)", .opts = fair_opts,
		    .conf_size = sizeof(struct fair_conf) },
	.collective = fair_collective,
	.check = fair_check,
	.stepwise = fair_stepwise,
	.fabric = fair_fabric,
	.scale = fair_scale,
	.shares = true,
};

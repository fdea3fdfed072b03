/*
 * fair.c - nodes on switches, whose messages share every line fairly.
 *
 * A message takes its sender's NIC, its receiver's, and the switch that all are on; where there
 * are racks, a message from one to another takes the racks' uplinks and the core between them, and
 * one within a rack only NICs. Each line is shared by max-min fairness (share.h), by the
 * second. A message that shares nothing takes latency + bytes / bandwidth.
 *
 * An all-reduce alone is a ring in the order of ranks: 2 (n - 1) steps of latency and bytes / n,
 * in which n flows share the core, or one leaves each rack.
 */
#include "sim/link/link.h"

#include "core/base/error.h"

#include <math.h>

struct fair_conf {
	double latency_s, bandwidth, core, uplink;      /* seconds; GB/s = 1e9 bytes a second */
	int64_t rack;
	int stepwise;           /* enum ring_steps */
};

static struct fabric fair_fabric(const void *conf)
{
	const struct fair_conf *c = conf;

	return (struct fabric){
		.latency_s = c->latency_s, .nic = c->bandwidth * 1e9, .core = c->core * 1e9,
		.rack = c->rack, .uplink = c->uplink * 1e9,
	};
}

/* Bytes a second of each flow of a ring over n nodes. */
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

static double fair_allreduce(const void *conf, int n, size_t bytes)
{
	const struct fair_conf *c = conf;

	return 2.0 * (n - 1) * (c->latency_s + (double)bytes / n / ring_rate(c, n));
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
	return 0;
}

#define AT(type, field) OPT_AT(type, struct fair_conf, field)

static const struct opt fair_opts[] = {
	{ "latency_s", AT(DOUBLE, latency_s), "1e-5", "seconds from one end to the other",
	  "SECONDS", 0, 1e6, NULL, 0 },
	{ "bandwidth_GBps", AT(DOUBLE, bandwidth), "1",
	  "1e9 bytes a second through a NIC, each way", "GB/S", 1e-9, 1e9, NULL, 0 },
	{ "core_GBps", AT(DOUBLE, core), "0",
	  "1e9 bytes a second through the switch, or from rack to rack; 0: never too few", "GB/S",
	  0, 1e9, NULL, 0 },
	{ "rack", AT(INT, rack), "0", "nodes of a rack; 0: no racks", "N", 0, 1 << 24, NULL,
	  0 },
	{ "uplink_GBps", AT(DOUBLE, uplink), "0",
	  "1e9 bytes a second between a rack and the core, each way; 0: never too few", "GB/S", 0,
	  1e9, NULL, 0 },
	{ "stepwise", AT(ENUM, stepwise), "false",
	  "make an all-reduce of a ring's messages, which share lines with others; pairs, or "
	  "true: a step ends with its send and its receive, as in MPI and NCCL; eager: with its "
	  "receive",
	  NULL, 0, 0, ring_steps_names, 0 },
	{ 0 }
};

extern const struct link link_fair;
const struct link link_fair = {
	.plugin = { "fair", "a switch, or racks with uplinks, shared fairly by what is under way",
		    "Bertsekas, Gallager 1992 (max-min fairness)", fair_opts,
		    sizeof(struct fair_conf) },
	.allreduce = fair_allreduce,
	.check = fair_check,
	.stepwise = fair_stepwise,
	.fabric = fair_fabric,
};

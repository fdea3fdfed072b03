/* Settings of nodes of several workers, which the link models nic and fair share. */
#ifndef SIM_LINK_NODES_H
#define SIM_LINK_NODES_H

#include "sim/link/link.h"

struct nodes_conf {
	int64_t node, nics;
	double rate, latency_s;         /* GB/s = 1e9 bytes a second */
};

#define NODES_OPTS(conf, field)                                                                    \
	{ "node", OPT_AT(INT, conf, field.node), "1",                                              \
	  "workers of a node, which share its NICs: ranks 0 to N-1, N to 2N-1, ...", "N", 1,       \
	  1 << 20, NULL, OPT_ADDED },                                                              \
	{ "nics", OPT_AT(INT, conf, field.nics), "1",                                            \
	  "NICs of a node; its workers are divided among them in order of ranks", "N", 1, 1 << 20, \
	  NULL, OPT_ADDED },                                                                       \
	{ "node_GBps", OPT_AT(DOUBLE, conf, field.rate), "0",                                      \
	  "1e9 bytes a second from a worker to others of its node, each way; 0: no time", "GB/S",  \
	  0, 1e9, NULL, OPT_ADDED },                                                               \
	{ "node_latency_s", OPT_AT(DOUBLE, conf, field.latency_s), "1e-6",                         \
	  "seconds from one worker to another of its node", "SECONDS", 0, 1e6, NULL, OPT_ADDED }

/* Fills in what a fabric has of nodes. */
static inline struct fabric nodes_in(struct fabric f, const struct nodes_conf *c)
{
	f.node = c->node;
	f.nics = c->nics;
	f.node_rate = c->rate * 1e9;
	f.node_latency_s = c->latency_s;
	return f;
}

#endif

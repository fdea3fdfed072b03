/*
 * network.h - the NICs of locations, and the network between two of them.
 *
 * Workers of a node share its NICs: with c NICs for g workers, worker i of a node has NIC floor(i c
 * / g). A server's machines have a NIC each. Nodes and racks are filled in the order of ranks. A
 * node's latency is that of the way to the switch and back, so a message takes the mean of its two
 * ends' latencies. A pair's clause replaces latency and message cost, and is an upper bound of the
 * rate.
 */
#ifndef SIM_LINK_NETWORK_H
#define SIM_LINK_NETWORK_H

#include "sim/link/clauses.h"
#include "sim/link/link.h"

struct network_end {            /* a location's own link: seconds, and bytes a second */
	double latency_s, message_s, rate;
	double node_latency_s, node_rate;
};

struct network {
	struct fabric fabric;
	const struct link_clauses *own; /* borrowed */
	int workers, locations; /* the server's machines are after the workers */
	bool plain;             /* no location differs, and none share NICs */
	struct network_end *end;        /* [locations] owned; plain: NULL */
};

/*
 * 0, or error() when clauses or nodes contradict each other, the link model, or the number of
 * workers.
 */
int network_check(const struct link *model, const void *conf, const struct link_clauses *own,
		  int workers);

/*
 * Part of network_check(), which needs only the link: 0, or error() when a node has more NICs than
 * workers. devices: "worker", or "device" as long as the link counts devices of larger workers.
 */
int network_check_nics(const struct link *model, const void *conf, const char *devices);

/*
 * Opens the network of a link model with a fabric. Borrows the clauses. Release it with
 * network_release().
 */
void network_open(struct network *net, const struct fabric *fabric,
		  const struct link_clauses *own, int workers, int locations);
void network_release(struct network *net);

int network_nics(const struct network *net);   /* of all locations */
int network_nic(const struct network *net, int location);

/* True for two workers of one node, if nodes have several workers. */
bool network_inside(const struct network *net, int a, int b);

/* Values of the clause for two locations, or NULL. */
const struct link_values *network_pair(const struct network *net, int from, int to);

/* Cost of messages between two locations, in a network that is not plain. */
struct wire network_wire(const struct network *net, int from, int to);

#endif

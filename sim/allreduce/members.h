/* What the members of an all-reduce have of the network. */
#ifndef SIM_ALLREDUCE_MEMBERS_H
#define SIM_ALLREDUCE_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>

struct network;

struct reach {                  /* from one member to another, alone */
	double latency, message;        /* seconds */
	double rate;                    /* bytes a second; HUGE_VAL: no time */
};

struct members {
	int n;
	bool differ;            /* else all that follows is as the link's settings say */
	int nodes, node, nics; /* nodes; the most members of one; its NICs */
	bool racked;            /* there are racks, of which the core is above the uplinks */
	int rack;               /* the most members of a rack, where these are in several; or 0 */
	struct reach across, inside;    /* the slowest member's, between nodes and in its node */
	struct reach *step;     /* [nsteps] owned: from each member to the next, the slowest */
	size_t nsteps;
};

/*
 * Of so many locations of a network, in the order of the ring. shares: messages share uplinks and
 * the core too. The caller releases it.
 */
struct members members_of(const struct network *net, const int *location, int n, bool shares);

void members_release(struct members *m);

#endif

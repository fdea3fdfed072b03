/* The lines of a network that flows share, and which of them a flow takes. */
#ifndef SIM_LINK_LINES_H
#define SIM_LINK_LINES_H

#include "sim/link/network.h"
#include "sim/link/share.h"

struct lines {
	const struct network *net;      /* borrowed */
	/* NICs out, NICs in, the core, uplinks, downlinks; workers out and in, inside nodes. */
	struct line *line;      /* owned */
	int nics, racks;
	bool shares;            /* uplinks and the core too, else NICs alone */
};

void lines_open(struct lines *l, const struct network *net, bool shares);
void lines_release(struct lines *l);

/* What a flow between two locations takes. */
struct share lines_route(const struct lines *l, int from, int to);

/* Bytes a second of a flow that is alone; HUGE_VAL: no line bounds it. */
double lines_alone(const struct lines *l, const struct share *s);

/* *others[] <- the flows that are there without the run; how many. The caller frees the list. */
size_t lines_others(const struct lines *l, struct share **others);

/* rate[n] <- bytes a second that each of n locations can send to the next, when all do. */
void lines_ring_rates(const struct network *net, const int *location, int n, bool shares,
		      double *rate);

#endif

/*
 * flows.h - messages under way that share a fabric's lines fairly.
 *
 * What one node sends another is a flow, in which messages follow each other. Rates are max-min
 * fair, and change when a flow begins or ends. A message is whole when its last byte has left,
 * and latency later.
 */
#ifndef SIM_LINK_FLOWS_H
#define SIM_LINK_FLOWS_H

#include "sim/events/heap.h"
#include "sim/link/network.h"
#include "sim/link/packet.h"

#include <stddef.h>

/*
 * Rates of flows that share lines fairly.
 *
 * Max-min fairness (Bertsekas, Gallager 1992, section 6.5.2): no flow can have more without
 * taking from one that has no more than it. By progressive filling: of all lines, the one that
 * can give least to each of its flows gives that; those flows are settled, what they take of
 * other lines is gone; and so on.
 */

enum { SHARE_LINES = 5 };       /* that one flow takes at most */

struct line {
	double capacity;        /* > 0 */
	double left;            /* scratch */
	int flows;              /* scratch: not settled */
};

struct share {
	int line[SHARE_LINES], nlines;  /* indices, each once */
	double cap;             /* its rate at most; 0: none */
	double rate;            /* found */
};

/*
 * share[n]->rate <- max-min fair rates over lines[]; HUGE_VAL of a flow without lines and cap. The
 * order of flows does not matter.
 */
void share_fairly(struct line *lines, struct share *const *share, size_t n);

struct lines {
	const struct network *net;      /* borrowed */
	/* NICs out, NICs in, the core, uplinks, downlinks; workers out and in, inside nodes. */
	struct line *line;      /* owned */
	int nics, racks;
	bool shares;            /* uplinks and the core too, else NICs alone */
};

/* rate[n] <- bytes a second that each of n locations can send to the next, when all do. */
void lines_ring_rates(const struct network *net, const int *location, int n, bool shares,
		      double *rate);

struct flows;

/*
 * Of a network; the caller frees with flows_free(). Borrows the heap: pushes SIM_NET and
 * SIM_RECEIVED.
 */
struct flows *flows_new(const struct network *net, struct heap *heap);

/* A message is submitted at `time`, now or later, from one location to another. */
void flows_send(struct flows *f, double time, int from, int to, struct packet *p);

/* Handles a SIM_NET. */
void flows_step(struct flows *f, const struct sim_event *ev);

/* Puts what is still under way to the spare ones. NULL: nothing. */
void flows_free(struct flows *f, struct packet **spare);

#endif

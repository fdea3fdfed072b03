/*
 * flows.h - messages in flight that share the lines of a fabric fairly.
 *
 * Messages from one node to another are a flow, in which they follow each other. Rates are max-min
 * fair, and change when a flow begins or ends. A message is complete when its last byte has left,
 * plus the latency.
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
 * Max-min fairness (Bertsekas, Gallager 1992, section 6.5.2): no flow can get more without taking
 * from one that has no more than it. Computed by progressive filling: the line that can give least
 * to each of its flows gives them that; their rates are final, and are subtracted from their other
 * lines; and so on.
 */

enum { SHARE_LINES = 5 };       /* most lines of one flow */

struct line {
	double capacity;        /* > 0 */
	double left;            /* scratch */
	int flows;              /* scratch: not settled */
};

struct share {
	int line[SHARE_LINES], nlines;  /* indices, each once */
	double cap;             /* upper bound of its rate; 0: none */
	double rate;            /* result */
};

/*
 * share[n]->rate <- max-min fair rates over lines[]; HUGE_VAL for a flow without lines and cap. The
 * order of flows does not matter.
 */
void share_fairly(struct line *lines, struct share *const *share, size_t n);

struct lines {
	const struct network *net;      /* borrowed */
	/* NICs out, NICs in, core, uplinks, downlinks; workers out and in, within nodes. */
	struct line *line;      /* owned */
	int nics, racks;
	bool shares;            /* uplinks and the core are shared too, not only NICs */
};

/*
 * rate[n] <- bytes a second that each of n locations can send to the next, when all send; NICs have
 * `nics` times their rate.
 */
void lines_ring_rates(const struct network *net, const int *location, int n, bool shares,
		      double nics, double *rate);

struct flows;

/*
 * Flows of a network; the caller frees with flows_free(). Borrows the heap, to push SIM_NET and
 * SIM_RECEIVED.
 */
struct flows *flows_new(const struct network *net, struct heap *heap);

/* Sends a packet at `time`, now or later, from one location to another. */
void flows_send(struct flows *f, double time, int from, int to, struct packet *p);

/* Handles a SIM_NET. */
void flows_step(struct flows *f, const struct sim_event *ev);

/* Frees the flows. f NULL: nothing. */
void flows_free(struct flows *f);

#endif

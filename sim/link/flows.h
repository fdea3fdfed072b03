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

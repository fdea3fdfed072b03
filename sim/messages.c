/*
 * messages.c - messages through the sender's NIC, the link and the receiver's NIC.
 *
 * A server in S shards is S machines. A message to it leaves the worker's NIC in S pieces, one
 * after the other, one for each shard; a message from it leaves all shards' NICs at the same time.
 * Each piece has a header, and the message is complete when all pieces have arrived.
 */
#include "sim/world.h"

#include "core/base/apart.h"
#include "core/base/mem.h"
#include "core/codec.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { HEADER_BYTES = 24 }; /* tag, stamp, length; a real message's is 64 */

/* ---- order: no message overtakes another ---- */

/* The slot of a location, or the free slot for it. */
static struct order_slot *order_find(const struct order *o, int key)
{
	size_t i = (uint32_t)key * 2654435761u & (o->capacity - 1);

	while (o->slot[i].to && o->slot[i].to != key)
		i = (i + 1) & (o->capacity - 1);
	return &o->slot[i];
}

static void order_grow(struct order *o)
{
	struct order bigger = { .n = o->n, .capacity = o->capacity ? 2 * o->capacity : 8 };

	bigger.slot = xcalloc(bigger.capacity, sizeof(*bigger.slot));
	for (size_t i = 0; i < o->capacity; i++)
		if (o->slot[i].to)
			*order_find(&bigger, o->slot[i].to) = o->slot[i];
	free(o->slot);
	*o = bigger;
}

double order_keep(struct order *o, int to, double due)
{
	struct order_slot *slot;

	if (2 * o->n >= o->capacity)
		order_grow(o);
	slot = order_find(o, to + 1);
	if (!slot->to) {
		*slot = (struct order_slot){ .to = to + 1 };
		o->n++;
	}
	slot->due = fmax(slot->due, due);
	return slot->due;
}

void order_release(struct order *o)
{
	free(o->slot);
	*o = (struct order){ 0 };
}

/* ---- the sender's side ---- */

/* The NIC, at `location`, of messages to and from the other location. */
static struct nic *post_nic(struct sim *s, int location, int other)
{
	if (network_inside(&s->post.net, location, other))
		return &s->post.machine[location];
	return &s->post.nic[network_nic(&s->post.net, location)];
}

/* Time at which a message sent at `time` has crossed the link, if locations differ. */
APART static double due_of_wire(struct sim *s, int from, int to, double time, size_t bytes)
{
	const struct wire w = network_wire(&s->post.net, from, to);

	return s->link->send(s->conf->link.conf, post_nic(s, from, to), time, bytes, &w);
}

/* Time at which a message that has crossed now is complete. */
APART static double whole_of_wire(struct sim *s, int from, int to, size_t bytes)
{
	const struct wire w = network_wire(&s->post.net, from, to);

	return s->link->receive(s->conf->link.conf, post_nic(s, to, from), s->now, bytes, &w);
}

static inline void packet_cross(struct sim *s, int from, int to, double time, struct packet *p)
{
	double due;

	p->from = from;
	if (s->post.flows) {
		flows_send(s->post.flows, time, from, to, p);
		return;
	}
	if (s->post.net.plain)
		due = s->link->send(s->conf->link.conf, &s->post.machine[from], time, p->bytes,
				    NULL);
	else
		due = due_of_wire(s, from, to, time, p->bytes);
	if (s->post.order)
		due = order_keep(&s->post.order[from], to, due);
	heap_push(&s->heap, due, SIM_MSG, to, p, 0);
}

void packet_launch(struct sim *s, int from, int to, double time, struct packet *p)
{
	packet_cross(s, from, to, time, p);
}

static inline void packet_post(struct sim *s, int from, int to, double time, struct packet *p)
{
	p->sent = time;
	if (s->faults) {
		p->life = sim_node(sim_at(s, to))->life;
		if (fault_holds(s, from, to, time, p))
			return;
	}
	packet_cross(s, from, to, time, p);
}

void packet_piece(struct sim *s, struct node *nd, int to, double time, size_t bytes)
{
	packet_post(s, nd->rank, to, time, packet_blank(&s->post.packets, bytes));
}

/*
 * Sends the pieces of a message of `bytes` without headers. A shard gets whole floats, or of
 * codes whole bytes.
 */
APART static void packet_scatter(struct sim *s, int from, int to, double time, struct packet *p,
				 size_t bytes)
{
	const size_t unit = p->msg.codes && codec_packs(s->run) ? 1 : sizeof(float);
	const int server = sim_index(s, SERVER);

	p->missing = s->post.shards;
	p->sent = time;
	p->life = sim_node(sim_at(s, to))->life;
	for (int k = 0; k < s->post.shards; k++) {
		const size_t n = unit * sim_piece(bytes / unit, (size_t)s->post.shards, (size_t)k);
		struct packet *piece = packet_blank(&s->post.packets, n + HEADER_BYTES);

		piece->of = p;
		piece->errand = p->errand;
		packet_post(s, from == server ? from + k : from, to == server ? to + k : to, time,
			    piece);
	}
}

/* Bytes of the message that brings a worker back, in which the algorithm sends `bytes`. */
static size_t packet_fetched(const struct sim *s, const struct node *nd, size_t bytes)
{
	const double fetch = absence_of(s, nd)->cause->fetch;

	return fetch > 0.0 ? (size_t)(fetch * (double)(s->run->dim * sizeof(float))) : bytes;
}

/* Counts a message that the node sends in `pieces`. */
static inline void packet_book(struct node *nd, struct packet *p, int pieces)
{
	p->bytes += (size_t)pieces * HEADER_BYTES;
	nd->ledger.messages += pieces;
	nd->ledger.bytes_sent += p->bytes;
}

/* packet_send() of p in runs that are not `direct`. */
APART static void packet_send_indirect(struct sim *s, struct node *nd, int to, struct packet *p)
{
	const double time = sim_node(nd)->clock;
	const int from = sim_index(s, nd->rank), at = sim_index(s, to);
	const int pieces = to == SERVER || nd->rank == SERVER ? s->post.shards : 1;
	size_t bytes = p->bytes;

	p->history = s->histories.kept ? history_act(sim_node(nd), HISTORY_SENDS) : 0;
	if (s->faults) {
		p->errand = s->faults->errand;
		if (p->errand == ERRAND_MODEL)
			bytes = p->bytes = packet_fetched(s, &s->nodes[at], p->bytes);
		if (p->errand == ERRAND_NONE)
			neighbours_send(s, nd);
	}
	packet_book(nd, p, pieces);
	s->nodes[at].ledger.bytes_received += p->bytes;
	if (pieces > 1)
		packet_scatter(s, from, at, time, p, bytes);
	else
		packet_post(s, from, at, time, p);
	if (s->sends)
		run_emit(s->run, &(struct event){ .kind = EV_SEND, .time = time,
						  .node = nd, .peer = to, .bytes = p->bytes,
						  .tag = p->msg.tag });
}

void packet_send(struct sim *s, struct node *nd, int to, const struct msg *m)
{
	const double time = sim_node(nd)->clock;
	const int from = sim_index(s, nd->rank), at = sim_index(s, to);
	struct packet *p = packet_copy(&s->post.packets, nd, m, s->post.codes);

	sim_asked(s);
	p->errand = ERRAND_NONE;
	if (!s->post.direct) {
		packet_send_indirect(s, nd, to, p);
		return;
	}
	p->from = from;
	p->sent = time;
	packet_book(nd, p, 1);
	heap_push(&s->heap,
		  s->link->send(s->conf->link.conf, &s->post.machine[from], time, p->bytes, NULL),
		  SIM_MSG, at, p, 0);
}

/* ---- the receiver's side ---- */

/* True when the message is complete now; else pushes its SIM_RECEIVED. */
static bool packet_is_whole(struct sim *s, int to, struct packet *p)
{
	double t;

	if (!s->link->receive)
		return true;
	if (s->post.net.plain)
		t = s->link->receive(s->conf->link.conf, &s->post.machine[to], s->now, p->bytes,
				     NULL);
	else
		t = whole_of_wire(s, p->from, to, p->bytes);
	if (t <= s->now)
		return true;
	heap_push(&s->heap, t, SIM_RECEIVED, to, p, 0);
	return false;
}

bool packet_crosses(struct sim *s, const struct sim_event *ev)
{
	const int location = sim_event_node(ev);
	struct packet *p = ev->ptr, *message;

	if (sim_event_kind(ev) == SIM_MSG && p->errand < ERRAND_LOST &&
	    !packet_is_whole(s, location, p))
		return true;
	if (!p->piece)
		return false;
	if (!p->of) {
		ring_received(s, sim_at(s, location), p);
		return true;
	}
	message = packet_join(&s->post.packets, p);
	if (message) /* complete with its last piece */
		heap_push(&s->heap, s->now, SIM_RECEIVED, location, message, 0);
	return true;
}

/*
 * messages.c - messages on their way over the sender's NIC, the wire and the receiver's NIC.
 *
 * A server in S shards is S machines. What a worker sends it leaves the worker's NIC in S
 * pieces, one after the other, for one shard each; what it sends leaves all shards' NICs at
 * once. The pieces carry a header each, and the message is there when all of them are.
 */
#include "sim/world.h"

#include "core/base/apart.h"
#include "core/base/mem.h"
#include "core/codec.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* ---- a hash table of each receiver's last due time, so that messages keep their order ---- */

/* That location's slot, or the free one that it would have. */
static struct order_slot *link_order_find(const struct order *o, int key)
{
	size_t i = (uint32_t)key * 2654435761u & (o->capacity - 1);

	while (o->slot[i].to && o->slot[i].to != key)
		i = (i + 1) & (o->capacity - 1);
	return &o->slot[i];
}

static void link_order_grow(struct order *o)
{
	struct order bigger = { .n = o->n, .capacity = o->capacity ? 2 * o->capacity : 8 };

	bigger.slot = xcalloc(bigger.capacity, sizeof(*bigger.slot));
	for (size_t i = 0; i < o->capacity; i++)
		if (o->slot[i].to)
			*link_order_find(&bigger, o->slot[i].to) = o->slot[i];
	free(o->slot);
	*o = bigger;
}

double order_keep(struct order *o, int to, double due)
{
	struct order_slot *slot;

	if (2 * o->n >= o->capacity)
		link_order_grow(o);
	slot = link_order_find(o, to + 1);
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

enum { HEADER_BYTES = 24 };     /* tag, stamp, length: what a real message carries too */

static void sim_post_count(struct node *nd, struct node *to, int pieces, size_t bytes)
{
	nd->ledger.messages += pieces;
	nd->ledger.bytes_sent += (int64_t)bytes;
	to->ledger.bytes_received += (int64_t)bytes;
}

/* What messages between `location` and the other one pass at `location`. */
static struct nic *post_nic(struct sim *s, int location, int other)
{
	if (network_inside(&s->net, location, other))
		return &s->machine[location].nic;
	return &s->nic[network_nic(&s->net, location)];
}

/* When a message that leaves then is across, where what is between locations differs. */
APART static double sim_post_due(struct sim *s, int from, int to, double time, size_t bytes)
{
	const struct wire w = network_wire(&s->net, from, to);

	return s->link->send(s->conf->link.conf, post_nic(s, from, to), time, bytes, &w);
}

/* The same of one that is across now: when it is whole. */
APART static double sim_post_entered(struct sim *s, int from, int to, size_t bytes)
{
	const struct wire w = network_wire(&s->net, from, to);

	return s->link->receive(s->conf->link.conf, post_nic(s, to, from), s->now, bytes, &w);
}

static inline void sim_post_cross(struct sim *s, int from, int to, double time, struct packet *p)
{
	struct machine *m = &s->machine[from];
	double due;

	p->from = from;
	if (s->flows) {
		flows_send(s->flows, time, from, to, p);
		return;
	}
	if (s->net.plain)
		due = s->link->send(s->conf->link.conf, &m->nic, time, p->bytes, NULL);
	else
		due = sim_post_due(s, from, to, time, p->bytes);
	if (s->overtakes)
		due = order_keep(&m->order, to, due);
	heap_push(&s->heap, due, SIM_MSG, to, p, 0);
}

void packet_launch(struct sim *s, int from, int to, double time, struct packet *p)
{
	sim_post_cross(s, from, to, time, p);
}

static inline void sim_post_launch(struct sim *s, int from, int to, double time, struct packet *p)
{
	p->sent = time;
	if (s->faulty)
		p->life = sim_node(sim_at(s, to))->life;
	if (!s->faulty || !fault_holds(s, from, to, time, p))
		sim_post_cross(s, from, to, time, p);
}

void packet_piece(struct sim *s, struct node *nd, int to, double time, size_t bytes)
{
	sim_post_launch(s, nd->rank, to, time, packet_blank(&s->spare, bytes));
}

/* Whole floats go to a shard; of codes, whole bytes. */
static size_t piece_bytes(const struct sim *s, const struct msg *m, size_t bytes, int k)
{
	const size_t unit = m->codes && codec_packs(s->run) ? 1 : sizeof(float);

	return unit * sim_piece(bytes / unit, (size_t)s->shards, (size_t)k);
}

/* Launches the pieces of a message of so many bytes without its headers. */
APART static void sim_post_scatter(struct sim *s, int from, int to, double time, struct packet *p,
			     size_t bytes)
{
	const int server = sim_index(s, SERVER);

	p->missing = s->shards;
	p->sent = time;
	p->life = sim_node(sim_at(s, to))->life;
	for (int k = 0; k < s->shards; k++) {
		const size_t n = piece_bytes(s, &p->msg, bytes, k) + HEADER_BYTES;
		struct packet *piece = packet_blank(&s->spare, n);

		piece->of = p;
		piece->errand = p->errand;
		sim_post_launch(s, from == server ? from + k : from, to == server ? to + k : to,
				time, piece);
	}
}

void packet_send(struct sim *s, struct node *nd, int to, const struct msg *m)
{
	const double time = sim_node(nd)->clock;
	const int from = sim_index(s, nd->rank), at = sim_index(s, to);
	const int pieces = to == SERVER || nd->rank == SERVER ? s->shards : 1;
	struct packet *p = packet_copy(&s->spare, nd, m, s->codes);
	const size_t bytes = p->bytes;

	sim_asked(s);
	if (s->faulty && s->errand == ERRAND_NONE)
		neighbours_send(nd);
	p->errand = s->errand;
	p->bytes += (size_t)pieces * HEADER_BYTES;
	sim_post_count(nd, &s->nodes[at], pieces, p->bytes);
	if (pieces > 1)
		sim_post_scatter(s, from, at, time, p, bytes);
	else
		sim_post_launch(s, from, at, time, p);
	if (s->sends)
		run_emit(s->run, &(struct event){ .kind = EV_SEND, .time = time,
						  .node = nd, .peer = to, .bytes = p->bytes,
						  .tag = m->tag });
}

/* True when the message is whole now, else its SIM_RECEIVED is pushed. */
static bool sim_post_whole(struct sim *s, int to, struct packet *p)
{
	double t;

	if (!s->link->receive)
		return true;
	if (s->net.plain)
		t = s->link->receive(s->conf->link.conf, &s->machine[to].nic, s->now, p->bytes,
				     NULL);
	else
		t = sim_post_entered(s, p->from, to, p->bytes);
	if (t <= s->now)
		return true;
	heap_push(&s->heap, t, SIM_RECEIVED, to, p, 0);
	return false;
}

/* A piece is whole at that location; with the last one the message is received. */
APART static void sim_post_gather(struct sim *s, int to, struct packet *piece)
{
	struct packet *p = packet_join(&s->spare, piece);

	if (p)
		heap_push(&s->heap, s->now, SIM_RECEIVED, to, p, 0);
}

bool packet_crosses(struct sim *s, const struct sim_event *ev)
{
	const int location = sim_event_node(ev);
	const enum sim_kind kind = sim_event_kind(ev);
	struct packet *p = ev->ptr;

	if (kind == SIM_MSG && p->errand < ERRAND_LOST && !sim_post_whole(s, location, p))
		return true;
	if (!p->piece)
		return false;
	if (p->of)
		sim_post_gather(s, location, p);
	else
		ring_received(s, sim_at(s, location), p);
	return true;
}

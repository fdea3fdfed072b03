/*
 * post.c - messages on their way over the sender's card, the wire and the receiver's card.
 */
#include "sim/world.h"

enum { HEADER_BYTES = 24 };     /* tag, stamp, length: what a real message carries too */

static void count(struct sim *s, struct node *nd, int to, size_t bytes)
{
	nd->ledger.messages++;
	nd->ledger.bytes_sent += (int64_t)bytes;
	s->nodes[sim_place(s, to)].ledger.bytes_received += (int64_t)bytes;
}

/* Hands it to the link. */
static void launch(struct sim *s, const struct node *nd, int to, double time, struct packet *p)
{
	struct sim_node *from = sim_node(nd);
	double due;

	p->sent = time;
	if (s->flows) {
		flows_send(s->flows, time, sim_place(s, nd->rank), sim_place(s, to), p);
		return;
	}
	due = s->link->send(s->conf->link.conf, &from->nic, time, p->bytes);
	if (s->overtakes)
		due = order_keep(&from->order, sim_place(s, to), due);
	heap_push(&s->heap, due, SIM_MSG, sim_place(s, to), p, 0);
}

void packet_piece(struct sim *s, struct node *nd, int to, double time, size_t bytes)
{
	launch(s, nd, to, time, packet_blank(&s->spare, bytes));
}

void packet_send(struct sim *s, struct node *nd, int to, const struct msg *m)
{
	const struct sim_node *from = sim_node(nd);
	struct packet *p = packet_copy(&s->spare, nd, m, s->codes);

	p->bytes += HEADER_BYTES;
	count(s, nd, to, p->bytes);
	launch(s, nd, to, from->clock, p);
	if (run_wants(s->run, EV_SEND))
		run_emit(s->run, &(struct event){ .kind = EV_SEND, .time = from->clock,
						  .node = nd, .peer = to, .bytes = p->bytes });
}

/* True when the message is whole now, else its SIM_HEARD is pushed. */
static bool whole(struct sim *s, struct node *to, struct packet *p)
{
	double t = s->link->receive(s->conf->link.conf, &sim_node(to)->nic, s->now, p->bytes);

	if (t <= s->now)
		return true;
	heap_push(&s->heap, t, SIM_HEARD, sim_place(s, to->rank), p, 0);
	return false;
}

bool packet_crosses(struct sim *s, const struct sim_event *ev)
{
	struct node *nd = &s->nodes[sim_event_node(ev)];
	const enum sim_kind kind = sim_event_kind(ev);
	struct packet *p = ev->ptr;

	if (kind != SIM_MSG && kind != SIM_HEARD)
		return false;
	if (kind == SIM_MSG && !whole(s, nd, p))
		return true;
	if (!p->piece)
		return false;
	ring_heard(s, nd, p);
	return true;
}

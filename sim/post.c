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

void packet_send(struct sim *s, struct node *nd, int to, const struct msg *m)
{
	struct sim_node *from = sim_node(nd);
	struct packet *p = packet_copy(&s->spare, nd, m, s->codes);
	double due;

	p->sent = from->clock;
	p->bytes += HEADER_BYTES;
	count(s, nd, to, p->bytes);
	due = s->link->send(s->conf->link.conf, &from->nic, from->clock, p->bytes);
	heap_push(&s->heap, due, SIM_MSG, sim_place(s, to), p, 0);
	if (run_wants(s->run, EV_SEND))
		run_emit(s->run, &(struct event){ .kind = EV_SEND, .time = from->clock,
						  .node = nd, .peer = to, .bytes = p->bytes });
}

bool packet_whole(struct sim *s, struct node *to, struct packet *p)
{
	double t = s->link->receive(s->conf->link.conf, &sim_node(to)->nic, s->now, p->bytes);

	if (t <= s->now)
		return true;
	heap_push(&s->heap, t, SIM_HEARD, sim_place(s, to->rank), p, 0);
	return false;
}

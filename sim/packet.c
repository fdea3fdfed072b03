#include "sim/world.h"

#include "core/vec.h"

#include <stdlib.h>

enum { HEADER_BYTES = 24 };     /* tag, stamp, length: what a real message carries too */

static struct packet *packet_get(struct sim *s, size_t n)
{
	struct packet *p = s->spare;

	if (p)
		s->spare = p->next;
	else
		p = xcalloc(1, sizeof(*p));
	if (n > p->room) {
		free(p->buf);
		p->buf = vec_new(n);
		p->room = n;
	}
	return p;
}

void packet_put(struct sim *s, struct packet *p)
{
	p->next = s->spare;
	s->spare = p;
}

static void count(struct sim *s, struct node *nd, int to, size_t bytes)
{
	nd->ledger.messages++;
	nd->ledger.bytes_sent += (int64_t)bytes;
	s->nodes[sim_place(s, to)].ledger.bytes_received += (int64_t)bytes;
}

void packet_send(struct sim *s, struct node *nd, int to, const struct msg *m)
{
	struct sim_node *from = sim_node(nd);
	struct packet *p = packet_get(s, m->vec ? m->n : 0);
	double due;

	p->msg = *m;
	p->msg.from = nd->rank;
	p->msg.vec = m->vec ? p->buf : NULL;
	vec_copy(m->n, m->vec, p->buf);
	p->sent = from->clock;
	p->bytes = m->n * sizeof(float) + HEADER_BYTES;
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

void packet_free_all(struct sim *s)
{
	struct packet *p;

	while ((p = s->spare)) {
		s->spare = p->next;
		free(p->buf);
		free(p);
	}
}

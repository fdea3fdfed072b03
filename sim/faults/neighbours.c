/*
 * neighbours.c - workers that continue without a neighbour, because they know that it is away.
 *
 *     worker 0  |--g--| .. x_1?  waits  ..|-- x_0 alone --|--g--|        with worker 1 again
 *     worker 1  |--g- x                   |                     back --> JOIN, ... (its algorithm)
 *                     fails         d     detected
 *
 * The absence of a worker is detected after a time, or when it returns, if that is earlier; but not
 * before all its messages have arrived. So no message of it follows the report, and all its
 * neighbours have received the same. Messages that it did not receive are returned with the report,
 * so that their sender can take them back. Reports use no link.
 */
#include "sim/world.h"

#include <math.h>

static bool neighbours_know(const struct sim *s, const struct node *nd)
{
	return nd->role->lost && fault_can_return(s, nd);
}

/* ---- reports ---- */

static void report_push(struct sim *s, struct packet *p, int to, enum errand errand)
{
	p->errand = errand;
	p->sent = s->now;
	p->life = s->priv[to].life;
	heap_push(&s->heap, s->now, SIM_MSG, to, p, 0);
}

/* Reports to node `to`, if it is present, that `gone` is away. */
static void absence_report(struct sim *s, struct node *gone, struct node *to)
{
	if (!sim_is_away(sim_node(to)))
		report_push(s,
			    packet_copy(&s->post.packets, gone, &(struct msg){ .tag = -1 }, NULL),
			    to->rank, ERRAND_LOST);
}

static void absence_report_if_known(struct sim *s, struct node *to, struct node *other)
{
	if (absence_of(s, other)->known)
		absence_report(s, other, to);
}

/* Calls visit() once for each node to which the node sends, or from which it receives. */
static void neighbours_each(struct sim *s, struct node *nd,
			    void (*visit)(struct sim *s, struct node *nd, struct node *other))
{
	const struct topology *t = s->run->graph;
	const struct ranks out = topology_out(t, nd->rank), in = topology_in(t, nd->rank);

	for (int i = 0; i < out.n; i++)
		visit(s, nd, &s->nodes[ranks_at(out, i)]);
	for (int i = 0; t->directed && i < in.n; i++)
		if (!topology_has(t, nd->rank, ranks_at(in, i)))
			visit(s, nd, &s->nodes[ranks_at(in, i)]);
}

static void neighbours_tell(struct sim *s, struct node *nd)
{
	struct absence *a = absence_of(s, nd);
	struct packet *p;

	a->known = true;
	a->detected = false;
	neighbours_each(s, nd, absence_report);
	while ((p = a->unread)) {
		a->unread = p->next;
		report_push(s, p, p->msg.from, ERRAND_RETURNED);
	}
}

/* ---- detection and return ---- */

void neighbours_leave(struct sim *s, struct node *nd, const struct fault *f)
{
	struct absence *a = absence_of(s, nd);

	if (!neighbours_know(s, nd))
		return;
	a->over = false;
	if (!a->known && isfinite(f->detect))
		heap_push(&s->heap, s->now + f->detect, SIM_FAULT, nd->rank, NULL,
			  -sim_node(nd)->life);
}

void neighbours_detect(struct sim *s, struct node *nd, int life)
{
	struct absence *a = absence_of(s, nd);

	if (!neighbours_know(s, nd) || s->stopping || sim_node(nd)->life != life || a->known)
		return;
	a->detected = true;
	if (a->under_way == 0)
		neighbours_tell(s, nd);
}

bool neighbours_wait(struct sim *s, struct node *nd)
{
	struct absence *a = absence_of(s, nd);

	if (!neighbours_know(s, nd))
		return false;
	a->over = a->under_way > 0;
	if (!a->over && !a->known)
		neighbours_tell(s, nd);
	return a->over;
}

void neighbours_settled(struct sim *s, struct node *nd)
{
	const struct absence *a = absence_of(s, nd);

	if (s->stopping || a->under_way > 0 || !sim_is_away(sim_node(nd)))
		return;
	if (a->over)
		fault_come_back(s, nd);
	else if (a->detected)
		neighbours_tell(s, nd);
}

void neighbours_catch_up(struct sim *s, struct node *nd)
{
	if (neighbours_know(s, nd))
		neighbours_each(s, nd, absence_report_if_known);
}

/* ---- messages ---- */

void neighbours_send(const struct sim *s, const struct node *nd)
{
	absence_of(s, nd)->under_way += nd->role->lost != NULL;
}

void neighbours_receive(struct sim *s, const struct packet *p)
{
	const struct node *from = p->msg.from >= 0 ? &s->nodes[p->msg.from] : NULL;

	if (!from || !from->role->lost || p->errand != ERRAND_NONE)
		return;
	if (--absence_of(s, from)->under_way == 0 && sim_is_away(sim_node(from)))
		heap_push(&s->heap, s->now, SIM_FAULT, from->rank, NULL, FAULT_SETTLED);
}

bool neighbours_lose(struct sim *s, const struct node *nd, struct packet *p)
{
	struct absence *a = absence_of(s, nd);

	if (p->piece || !nd->role->lost)
		return false;
	if (p->errand != ERRAND_RETURNED) {
		neighbours_receive(s, p);
		if (p->errand != ERRAND_NONE || !nd->role->returned || s->stopping)
			return false;
		if (sim_is_away(sim_node(nd)) && !a->known) {
			p->next = a->unread;
			a->unread = p;
			return true;
		}
	}
	report_push(s, p, p->msg.from, ERRAND_RETURNED);
	return true;
}

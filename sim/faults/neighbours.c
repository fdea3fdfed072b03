/*
 * neighbours.c - workers that go on without a neighbour, because they know that it is away.
 *
 *     worker 0  |--g--| .. x_1?  waits  ..|-- x_0 alone --|--g--|        with worker 1 again
 *     worker 1  |--g- x                   |                     back --> JOIN, ... (its algorithm)
 *                     fails         d     detected
 *
 * A worker that fails is detected after a time, or when it is back, if that is earlier; but not
 * before all that it had sent has come. So no message of its follows the report, and its neighbours
 * have all received the same. What it was sent and did not receive is returned with the report,
 * where its sender takes it back. Reports go over no link.
 */
#include "sim/world.h"

#include <math.h>

static bool neighbours_know(const struct sim *s, const struct node *nd)
{
	return nd->role->lost && fault_can_return(s, nd);
}

/* ---- reports ---- */

static void neighbours_push(struct sim *s, struct packet *p, int to, enum errand errand)
{
	p->errand = errand;
	p->sent = s->now;
	p->life = s->priv[to].life;
	heap_push(&s->heap, s->now, SIM_MSG, to, p, 0);
}

static void neighbours_return(struct sim *s, struct packet *p)
{
	neighbours_push(s, p, p->msg.from, ERRAND_RETURNED);
}

/* `to`, if it is there, learns that `gone` is not. */
static void neighbours_report(struct sim *s, struct node *gone, struct node *to)
{
	if (!sim_is_away(sim_node(to)))
		neighbours_push(s, packet_copy(&s->spare, gone, &(struct msg){ .tag = -1 }, NULL),
				to->rank, ERRAND_LOST);
}

static void neighbours_report_if_known(struct sim *s, struct node *to, struct node *other)
{
	if (sim_node(other)->known)
		neighbours_report(s, other, to);
}

/* Those that the node sends to or receives from, each once. */
static void neighbours_each(struct sim *s, struct node *nd,
			    void (*visit)(struct sim *s, struct node *nd, struct node *other))
{
	const struct topology *t = s->run->graph;
	const struct ranks out = topology_out(t, nd->rank), in = topology_in(t, nd->rank);

	for (int i = 0; i < out.n; i++)
		visit(s, nd, &s->nodes[out.rank[i]]);
	for (int i = 0; t->directed && i < in.n; i++)
		if (!topology_has(t, nd->rank, in.rank[i]))
			visit(s, nd, &s->nodes[in.rank[i]]);
}

static void neighbours_tell(struct sim *s, struct node *nd)
{
	struct sim_node *sn = sim_node(nd);
	struct packet *p;

	sn->known = true;
	sn->detected = false;
	neighbours_each(s, nd, neighbours_report);
	while ((p = sn->unread)) {
		sn->unread = p->next;
		neighbours_return(s, p);
	}
}

/* ---- when ---- */

void neighbours_leave(struct sim *s, struct node *nd, const struct fault *f)
{
	struct sim_node *sn = sim_node(nd);

	if (!neighbours_know(s, nd))
		return;
	sn->over = false;
	if (!sn->known && isfinite(f->detect))
		heap_push(&s->heap, s->now + f->detect, SIM_FAULT, nd->rank, NULL, -sn->life);
}

void neighbours_detect(struct sim *s, struct node *nd, int life)
{
	struct sim_node *sn = sim_node(nd);

	if (!neighbours_know(s, nd) || s->stopping || sn->life != life || sn->known)
		return;
	sn->detected = true;
	if (sn->under_way == 0)
		neighbours_tell(s, nd);
}

bool neighbours_wait(struct sim *s, struct node *nd)
{
	struct sim_node *sn = sim_node(nd);

	if (!neighbours_know(s, nd))
		return false;
	sn->over = sn->under_way > 0;
	if (!sn->over && !sn->known)
		neighbours_tell(s, nd);
	return sn->over;
}

void neighbours_settled(struct sim *s, struct node *nd)
{
	struct sim_node *sn = sim_node(nd);

	if (s->stopping || sn->under_way > 0 || !sim_is_away(sn))
		return;
	if (sn->over)
		fault_come_back(s, nd);
	else if (sn->detected)
		neighbours_tell(s, nd);
}

void neighbours_catch_up(struct sim *s, struct node *nd)
{
	if (neighbours_know(s, nd))
		neighbours_each(s, nd, neighbours_report_if_known);
}

/* ---- messages ---- */

void neighbours_send(const struct node *nd)
{
	sim_node(nd)->under_way += nd->role->lost != NULL;
}

void neighbours_receive(struct sim *s, const struct packet *p)
{
	const struct node *from = p->msg.from >= 0 ? &s->nodes[p->msg.from] : NULL;
	struct sim_node *sn = from ? sim_node(from) : NULL;

	if (!from || !from->role->lost || p->errand != ERRAND_NONE)
		return;
	if (--sn->under_way == 0 && sim_is_away(sn))
		heap_push(&s->heap, s->now, SIM_FAULT, from->rank, NULL, FAULT_SETTLED);
}

bool neighbours_lose(struct sim *s, const struct node *nd, struct packet *p)
{
	struct sim_node *sn = sim_node(nd);

	if (p->piece || !nd->role->lost)
		return false;
	if (p->errand == ERRAND_RETURNED) {
		neighbours_return(s, p);
		return true;
	}
	neighbours_receive(s, p);
	if (p->errand != ERRAND_NONE || !nd->role->returned || s->stopping)
		return false;
	if (sim_is_away(sn) && !sn->known) {
		p->next = sn->unread;
		sn->unread = p;
	} else {
		neighbours_return(s, p);
	}
	return true;
}

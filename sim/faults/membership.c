/*
 * membership.c - all-reduces that continue without a worker, and admit it again.
 *
 *     worker 0  |--g--|=|--g--|.......|=|--g--|=|--g--|.......|=|
 *     worker 1  |--g--|=|--g--|.......|=|--g--|=|--g--|.......|=|
 *     worker 2  |--g--|=|--g- x   d   :     back :  m  |--g--|=|
 *                             fails   detected  an all-reduce is there: a member sends its model
 *
 * A worker that fails withdraws its part of an all-reduce, unless all members have asked for it.
 * The others wait for the worker until they detect its absence, or until it returns, whichever is
 * first. The all-reduce that they wait for then begins, as a whole and not in buckets. A worker
 * that has returned waits for the others' next all-reduce. After that the first member sends its
 * state, and counts the worker as a member again: so the next all-reduce waits for it. If no member
 * is left, the first worker that returns continues alone, with its own model.
 */
#include "sim/world.h"

#include <math.h>

/* ---- membership ---- */

/* Adds a member, keeping the order of ranks. */
static void membership_enter(struct sim *s, struct group *g, struct node *nd)
{
	int k = g->members++;

	absence_of(s, nd)->member = IS_MEMBER;
	g->joining--;
	for (; k > 0 && g->node[k - 1]->rank > nd->rank; k--)
		g->node[k] = g->node[k - 1];
	g->node[k] = nd;
	sim_allreduce_regroup(s, g);
}

/* The first worker of the group, from i on, that has returned; NULL: none. */
static struct node *membership_next(const struct sim *s, const struct group *g, int i)
{
	for (; g->joining && i < s->run->workers; i++)
		if (&s->allreduces.group[s->nodes[i].group] == g &&
		    s->faults->of[i].member == IS_BACK)
			return &s->nodes[i];
	return NULL;
}

/* No member is left: makes the first worker that has returned a member, with its own model. */
static void membership_alone(struct sim *s, struct group *g)
{
	struct node *nd = g->members == 0 ? membership_next(s, g, 0) : NULL;

	if (!nd)
		return;
	membership_enter(s, g, nd);
	nd->added = 1;
	fault_over(s, nd);
	sim_go_on(s, nd);
}

/* Removes the worker from its group; the others continue without it. */
static void membership_exclude(struct sim *s, struct node *nd)
{
	struct group *g = &s->allreduces.group[nd->group];
	int k = 0;

	while (g->node[k] != nd)
		k++;
	for (g->members--; k < g->members; k++)
		g->node[k] = g->node[k + 1];
	absence_of(s, nd)->member = IS_OUT;
	g->whole = true;
	if (g->members)
		sim_allreduce_regroup(s, g);
	sim_allreduce_retry(s, g);
}

/* ---- leaving and returning ---- */

static bool membership_has(const struct sim *s, const struct node *nd)
{
	return nd->role->allreduce && fault_can_return(s, nd);
}

void membership_leave(struct sim *s, struct node *nd, const struct fault *f)
{
	struct sim_node *sn = sim_node(nd);
	struct absence *a = absence_of(s, nd);
	struct group *g = &s->allreduces.group[nd->group];

	if (!membership_has(s, nd))
		return;
	a->arriving = false;
	if (sn->rare->sum.offers) { /* asked before all members had: takes the request back */
		g->asked--;
		s->post.asked--;
	}
	sn->rare->sum.offers = sn->rare->sum.allreducing = false;
	sn->rare->sum.ahead = 0.0;
	if (a->member == IS_BACK) {
		a->member = IS_OUT;
		g->joining--;
	} else if (a->member == IS_MEMBER && isfinite(f->detect)) {
		heap_push(&s->heap, s->now + f->detect, SIM_FAULT, nd->rank, NULL, -sn->life);
	}
}

void membership_detect(struct sim *s, struct node *nd, int life)
{
	const struct absence *a = absence_of(s, nd);

	if (!membership_has(s, nd) || s->stopping || sim_node(nd)->life != life ||
	    a->member != IS_MEMBER || a->arriving)
		return;
	membership_exclude(s, nd);
	membership_alone(s, &s->allreduces.group[nd->group]);
}

bool membership_return(struct sim *s, struct node *nd)
{
	struct absence *a = absence_of(s, nd);
	struct group *g = &s->allreduces.group[nd->group];

	if (!membership_has(s, nd))
		return false;
	if (a->member == IS_MEMBER)
		membership_exclude(s, nd);
	a->member = IS_BACK;
	g->joining++;
	membership_alone(s, g);
	return true;
}

void membership_admit(struct sim *s, struct node *member)
{
	struct group *g = &s->allreduces.group[member->group];

	for (struct node *nd = s->nodes;
	     !s->stopping && (nd = membership_next(s, g, (int)(nd - s->nodes))); nd++) {
		membership_enter(s, g, nd);
		nd->added = member->added;
		absence_of(s, nd)->arriving = true;
		s->faults->errand = ERRAND_MODEL;
		member->role->fetch(member, nd->rank);
		s->faults->errand = ERRAND_NONE;
	}
}

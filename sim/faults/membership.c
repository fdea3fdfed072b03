/*
 * membership.c - all-reduces that go on without a worker, and take it back.
 *
 *     worker 0  |--g--|=|--g--|.......|=|--g--|=|--g--|.......|=|
 *     worker 1  |--g--|=|--g--|.......|=|--g--|=|--g--|.......|=|
 *     worker 2  |--g--|=|--g- x   d   :     back :  m  |--g--|=|
 *                             fails   detected  an all-reduce is there: a member sends its model
 *
 * A worker that fails takes what it had asked to be added with it, unless all had asked. The others
 * wait for it until they detect that it is away, or until it is back, whichever is first. The
 * all-reduce that they wait for then begins, as a whole and not in buckets. A worker that is back
 * waits for the others' next all-reduce. After it the first of them sends what it has, and counts
 * the worker as a member again: so the all-reduce after that waits for it. If no member is left,
 * the first that is back goes on alone, with its own model.
 */
#include "sim/world.h"

#include <math.h>

/* ---- who is a member ---- */

static void membership_remove(struct group *g, const struct node *nd)
{
	int k = 0;

	while (g->node[k] != nd)
		k++;
	for (g->members--; k < g->members; k++)
		g->node[k] = g->node[k + 1];
}

/* In rank order. */
static void membership_insert(struct group *g, struct node *nd)
{
	int k = g->members++;

	for (; k > 0 && g->node[k - 1]->rank > nd->rank; k--)
		g->node[k] = g->node[k - 1];
	g->node[k] = nd;
}

static void membership_enter(struct sim *s, struct group *g, struct node *nd)
{
	sim_node(nd)->member = IS_MEMBER;
	g->joining--;
	membership_insert(g, nd);
	sim_allreduce_regroup(s, g);
}

/* No member is left: the first of those that are back is one, and needs no other's model. */
static void membership_alone(struct sim *s, struct group *g)
{
	for (int i = 0; g->members == 0 && g->joining && i < s->run->workers; i++) {
		struct node *nd = &s->nodes[i];

		if (&s->group[nd->group] != g || s->priv[i].member != IS_BACK)
			continue;
		membership_enter(s, g, nd);
		nd->added = 1;
		fault_over(s, nd);
		sim_go_on(s, nd);
	}
}

/* The others go on without it. */
static void membership_exclude(struct sim *s, struct node *nd)
{
	struct group *g = &s->group[nd->group];

	membership_remove(g, nd);
	sim_node(nd)->member = IS_OUT;
	g->whole = true;
	if (g->members)
		sim_allreduce_regroup(s, g);
	sim_allreduce_retry(s, g);
}

/* ---- what happens to it ---- */

static bool membership_has(const struct sim *s, const struct node *nd)
{
	return nd->role->allreduce && fault_can_return(s, nd);
}

/* What it had asked to be added, before all had. */
static void membership_withdraw(struct sim *s, struct node *nd)
{
	struct sim_node *sn = sim_node(nd);

	if (sn->offers) {
		s->group[nd->group].asked--;
		s->asked--;
	}
	sn->offers = sn->allreducing = false;
	sn->ahead = 0.0;
}

void membership_leave(struct sim *s, struct node *nd, const struct fault *f)
{
	struct sim_node *sn = sim_node(nd);

	if (!membership_has(s, nd))
		return;
	sn->arriving = false;
	membership_withdraw(s, nd);
	if (sn->member == IS_BACK) {
		sn->member = IS_OUT;
		s->group[nd->group].joining--;
	} else if (sn->member == IS_MEMBER && isfinite(f->detect)) {
		heap_push(&s->heap, s->now + f->detect, SIM_FAULT, nd->rank, NULL, -sn->life);
	}
}

void membership_detect(struct sim *s, struct node *nd, int life)
{
	struct sim_node *sn = sim_node(nd);

	if (!membership_has(s, nd) || s->stopping || sn->life != life ||
	    sn->member != IS_MEMBER || sn->arriving)
		return;
	membership_exclude(s, nd);
	membership_alone(s, &s->group[nd->group]);
}

bool membership_return(struct sim *s, struct node *nd)
{
	struct sim_node *sn = sim_node(nd);
	struct group *g = &s->group[nd->group];

	if (!membership_has(s, nd))
		return false;
	if (sn->member == IS_MEMBER)
		membership_exclude(s, nd);
	sn->member = IS_BACK;
	g->joining++;
	membership_alone(s, g);
	return true;
}

void membership_admit(struct sim *s, struct node *member)
{
	struct group *g = &s->group[member->group];

	for (int i = 0; g->joining && !s->stopping && i < s->run->workers; i++) {
		struct node *nd = &s->nodes[i];

		if (&s->group[nd->group] != g || s->priv[i].member != IS_BACK)
			continue;
		membership_enter(s, g, nd);
		nd->added = member->added;
		s->priv[i].arriving = true;
		s->errand = ERRAND_MODEL;
		member->role->fetch(member, i);
		s->errand = ERRAND_NONE;
	}
}

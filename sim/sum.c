#include "sim/world.h"

#include "core/error.h"

#include <string.h>

enum { BLOCK = 2048 };          /* floats summed at a time, to stay in cache */

void sum_open(struct sim *s)
{
	s->groups = 1;
	for (int i = 0; i < s->run->workers; i++)
		if (s->nodes[i].group >= s->groups)
			s->groups = s->nodes[i].group + 1;
	s->group = arena_alloc(&s->arena, (size_t)s->groups, sizeof(*s->group));
	for (int i = 0; i < s->run->workers; i++)
		s->group[s->nodes[i].group].members++;
	for (int k = 0; k < s->groups; k++) {
		struct group *g = &s->group[k];

		g->node = arena_alloc(&s->arena, (size_t)g->members, sizeof(*g->node));
		g->members = 0;
	}
	for (int i = 0; i < s->run->workers; i++) {
		struct group *g = &s->group[s->nodes[i].group];

		g->node[g->members++] = &s->nodes[i];
	}
}

/* Every member's v[first, first + n) <- the sum over members, added in rank order. */
static void sum_block(const struct group *g, size_t first, size_t n)
{
	float acc[BLOCK];

	memcpy(acc, sim_node(g->node[0])->v + first, n * sizeof(*acc));
	for (int k = 1; k < g->members; k++) {
		const float *v = sim_node(g->node[k])->v + first;

		for (size_t i = 0; i < n; i++)
			acc[i] += v[i];
	}
	for (int k = 0; k < g->members; k++)
		memcpy(sim_node(g->node[k])->v + first, acc, n * sizeof(*acc));
}

static void add_up(const struct group *g)
{
	const struct sim_node *first = sim_node(g->node[0]);

	for (int k = 1; k < g->members; k++)
		if (sim_node(g->node[k])->n != first->n)
			BUG("members of a group sum vectors of different lengths");
	if (!first->v)
		return;
	for (size_t i = 0; i < first->n; i += BLOCK)
		sum_block(g, i, first->n - i < BLOCK ? first->n - i : BLOCK);
}

static void deliver(struct sim *s, struct group *g)
{
	const size_t bytes = sim_node(g->node[0])->n * sizeof(float);
	const int n = g->members;
	const double took = n > 1 ? s->link->allreduce(s->conf->link.conf, n, bytes) : 0.0;
	const int64_t wire = (int64_t)(2.0 * (n - 1) / n * (double)bytes);

	add_up(g);
	for (int k = 0; k < n; k++) {
		struct ledger *l = &g->node[k]->ledger;

		l->bytes_sent += wire;
		l->bytes_received += wire;
		l->messages += 2 * (n - 1);
		heap_push(&s->heap, g->last + took, SIM_SUM, g->node[k]->rank, NULL, 0);
	}
	g->asked = 0;
}

void sum_ask(struct sim *s, struct node *nd, float *v, size_t n)
{
	struct sim_node *sn = sim_node(nd);
	struct group *g = &s->group[nd->group];

	if (sn->summing)
		BUG("%s: rank %d asks for a second sum before the first is there",
		    s->run->algo->plugin.name, nd->rank);
	sn->summing = true;
	sn->v = v;
	sn->n = n;
	g->last = g->asked && g->last > sn->clock ? g->last : sn->clock;
	if (++g->asked == g->members)
		deliver(s, g);
}

/* Neighbours that take part in a round, and the first round of a worker that returns. */
#include "algos/common/peers/partners.h"

#include "core/graph.h"

#include <stdlib.h>

/* ---- the list of neighbours ---- */

static int partners_compare(const void *a, const void *b)
{
	const struct partner *x = a, *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

static void partners_add(struct partners *p, int rank)
{
	p->of[p->n++] = (struct partner){ .rank = rank };
}

/* At its first call, lists the ranks to which this worker sends or from which it receives. */
static void partners_list(struct node *nd, struct partners *p)
{
	const struct topology *t = node_topology(nd);
	const struct ranks out = topology_out(t, nd->rank), in = topology_in(t, nd->rank);

	if (p->of)
		return;
	p->of = node_alloc(nd, (size_t)out.n + (size_t)in.n, sizeof(*p->of));
	for (int i = 0; i < out.n; i++)
		partners_add(p, ranks_at(out, i));
	for (int i = 0; i < in.n; i++)
		if (!topology_has(t, nd->rank, ranks_at(in, i)))
			partners_add(p, ranks_at(in, i));
	qsort(p->of, (size_t)p->n, sizeof(*p->of), partners_compare);
}

/* The neighbour of that rank, once neighbours are listed. */
static struct partner *partners_find(const struct partners *p, int rank)
{
	const struct partner one = { .rank = rank };

	return bsearch(&one, p->of, (size_t)p->n, sizeof(one), partners_compare);
}

/* ---- what this worker knows of its neighbours ---- */

bool partners_has(const struct partners *p, int rank, int64_t round)
{
	const struct partner *one;

	if (partners_never_lost(p))
		return true;
	one = partners_find(p, rank);
	return one->state == PARTNER_HERE && round >= one->first;
}

bool partners_all_known(const struct partners *p)
{
	for (int i = 0; i < p->n; i++)
		if (p->of[i].state == PARTNER_COMING)
			return false;
	return !p->joins;
}

void partners_lose(struct node *nd, struct partners *p, int rank)
{
	struct partner *one;

	partners_list(nd, p);
	one = partners_find(p, rank);
	one->state = PARTNER_GONE;
	one->asked = one->also = false;
}

/* ---- messages about a return ---- */

static int64_t partners_later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void partners_tell(struct node *nd, int to, int tag, int64_t round)
{
	node_send(nd, to, &(struct msg){ .tag = tag, .stamp = round });
}

void partners_join(struct node *nd, struct partners *p, int64_t round)
{
	partners_list(nd, p);
	p->joins = true;
	p->round = round;
	for (int i = 0; i < p->n; i++) {
		p->of[i] = (struct partner){ .rank = p->of[i].rank, .asked = true };
		partners_tell(nd, p->of[i].rank, PARTNER_JOIN, round);
	}
}

/*
 * The first round that a neighbour and this worker take part in together, when the first rounds of
 * both are known: theirs, and p->start. Both ends compute the same.
 */
static int64_t partners_first(const struct partners *p, const struct partner *one, int64_t theirs)
{
	return one->also ? partners_later(theirs, p->start) + 1 : theirs;
}

/* A neighbour has returned. This worker answers with its round, or ALSO if it has none itself. */
static void partners_receive_join(struct node *nd, struct partners *p, struct partner *one,
				  int64_t round)
{
	one->state = PARTNER_COMING;
	one->also = p->joins;
	partners_tell(nd, one->rank, p->joins ? PARTNER_ALSO : PARTNER_ROUND,
		      p->joins ? p->round : round);
}

bool partners_receive(struct node *nd, struct partners *p, const struct msg *m, int64_t round)
{
	struct partner *one;

	if (m->tag == 0)
		return false;
	partners_list(nd, p);
	one = partners_find(p, m->from);
	switch (m->tag) {
	case PARTNER_JOIN:
		partners_receive_join(nd, p, one, round);
		break;
	case PARTNER_START:
		one->state = PARTNER_HERE;
		/* if this worker joins too, partners_start() computes the common round */
		one->first = p->joins ? m->stamp : partners_first(p, one, m->stamp);
		break;
	default:        /* PARTNER_ROUND or PARTNER_ALSO, the answers to our JOIN */
		one->also = m->tag == PARTNER_ALSO;
		one->state = one->also ? PARTNER_COMING : PARTNER_HERE;
		one->asked = false;
		p->round = partners_later(p->round, m->stamp);
	}
	return true;
}

bool partners_start(struct node *nd, struct partners *p, int64_t *round)
{
	if (!p->joins)
		return false;
	for (int i = 0; i < p->n; i++)
		if (p->of[i].asked)
			return false;
	p->joins = false;
	p->start = p->round + 1;
	for (int i = 0; i < p->n; i++) {
		struct partner *one = &p->of[i];

		if (one->state == PARTNER_HERE)
			one->first = partners_first(p, one, one->also ? one->first : p->start);
		if (one->state != PARTNER_GONE)
			partners_tell(nd, one->rank, PARTNER_START, p->start);
	}
	*round = p->start;
	return true;
}

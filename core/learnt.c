/* Keeps what a simulated run has learnt, and shows it in the events of another one. */
#include "core/learnt.h"

#include "core/base/mem.h"

#include <math.h>
#include <stdlib.h>

/* Numbers that are kept of a run: 32 MiB. */
enum { NUMBERS_MOST = 1 << 22 };

struct learnt *learnt_new(int nodes)
{
	struct learnt *l = xcalloc(1, sizeof(*l));

	l->nodes = nodes;
	l->node = xcalloc((size_t)nodes, sizeof(*l->node));
	return l;
}

static void learnt_forget(struct learnt *l)
{
	for (int i = 0; i < l->nodes; i++)
		for (int k = 0; k < LEARNT_KINDS; k++) {
			free(l->node[i][k].v);
			l->node[i][k] = (struct numbers_learnt){ 0 };
		}
	for (int k = 0; k < LEARNT_MARKS; k++) {
		free(l->mark[k].v);
		l->mark[k] = (struct numbers_learnt){ 0 };
	}
}

void learnt_free(struct learnt *l)
{
	if (!l)
		return;
	learnt_forget(l);
	free_all(l->node, l->by);
	correct_release(&l->correct);
	free(l);
}

void learnt_add(struct learnt *l, struct numbers_learnt *to, double x)
{
	if (l->full)
		return;
	if (++l->total > NUMBERS_MOST) {
		l->full = true;
		learnt_forget(l);
		return;
	}
	to->v = xgrown(to->v, to->n, sizeof(*to->v));
	to->v[to->n++] = x;
}

static struct numbers_learnt *learnt_of(const struct learnt *l, const struct node *nd)
{
	return l->node[nd->rank == SERVER ? l->nodes - 1 : nd->rank];
}

void learnt_event(struct learnt *l, const struct event *ev)
{
	struct numbers_learnt *of = ev->node ? learnt_of(l, ev->node) : NULL;

	if (ev->kind == EV_GRAD || (ev->kind == EV_DROP && !isnan(ev->loss)))
		learnt_add(l, &of[LEARNT_LOSS], ev->loss);
	if ((ev->kind != EV_STEP && ev->kind != EV_GATHER) || !ev->measured)
		return;
	learnt_add(l, &of[LEARNT_NORM], ev->measured->norm);
	learnt_add(l, &of[LEARNT_GAP], ev->measured->gap);
	learnt_add(l, &of[LEARNT_MOMENTUM], ev->measured->momentum);
	learnt_add(l, &of[LEARNT_PUBLISHED], ev->measured->published);
}

void learnt_evaluation(struct learnt *l, const double mark[LEARNT_MARKS])
{
	for (int k = 0; k < LEARNT_MARKS; k++)
		learnt_add(l, &l->mark[k], mark[k]);
}

/* NaN after the last. */
static double number_take(struct numbers_learnt *from)
{
	return from->next < from->n ? from->v[from->next++] : (double)NAN;
}

void learnt_show(struct learnt *l, struct event *ev)
{
	struct numbers_learnt *of = ev->node ? learnt_of(l, ev->node) : NULL;

	switch (ev->kind) {
	case EV_GRAD:
		ev->loss = number_take(&of[LEARNT_LOSS]);
		break;
	case EV_STEP:
	case EV_GATHER:
		l->measured = (struct measured){ .norm = number_take(&of[LEARNT_NORM]),
						 .gap = number_take(&of[LEARNT_GAP]),
						 .momentum = number_take(&of[LEARNT_MOMENTUM]),
						 .published = number_take(&of[LEARNT_PUBLISHED]),
						 .spread = (double)NAN };
		ev->measured = &l->measured;
		break;
	case EV_MARK:
		for (int k = 0; k < LEARNT_MARKS; k++)
			l->mark[k].next++;
		l->measured = (struct measured){ .spread = learnt_evaluated(l, LEARNT_SPREAD) };
		ev->measured = &l->measured;
		break;
	default:
		break;
	}
}

double learnt_evaluated(const struct learnt *l, enum learnt_mark what)
{
	const struct numbers_learnt *of = &l->mark[what];

	return of->next > 0 && of->next <= of->n ? of->v[of->next - 1] : (double)NAN;
}

bool learnt_all_evaluated(const struct learnt *l)
{
	const struct numbers_learnt *of = &l->mark[LEARNT_TEST_ACCURACY];

	return of->n > 0 && of->next == of->n;
}

bool learnt_suffices(const struct learnt *l, const int64_t *gradients)
{
	for (int i = 0; i < l->nodes; i++)
		if ((uint64_t)gradients[i] > l->node[i][LEARNT_LOSS].n)
			return false;
	return true;
}

/*
 * placement.c - memory of tensors. A tensor that is used in one level only, for one chunk at a
 * time, is in each lane's block; the others, which are whole batches and weights, are in one block
 * of the context. In both, memory is reused as soon as its tensor is not needed any more: an
 * activation that backward does not read is dropped after its last reader.
 *
 * The moments of the context's block are levels, forward and then backward; those of lanes are
 * steps.
 */
#define _DEFAULT_SOURCE         /* madvise() */
#include "nets/onednn/onednn.h"

#include "core/base/mem.h"

#include <sys/mman.h>

enum { LINE = 64, LARGE_PAGE = 2 << 20 };       /* bytes */

/* Moments at which a tensor is used. */
struct use {
	bool used, whole;       /* whole: in a step over the whole batch */
	int from, to;           /* moments: levels */
	int first, last;        /* steps */
	int level;
};

struct uses {
	const struct onednn *c;
	struct use *act, *grad, *extra;         /* [graph->n] */
	bool back;
};

static void placement_touch(const struct onednn *c, struct use *u, const struct stage *t,
			    int step, bool back)
{
	const int moment = back ? 2 * c->levels - 1 - t->level : t->level;

	if (back)
		step += c->forward.nsteps;
	if (!u->used)
		*u = (struct use){ true, false, moment, moment, step, step, t->level };
	u->whole |= t->whole != NULL;
	u->to = moment;
	u->last = step;
}

static void touch_forward(struct uses *u, const struct stage *t, int i)
{
	const struct step *s = &u->c->forward.steps[i];
	const struct op *op = s->op;

	for (int j = 0; j < 2; j++)
		if (op->in[j] >= 0)
			placement_touch(u->c, &u->act[op->in[j]], t, i, false);
	if (s->run != unit_measure)
		placement_touch(u->c, &u->act[op->out], t, i, false);
}

static void touch_backward(struct uses *u, const struct stage *t, int i)
{
	const struct step *s = &u->c->backward.steps[i];
	const struct op *op = s->op;

	if (op->type->reads_in || op_is_norm(op))
		placement_touch(u->c, &u->act[op->in[0]], t, i, true);
	if (op->relu && s->run != unit_spread)
		placement_touch(u->c, &u->act[op->out], t, i, true);
	placement_touch(u->c, &u->grad[op->out], t, i, true);
	if (u->c->values[op->out].more && s->run != unit_spread)
		placement_touch(u->c, &u->extra[op->out], t, i, true);
	for (int j = 0; j < 2; j++)
		if (onednn_writes(u->c, s, j))
			placement_touch(u->c, &u->grad[op->in[j]], t, i, true);
	if (op->apart)
		placement_touch(u->c, &u->extra[op->in[0]], t, i, true);
}

static int value_owner(const struct onednn *c, int v)
{
	while (c->values[v].sharer >= 0)
		v = c->values[v].sharer;
	return v;
}

static void uses_init(struct uses *u, const struct onednn *c, bool back)
{
	const size_t n = (size_t)c->graph->n;
	const struct stage end = { .level = c->levels - 1, .whole = c->values[c->result].maker };

	*u = (struct uses){ c, xcalloc(n, sizeof(struct use)), xcalloc(n, sizeof(struct use)),
			    xcalloc(n, sizeof(struct use)), back };
	for (int k = 0; k < c->forward.nstages; k++)
		for (int i = 0; i < c->forward.stages[k].n; i++)
			touch_forward(u, &c->forward.stages[k], c->forward.stages[k].from + i);
	/* Logits are read, and their gradient is written, between the two directions. */
	placement_touch(c, &u->act[c->result], &end, c->forward.nsteps - 1, false);
	if (back && c->values[c->result].wanted)
		placement_touch(c, &u->grad[c->result], &end, 0, true);
	for (int k = 0; back && k < c->backward.nstages; k++)
		for (int i = 0; i < c->backward.stages[k].n; i++)
			touch_backward(u, &c->backward.stages[k], c->backward.stages[k].from + i);
	/* Gradients with the same placement count as one, that of the owner. */
	for (int v = 0; v < c->graph->n; v++) {
		const struct use *a = &u->grad[v];
		struct use *b = &u->grad[value_owner(c, v)];

		if (!a->used || a == b)
			continue;
		b->whole |= a->whole;
		b->from = a->from < b->from ? a->from : b->from;
		b->to = a->to > b->to ? a->to : b->to;
		b->first = a->first < b->first ? a->first : b->first;
		b->last = a->last > b->last ? a->last : b->last;
	}
}

/* ---- pieces ---- */

/* A piece with its owner: a tensor, or a space of an operator. */
struct part {
	struct placement *placement;
	struct space *space;
};

struct parts {
	struct piece *pieces;
	struct part *parts;
	int n;
};

static void placement_add(struct parts *a, size_t bytes, int from, int to, struct part part)
{
	a->parts[a->n] = part;
	a->pieces[a->n++] = (struct piece){ (bytes + LINE - 1) / LINE * LINE, 0, from, to };
}

static void add_tensor(const struct onednn *c, struct parts *whole, struct parts *local,
		       const struct use *u, int v, struct placement *p, size_t n)
{
	const size_t each = c->values[v].count * c->size;

	if (!u->used)
		return;
	if (u->whole || u->from != u->to)
		placement_add(whole, n * each, u->from, u->to, (struct part){ p, NULL });
	else
		placement_add(local, onednn_chunk(c, u->level, n) * (each / c->parts[u->level]),
			      u->first, u->last, (struct part){ p, NULL });
}

void onednn_placement(struct onednn *c, size_t n, bool back)
{
	const size_t most = 3 * (size_t)c->graph->n + SPACES * (size_t)c->nops;
	struct parts whole = { xcalloc(most, sizeof(*whole.pieces)),
			       xcalloc(most, sizeof(*whole.parts)), 0 };
	struct parts local = { xcalloc(most, sizeof(*local.pieces)),
			       xcalloc(most, sizeof(*local.parts)), 0 };
	struct uses u;

	uses_init(&u, c, back);
	for (int v = 0; v < c->graph->n; v++) {
		struct value *val = &c->values[v];

		if (val->maker)
			add_tensor(c, &whole, &local, &u.act[v], v, &val->act, n);
		if (val->sharer < 0)
			add_tensor(c, &whole, &local, &u.grad[v], v, &val->grad, n);
		add_tensor(c, &whole, &local, &u.extra[v], v, &val->extra, n);
	}
	for (int i = 0; i < c->nops; i++) {
		const int there = c->ops[i].level, again = 2 * c->levels - 1 - there;

		for (int k = 0; k < c->ops[i].nspaces; k++) {
			struct space *r = &c->ops[i].spaces[k];

			if (back || r->life != SPACE_BACKWARD)
				placement_add(&whole, n * r->each + r->once,
					      r->life == SPACE_BACKWARD ? again : there,
					      back && r->life != SPACE_FORWARD ? again : there,
					      (struct part){ NULL, r });
		}
	}
	onednn_grow(&c->block, &c->block_capacity, onednn_arrange(whole.pieces, whole.n));
	for (int i = 0; i < whole.n; i++)
		if (whole.parts[i].space)
			whole.parts[i].space->at = c->block + whole.pieces[i].at;
		else
			whole.parts[i].placement->base = c->block + whole.pieces[i].at;
	c->lane_bytes = onednn_arrange(local.pieces, local.n);
	for (int i = 0; i < local.n; i++)
		*local.parts[i].placement = (struct placement){ NULL, local.pieces[i].at };
	for (int v = 0; v < c->graph->n; v++)
		c->values[v].grad = c->values[value_owner(c, v)].grad;
	free(whole.pieces);
	free(whole.parts);
	free(local.pieces);
	free(local.parts);
	free(u.act);
	free(u.grad);
	free(u.extra);
	c->arranged = n;
	c->arranged_back = back;
}

/* Allocates huge pages if the system has them: they make a convolution a tenth faster. */
void onednn_grow(char **p, size_t *capacity, size_t bytes)
{
	if (bytes <= *capacity)
		return;
	free(*p);
	*capacity = (bytes / LARGE_PAGE + 1) * LARGE_PAGE;
	*p = must_have(aligned_alloc(LARGE_PAGE, *capacity), "activations");
#ifdef MADV_HUGEPAGE
	madvise(*p, *capacity, MADV_HUGEPAGE);
#endif
}

/* ---- pieces that are used at different times may have the same address ---- */

/* Largest piece first, which leaves the fewest gaps. */
static int piece_compare(const void *a, const void *b)
{
	const struct piece *x = *(struct piece *const *)a, *y = *(struct piece *const *)b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return (x > y) - (x < y);
}

size_t onednn_arrange(struct piece *pieces, int n)
{
	scoped struct piece **by_size = xcalloc((size_t)n + 1, sizeof(*by_size));
	scoped struct piece **by_offset = xcalloc((size_t)n + 1, sizeof(*by_offset));
	size_t end = 0;

	for (int i = 0; i < n; i++)
		by_size[i] = &pieces[i];
	qsort(by_size, (size_t)n, sizeof(*by_size), piece_compare);
	for (int i = 0; i < n; i++) {
		struct piece *p = by_size[i];
		int k = i;

		/* The lowest gap that is large enough among pieces used at the same time as p. */
		p->at = 0;
		for (int j = 0; j < i; j++) {
			const struct piece *q = by_offset[j];

			if (p->from > q->to || q->from > p->to)
				continue;
			if (q->at >= p->at + p->bytes)
				break;
			p->at = size_most(p->at, q->at + q->bytes);
		}
		for (; k > 0 && by_offset[k - 1]->at > p->at; k--)
			by_offset[k] = by_offset[k - 1];
		by_offset[k] = p;
		end = size_most(end, p->at + p->bytes);
	}
	return end;
}

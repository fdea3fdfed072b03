/* When each operator runs: levels, the size of their chunks, steps and stages. */
#include "nets/onednn/onednn.h"

static int max_int(int a, int b)
{
	return a > b ? a : b;
}

static size_t max_size(size_t a, size_t b)
{
	return a > b ? a : b;
}

static void plan_levels(struct onednn *c)
{
	c->levels = 1;
	for (int i = 0; i < c->nops; i++) {
		struct op *op = &c->ops[i];

		op->level = 0;
		for (int j = 0; j < 2; j++)
			if (op->in[j] >= 0)
				op->level = max_int(op->level, c->values[op->in[j]].level
						    + (!j && (op_is_norm(op) || op->type->whole)));
		c->values[op->out].level = op->level;
		c->levels = max_int(c->levels, op->level + 1);
	}
}

/* by_level, in the order of the operators within each. */
static void sort_ops(struct onednn *c)
{
	c->by_level = xcalloc((size_t)c->nops + 1, sizeof(struct op *));
	c->level_end = xcalloc((size_t)c->levels + 1, sizeof(int));
	for (int i = 0; i < c->nops; i++)
		c->level_end[c->ops[i].level + 1]++;
	for (int k = 0; k < c->levels; k++)
		c->level_end[k + 1] += c->level_end[k];
	for (int i = 0; i < c->nops; i++)
		c->by_level[c->level_end[c->ops[i].level]++] = &c->ops[i];
}

/* Chunks are large compared with the weights too, which are read again for each of them. */
static void plan_chunk(struct onednn *c, int level)
{
	size_t act = 1, weights = 0;

	for (int i = level ? c->level_end[level - 1] : 0; i < c->level_end[level]; i++) {
		const struct op *op = c->by_level[i];

		if (op->type->whole)
			continue;
		if (op->in[0] >= 0)
			act = max_size(act, c->values[op->in[0]].count);
		act = max_size(act, c->values[op->out].count);
		if (op->layer)
			weights = max_size(weights, op->layer->weights);
	}
	c->chunk[level] = max_size(1, c->chunk_bytes / c->size / act);
	c->chunk[level] = max_size(c->chunk[level], 2 * weights / act);
}

size_t onednn_chunk(const struct onednn *c, int level, size_t n)
{
	size_t chunks = (n + c->chunk[level] - 1) / c->chunk[level];

	return (n + chunks - 1) / chunks;
}

int onednn_space(struct op *op, enum life life, size_t each, size_t once)
{
	if (op->nspaces == SPACES)
		BUG("more than %d spaces", SPACES);
	op->spaces[op->nspaces] = (struct space){ life, each, once, NULL };
	return op->nspaces++;
}

/* ---- steps ---- */

static void onednn_plan_take(struct plan *p, void (*run)(struct onednn *, struct op *, struct span),
			     struct op *op)
{
	if (run)
		p->steps[p->nsteps++] = (struct step){ run, op };
}

/* The steps taken since the last stage are one; none: no stage. */
static void end_stage(struct plan *p, int level, struct op *whole)
{
	int from = 0;

	if (p->nstages)
		from = p->stages[p->nstages - 1].from + p->stages[p->nstages - 1].n;
	if (p->nsteps > from)
		p->stages[p->nstages++] =
			(struct stage){ level, from, p->nsteps - from, whole };
}

/* The normalisations that read value v. */
static void take_norms(struct onednn *c, struct plan *p, int v,
		       void (*run)(struct onednn *, struct op *, struct span))
{
	for (int k = 0; k < c->values[v].nreaders; k++) {
		struct op *op = c->values[v].readers[k];

		if (op_is_norm(op) && op->in[0] == v)
			onednn_plan_take(p, run, op);
	}
}

/* First those that see the whole batch, then the chunks. */
static void forward_level(struct onednn *c, int level)
{
	const int from = level ? c->level_end[level - 1] : 0;
	struct plan *p = &c->forward;

	for (int i = from; i < c->level_end[level]; i++)
		if (c->by_level[i]->type->whole) {
			onednn_plan_take(p, c->by_level[i]->type->forward, c->by_level[i]);
			end_stage(p, level, c->by_level[i]);
		}
	if (!level && !c->values[0].maker)
		take_norms(c, p, 0, unit_measure);
	for (int i = from; i < c->level_end[level]; i++) {
		if (!c->by_level[i]->type->whole)
			onednn_plan_take(p, c->by_level[i]->type->forward, c->by_level[i]);
		take_norms(c, p, c->by_level[i]->out, unit_measure);
	}
	end_stage(p, level, NULL);
}

/* The other way round. */
static void backward_level(struct onednn *c, int level)
{
	const int from = level ? c->level_end[level - 1] : 0;
	struct plan *p = &c->backward;

	for (int i = c->level_end[level] - 1; i >= from; i--) {
		struct op *op = c->by_level[i];

		if (!c->values[op->out].wanted)
			continue;
		take_norms(c, p, op->out, unit_spread);
		if (!op->type->whole)
			onednn_plan_take(p, op->type->backward, op);
	}
	end_stage(p, level, NULL);
	for (int i = c->level_end[level] - 1; i >= from; i--)
		if (c->by_level[i]->type->whole) {
			onednn_plan_take(p, c->by_level[i]->type->backward, c->by_level[i]);
			end_stage(p, level, c->by_level[i]);
		}
}

/* A gradient is needed of what depends on parameters. */
static void plan_wanted(struct onednn *c)
{
	for (int i = 0; i < c->nops; i++) {
		const struct op *op = &c->ops[i];
		bool own = op->type == &op_conv || op->type == &op_winograd
			   || op->type == &op_dense || op_is_norm(op);

		for (int j = 0; j < 2; j++)
			own |= op->in[j] >= 0 && c->values[op->in[j]].wanted;
		c->values[op->out].wanted = own;
	}
}

static void plan_init(struct plan *p, int nops)
{
	p->steps = xcalloc(2 * (size_t)nops + 1, sizeof(*p->steps));
	p->stages = xcalloc(2 * (size_t)nops + 1, sizeof(*p->stages));
}

void onednn_plan(struct onednn *c)
{
	plan_levels(c);
	plan_wanted(c);
	sort_ops(c);
	c->chunk = xcalloc((size_t)c->levels, sizeof(*c->chunk));
	for (int k = 0; k < c->levels; k++)
		plan_chunk(c, k);
	plan_init(&c->forward, c->nops);
	plan_init(&c->backward, c->nops);
	for (int k = 0; k < c->levels; k++)
		forward_level(c, k);
	for (int k = c->levels - 1; k >= 0; k--)
		backward_level(c, k);
}

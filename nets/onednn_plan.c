/*
 * When each operator runs: levels, the size of their chunks, and their steps.
 */
#include "nets/layers.h"
#include "nets/onednn.h"

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

		op->level = c->values[op->in[0]].level + op_is_norm(op);
		if (op->in[1] >= 0)
			op->level = max_int(op->level, c->values[op->in[1]].level);
		c->values[op->out].level = op->level;
		c->levels = max_int(c->levels, op->level + 1);
	}
}

/* Chunks are large beside the weights too, which are read again for each of them. */
static void plan_chunk(struct onednn *c, int level)
{
	size_t act = 1, weights = 0;

	for (int i = 0; i < c->nops; i++) {
		const struct op *op = &c->ops[i];

		if (op->level != level)
			continue;
		act = max_size(act, c->values[op->in[0]].count);
		act = max_size(act, c->values[op->out].count);
		if (op->layer)
			weights = max_size(weights, layer_weights(op->layer));
	}
	c->chunk[level] = max_size(1, c->chunk_bytes / sizeof(float) / act);
	c->chunk[level] = max_size(c->chunk[level], 2 * weights / act);
}

size_t onednn_chunk(const struct onednn *c, int level, size_t n)
{
	size_t chunks = (n + c->chunk[level] - 1) / c->chunk[level];

	return (n + chunks - 1) / chunks;
}

static void take(struct step *steps, int *n,
		 void (*run)(struct onednn *, struct op *, struct span), struct op *op)
{
	if (run)
		steps[(*n)++] = (struct step){ run, op };
}

/* The normalisations that read value v. */
static void take_norms(struct onednn *c, int v, struct step *steps, int *n,
		       void (*run)(struct onednn *, struct op *, struct span))
{
	for (int i = 0; i < c->nops; i++)
		if (op_is_norm(&c->ops[i]) && c->ops[i].in[0] == v)
			take(steps, n, run, &c->ops[i]);
}

static void plan_forward(struct onednn *c)
{
	int n = 0;

	take_norms(c, 0, c->forward, &n, unit_measure);
	for (int k = 0; k < c->levels; k++) {
		for (int i = 0; i < c->nops; i++) {
			if (c->ops[i].level != k)
				continue;
			take(c->forward, &n, c->ops[i].type->forward, &c->ops[i]);
			take_norms(c, c->ops[i].out, c->forward, &n, unit_measure);
		}
		c->forward_end[k] = n;
	}
}

/* backward_end is by level too, but the steps of the last level come first. */
static void plan_backward(struct onednn *c)
{
	int n = 0;

	for (int k = c->levels - 1; k >= 0; k--) {
		for (int i = c->nops - 1; i >= 0; i--) {
			if (c->ops[i].level != k || !c->values[c->ops[i].out].wanted)
				continue;
			take_norms(c, c->ops[i].out, c->backward, &n, unit_spread);
			take(c->backward, &n, c->ops[i].type->backward, &c->ops[i]);
		}
		c->backward_end[k] = n;
	}
}

/* A gradient is needed of what depends on parameters. */
static void plan_wanted(struct onednn *c)
{
	for (int i = 0; i < c->nops; i++) {
		const struct op *op = &c->ops[i];
		bool own = op->type == &op_conv || op->type == &op_dense || op_is_norm(op);

		c->values[op->out].wanted = own || c->values[op->in[0]].wanted
			|| (op->in[1] >= 0 && c->values[op->in[1]].wanted);
	}
}

void onednn_plan(struct onednn *c)
{
	size_t most = 2 * (size_t)c->nops + 1;

	plan_levels(c);
	plan_wanted(c);
	c->chunk = xcalloc((size_t)c->levels, sizeof(*c->chunk));
	for (int k = 0; k < c->levels; k++)
		plan_chunk(c, k);
	c->forward = xcalloc(most, sizeof(*c->forward));
	c->backward = xcalloc(most, sizeof(*c->backward));
	c->forward_end = xcalloc((size_t)c->levels, sizeof(int));
	c->backward_end = xcalloc((size_t)c->levels, sizeof(int));
	plan_forward(c);
	plan_backward(c);
}

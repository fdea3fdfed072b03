/*
 * A graph's layers become operators: what only renames its input disappears; batch
 * normalisation, addition, ReLU and dropout in a row are one unit, and so are a
 * convolution and the ReLU after it.
 *
 * Dropout joins a ReLU only: after both, y > 0 says what passed, in backward as well.
 */
#include "nets/onednn/onednn.h"

/* What is known of the layers while they are fused; each [graph->n]. */
struct fusing {
	const struct graph *g;
	int *alias;             /* the layer whose value this layer's output is */
	int *reader;            /* the only layer that reads it; -1: none; -2: several */
	int *head;              /* of the last layer of a unit: the first one; else -1 */
	bool *inside;           /* part of a unit, and not its last layer */
};

static void fusing_init(struct fusing *f, const struct graph *g)
{
	size_t n = (size_t)g->n;

	*f = (struct fusing){ g, xcalloc(n, sizeof(int)), xcalloc(n, sizeof(int)),
			      xcalloc(n, sizeof(int)), xcalloc(n, sizeof(bool)) };
	for (int i = 0; i < g->n; i++) {
		f->alias[i] = i;
		f->reader[i] = f->head[i] = -1;
	}
	for (int i = 1; i < g->n; i++)
		for (int j = 0; j < 2; j++) {
			int in = g->layers[i].in[j];

			if (in >= 0)
				f->reader[in] = f->reader[in] == -1 ? i : -2;
		}
}

static void fusing_release(struct fusing *f)
{
	free(f->alias);
	free(f->reader);
	free(f->head);
	free(f->inside);
}

static bool onednn_fuse_renames(const struct layer *l)
{
	if (l->kind == LAYER_DROPOUT)
		return l->rate <= 0;
	return l->kind == LAYER_SHORTCUT && l->stride == 1 && l->is.c == l->os.c;
}

/* The operator of each kind that nets of images have, and of the images themselves. */
static const struct op_type *const types[LAYER_KINDS] = {
	[LAYER_INPUT] = &op_enter, [LAYER_CONV] = &op_conv, [LAYER_DENSE] = &op_dense,
	[LAYER_BN] = &op_unit, [LAYER_RELU] = &op_unit, [LAYER_ADD] = &op_unit,
	[LAYER_MAXPOOL] = &op_pool, [LAYER_AVGPOOL] = &op_pool,
	[LAYER_GLOBALPOOL] = &op_globalpool, [LAYER_DROPOUT] = &op_dropout,
	[LAYER_SHORTCUT] = &op_shortcut, [LAYER_LRN] = &op_lrn, [LAYER_CONCAT] = &op_concat,
};

/* The only reader of layer i if it is of that kind and free to join i's unit; else -1. */
static int onednn_fuse_follower(const struct fusing *f, int i, enum layer_kind kind)
{
	int r = f->reader[i];

	return r >= 0 && f->g->layers[r].kind == kind && !onednn_fuse_renames(&f->g->layers[r]) &&
			       f->head[r] < 0 && !f->inside[r] ?
		       r :
		       -1;
}

/* The follower of that kind, if there is one, joins the unit; the last layer then. */
static int onednn_fuse_join(struct fusing *f, int last, enum layer_kind kind)
{
	int next = onednn_fuse_follower(f, last, kind);

	if (next < 0)
		return last;
	f->inside[last] = true;
	return next;
}

/* The unit that begins at layer i: marks its layers. */
static void fuse_unit(struct fusing *f, int i)
{
	const struct layer *l = f->g->layers;
	int last = i;

	if (l[i].kind == LAYER_BN)
		last = onednn_fuse_join(f, last, LAYER_ADD);
	if (l[i].kind != LAYER_RELU)
		last = onednn_fuse_join(f, last, LAYER_RELU);
	if (l[i].kind != LAYER_CONV && l[last].kind == LAYER_RELU)
		last = onednn_fuse_join(f, last, LAYER_DROPOUT);
	f->head[last] = i;
}

/* The addition in the unit head..last, or -1. */
static int addition_of(const struct layer *l, int head, int last)
{
	int i = last;

	while (i != head && l[i].kind != LAYER_ADD)
		i = l[i].kind == LAYER_DROPOUT || l[i].kind == LAYER_RELU ? l[i].in[0] : head;
	return l[i].kind == LAYER_ADD ? i : -1;
}

/* The other input of the addition in the unit head..last; -1: it has none. */
static int residual_of(const struct layer *l, int head, int last)
{
	int add = addition_of(l, head, last);

	if (add < 0)
		return -1;
	return add == head || l[add].in[0] == head ? l[add].in[1] : l[add].in[0];
}

static struct op *onednn_fuse_emit(struct onednn *c, enum layer_kind kind, int id, int out)
{
	struct op *op = &c->ops[c->nops++];

	*op = (struct op){ .type = types[kind], .layer = &c->graph->layers[id], .id = id,
			   .in = { -1, -1 }, .out = out };
	if (onednn_is_winograd(c, op->layer))
		op->type = &op_winograd;
	c->values[out].maker = op;
	return op;
}

static void emit_unit(struct onednn *c, const struct fusing *f, int last)
{
	const struct layer *l = c->graph->layers;
	int head = f->head[last] < 0 ? last : f->head[last], r;
	bool drops = l[last].kind == LAYER_DROPOUT && head != last;
	struct op *op = onednn_fuse_emit(c, l[head].kind, head, last);

	op->in[0] = f->alias[l[head].in[0]];
	if (l[head].kind == LAYER_CONCAT)
		op->in[1] = f->alias[l[head].in[1]];
	op->relu = l[last].kind == LAYER_RELU || drops;
	op->drop = drops ? &l[last] : NULL;
	if (op->type != &op_unit)
		return;
	if (l[head].kind != LAYER_BN) {
		op->layer = NULL;
		op->id = last;
	}
	if ((r = residual_of(l, head, last)) >= 0)
		op->in[1] = f->alias[r];
}

static void plan_value(struct value *v, struct shape s)
{
	v->shape = s;
	v->count = shape_count(s);
}

static void add_reader(struct value *v, struct op *op)
{
	if (v->nreaders && v->readers[v->nreaders - 1] == op)
		return;
	v->readers = xrealloc(v->readers, (size_t)v->nreaders + 1, sizeof(*v->readers));
	v->readers[v->nreaders++] = op;
}

void onednn_fuse(struct onednn *c)
{
	const struct graph *g = c->graph;
	struct fusing f;

	c->values = xcalloc((size_t)g->n, sizeof(*c->values));
	c->ops = xcalloc((size_t)g->n + 1, sizeof(*c->ops));
	fusing_init(&f, g);
	plan_value(&c->values[0], g->input);
	if (c->precision != PRECISION_F32)
		onednn_fuse_emit(c, LAYER_INPUT, 0, 0);
	for (int i = 1; i < g->n; i++) {
		const struct layer *l = &g->layers[i];

		plan_value(&c->values[i], l->os);
		if (onednn_fuse_renames(l))
			f.alias[i] = f.alias[l->in[0]];
		else if ((types[l->kind] == &op_unit || l->kind == LAYER_CONV) && !f.inside[i]
			 && f.head[i] < 0)
			fuse_unit(&f, i);
		if (f.alias[i] == i && !f.inside[i])
			emit_unit(c, &f, i);
	}
	c->result = f.alias[g->n - 1];
	for (int i = 0; i < c->nops; i++)
		for (int j = 0; j < 2; j++)
			if (c->ops[i].in[j] >= 0)
				add_reader(&c->values[c->ops[i].in[j]], &c->ops[i]);
	fusing_release(&f);
}

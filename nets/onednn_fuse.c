/*
 * A graph's layers become operators: what only renames its input disappears,
 * and batch normalisation, addition and ReLU in a row are one unit.
 */
#include "nets/layers.h"
#include "nets/onednn.h"

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

static bool renames(const struct layer *l)
{
	if (l->kind == LAYER_DROPOUT)
		return l->rate <= 0;
	return l->kind == LAYER_SHORTCUT && l->stride == 1 && l->is.c == l->os.c;
}

static bool is_unit(enum layer_kind kind)
{
	return kind == LAYER_BN || kind == LAYER_ADD || kind == LAYER_RELU;
}

/* The only reader of layer i if it is of that kind and free to join i's unit; else -1. */
static int follower(const struct fusing *f, int i, enum layer_kind kind)
{
	int r = f->reader[i];

	return r >= 0 && f->g->layers[r].kind == kind && f->head[r] < 0 && !f->inside[r] ? r : -1;
}

/* The unit that begins at layer i: marks its layers. */
static void fuse_unit(struct fusing *f, int i)
{
	int last = i, next;

	if (f->g->layers[i].kind == LAYER_BN && (next = follower(f, last, LAYER_ADD)) >= 0) {
		f->inside[last] = true;
		last = next;
	}
	if (f->g->layers[i].kind != LAYER_RELU && (next = follower(f, last, LAYER_RELU)) >= 0) {
		f->inside[last] = true;
		last = next;
	}
	f->head[last] = i;
}

static const struct op_type *type_of(enum layer_kind kind)
{
	switch (kind) {
	case LAYER_CONV:
		return &op_conv;
	case LAYER_DENSE:
		return &op_dense;
	case LAYER_MAXPOOL:
	case LAYER_AVGPOOL:
		return &op_pool;
	case LAYER_GLOBALPOOL:
		return &op_globalpool;
	case LAYER_DROPOUT:
		return &op_dropout;
	case LAYER_SHORTCUT:
		return &op_shortcut;
	default:
		return &op_unit;
	}
}

/* The other input of the addition in the unit head..last; -1: it has none. */
static int residual_of(const struct fusing *f, int head, int last)
{
	const struct layer *l = f->g->layers;
	int add = l[last].kind == LAYER_ADD ? last : l[last].in[0];

	if (l[head].kind == LAYER_ADD)
		return l[head].in[1];
	if (head == last || l[add].kind != LAYER_ADD)
		return -1;
	return l[add].in[0] == head ? l[add].in[1] : l[add].in[0];
}

static void emit(struct onednn *c, const struct fusing *f, int last)
{
	const struct layer *l = c->graph->layers;
	int head = f->head[last] < 0 ? last : f->head[last], r = -1;
	struct op *op = &c->ops[c->nops++];

	*op = (struct op){ .type = type_of(l[head].kind), .layer = &l[head], .id = head,
			   .in = { f->alias[l[head].in[0]], -1 }, .out = last };
	c->values[last].maker = op;
	if (!is_unit(l[head].kind))
		return;
	op->relu = l[last].kind == LAYER_RELU;
	op->layer = l[head].kind == LAYER_BN ? &l[head] : NULL;
	if ((r = residual_of(f, head, last)) >= 0)
		op->in[1] = f->alias[r];
}

static void plan_value(struct value *v, struct shape s)
{
	v->shape = s;
	v->count = shape_count(s);
}

void onednn_fuse(struct onednn *c)
{
	const struct graph *g = c->graph;
	struct fusing f;

	c->values = xcalloc((size_t)g->n, sizeof(*c->values));
	c->ops = xcalloc((size_t)g->n, sizeof(*c->ops));
	fusing_init(&f, g);
	plan_value(&c->values[0], g->input);
	for (int i = 1; i < g->n; i++) {
		plan_value(&c->values[i], g->layers[i].os);
		if (renames(&g->layers[i]))
			f.alias[i] = f.alias[g->layers[i].in[0]];
		else if (is_unit(g->layers[i].kind) && !f.inside[i] && f.head[i] < 0)
			fuse_unit(&f, i);
		if (f.alias[i] == i && !f.inside[i])
			emit(c, &f, i);
	}
	c->result = f.alias[g->n - 1];
	fusing_release(&f);
}

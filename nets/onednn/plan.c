/* plan.c - makes operators from layers, and decides when each runs and which adds to a gradient. */
#include "nets/onednn/onednn.h"

#include "nets/nets.h"

/*
 * ---- operators ----
 *
 * Layers become operators: a layer that only renames its input disappears; consecutive batch
 * normalisation, addition, ReLU and dropout are one unit, and so are a convolution and the ReLU
 * after it.
 *
 * Dropout joins a unit only after a ReLU: then y > 0 tells which elements passed, in backward too.
 */

/* Facts of the layers while they are fused; each [graph->n]. */
struct fusing {
	const struct graph *g;
	int *alias;             /* layer whose value is this layer's output */
	int *reader;            /* the only layer that reads it; -1: none; -2: several */
	int *head;              /* for the last layer of a unit: its first one; else -1 */
	bool *inside;           /* part of a unit, and not its last layer */
};

static bool layer_renames(const struct layer *l)
{
	if (l->kind == LAYER_DROPOUT)
		return l->rate <= 0;
	return l->kind == LAYER_SHORTCUT && l->stride == 1 && l->is.c == l->os.c;
}

/* Operators of each kind of layer in nets of images, and of the images. */
static const struct op_type *const types[LAYER_KINDS] = {
	[LAYER_INPUT] = &op_enter, [LAYER_CONV] = &op_conv, [LAYER_DENSE] = &op_dense,
	[LAYER_BN] = &op_unit, [LAYER_RELU] = &op_unit, [LAYER_ADD] = &op_unit,
	[LAYER_MAXPOOL] = &op_pool, [LAYER_AVGPOOL] = &op_pool,
	[LAYER_GLOBALPOOL] = &op_globalpool, [LAYER_DROPOUT] = &op_dropout,
	[LAYER_SHORTCUT] = &op_shortcut, [LAYER_LRN] = &op_lrn, [LAYER_CONCAT] = &op_concat,
	[LAYER_GELU] = &op_curve, [LAYER_TANH] = &op_curve, [LAYER_SIGMOID] = &op_curve,
	[LAYER_SILU] = &op_curve, [LAYER_GROUPNORM] = &op_groupnorm, [LAYER_LSTM] = &op_lstm,
};

/* The only reader of layer i if it is of that kind and free to join i's unit; else -1. */
static int fusing_follower(const struct fusing *f, int i, enum layer_kind kind)
{
	int r = f->reader[i];

	return r >= 0 && f->g->layers[r].kind == kind && !layer_renames(&f->g->layers[r]) &&
			       f->head[r] < 0 && !f->inside[r] ?
		       r :
		       -1;
}

/* Adds the follower of that kind, if there is one, to the unit; returns the unit's last layer. */
static int fusing_join(struct fusing *f, int last, enum layer_kind kind)
{
	int next = fusing_follower(f, last, kind);

	if (next < 0)
		return last;
	f->inside[last] = true;
	return next;
}

/* Marks the layers of the unit that begins at layer i. */
static void fuse_unit(struct fusing *f, int i)
{
	const struct layer *l = f->g->layers;
	int last = i;

	if (l[i].kind == LAYER_BN)
		last = fusing_join(f, last, LAYER_ADD);
	if (l[i].kind != LAYER_RELU)
		last = fusing_join(f, last, LAYER_RELU);
	if (l[i].kind != LAYER_CONV && l[last].kind == LAYER_RELU)
		last = fusing_join(f, last, LAYER_DROPOUT);
	f->head[last] = i;
}

/* The other input of the addition in the unit head..last; -1: it has none. */
static int residual_of(const struct layer *l, int head, int last)
{
	int add = last;

	while (add != head && l[add].kind != LAYER_ADD)
		add = l[add].kind == LAYER_DROPOUT || l[add].kind == LAYER_RELU ? l[add].in[0]
										: head;
	if (l[add].kind != LAYER_ADD)
		return -1;
	return add == head || l[add].in[0] == head ? l[add].in[1] : l[add].in[0];
}

static struct op *op_emit(struct onednn *c, enum layer_kind kind, int id, int out)
{
	struct op *op = &c->ops[c->nops++];

	*op = (struct op){ .type = types[kind], .layer = &c->graph->layers[id], .id = id,
			   .in = { -1, -1 }, .out = out };
	if (!op->type)
		BUG("onednn has no operator for %s", layer_kind_name(kind));
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
	struct op *op = op_emit(c, l[head].kind, head, last);

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

void onednn_fuse(struct onednn *c)
{
	const struct graph *g = c->graph;
	const size_t n = (size_t)g->n;
	struct fusing f = { g, xcalloc(n, sizeof(int)), xcalloc(n, sizeof(int)),
			    xcalloc(n, sizeof(int)), xcalloc(n, sizeof(bool)) };

	for (int i = 0; i < g->n; i++) {
		f.alias[i] = i;
		f.reader[i] = f.head[i] = -1;
	}
	for (int i = 1; i < g->n; i++)
		for (int j = 0; j < 2; j++) {
			const int in = g->layers[i].in[j];

			if (in >= 0)
				f.reader[in] = f.reader[in] == -1 ? i : -2;
		}
	c->values = xcalloc(n, sizeof(*c->values));
	c->ops = xcalloc(n + 1, sizeof(*c->ops));
	for (int i = 0; i < g->n; i++) {
		c->values[i].shape = g->layers[i].os;
		c->values[i].count = shape_count(g->layers[i].os);
	}
	if (c->precision != PRECISION_F32)
		op_emit(c, LAYER_INPUT, 0, 0);
	for (int i = 1; i < g->n; i++) {
		const struct layer *l = &g->layers[i];

		if (layer_renames(l))
			f.alias[i] = f.alias[l->in[0]];
		else if ((types[l->kind] == &op_unit || l->kind == LAYER_CONV) && !f.inside[i]
			 && f.head[i] < 0)
			fuse_unit(&f, i);
		if (f.alias[i] == i && !f.inside[i])
			emit_unit(c, &f, i);
	}
	c->result = f.alias[g->n - 1];
	for (int i = 0; i < c->nops; i++)
		for (int j = 0; j < 2; j++) {
			struct op *op = &c->ops[i];
			struct value *v = op->in[j] < 0 ? NULL : &c->values[op->in[j]];

			if (!v || (v->nreaders && v->readers[v->nreaders - 1] == op))
				continue;
			APPEND(v->readers, v->nreaders) = op;
		}
	free(f.alias);
	free(f.reader);
	free(f.head);
	free(f.inside);
}

/* ---- levels, chunks, steps and stages ---- */

static int max_int(int a, int b)
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

/* Sorts operators by level, keeping their order within each. */
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

/* True if an operator computes each strip of its output from the same strip of its inputs. */
static bool has_strips(const struct onednn *c, const struct op *op, int parts)
{
	const struct layer *l = op->layer;

	if (op->type == &op_unit)
		return !op->drop && c->values[op->out].shape.h % parts == 0;
	return op->type == &op_conv && l->kernel == 1 && !l->pad
	       && l->is.h % (l->stride * parts) == 0;
}

static bool level_has_strips(const struct onednn *c, int level, int parts)
{
	for (int i = level ? c->level_end[level - 1] : 0; i < c->level_end[level]; i++)
		if (!c->by_level[i]->type->whole && !has_strips(c, c->by_level[i], parts))
			return false;
	return true;
}

/*
 * Sets a level's chunk size: large compared with the weights too, which each chunk reads again. A
 * sample that is larger by itself is divided into strips, where the level's operators can be.
 */
static void plan_chunk(struct onednn *c, int level)
{
	size_t act = 1, weights = 0, wanted;

	for (int i = level ? c->level_end[level - 1] : 0; i < c->level_end[level]; i++) {
		const struct op *op = c->by_level[i];

		if (op->type->whole)
			continue;
		if (op->in[0] >= 0)
			act = size_most(act, c->values[op->in[0]].count);
		act = size_most(act, c->values[op->out].count);
		if (op->layer)
			weights = size_most(weights, op->layer->weights);
	}
	wanted = size_most(size_most(1, c->chunk_bytes / c->size), 2 * weights);
	c->chunk[level] = size_most(1, wanted / act);
	c->parts[level] = 1;
	for (int k = 2; act / c->parts[level] > wanted && k <= (int)(act / wanted) + 1; k++)
		if (level_has_strips(c, level, k))
			c->parts[level] = (size_t)k;
}

size_t onednn_chunk(const struct onednn *c, int level, size_t n)
{
	const size_t strips = n * c->parts[level];
	const size_t chunks = (strips + c->chunk[level] - 1) / c->chunk[level];

	return (strips + chunks - 1) / chunks;
}

int onednn_space(struct op *op, enum life life, size_t each, size_t once)
{
	if (op->nspaces == SPACES)
		BUG("more than %d spaces", SPACES);
	op->spaces[op->nspaces] = (struct space){ life, each, once, NULL };
	return op->nspaces++;
}

/* ---- steps ---- */

static void plan_take(struct plan *p, void (*run)(struct onednn *, struct op *, struct span),
			     struct op *op)
{
	if (run)
		p->steps[p->nsteps++] = (struct step){ run, op };
}

/* Makes a stage of the steps since the last one, if there are any. */
static void end_stage(struct plan *p, int level, struct op *whole)
{
	int from = 0;

	if (p->nstages)
		from = p->stages[p->nstages - 1].from + p->stages[p->nstages - 1].n;
	if (p->nsteps > from)
		p->stages[p->nstages++] =
			(struct stage){ level, from, p->nsteps - from, whole };
}

/* Takes the normalisations that read value v. */
static void take_norms(struct onednn *c, struct plan *p, int v,
		       void (*run)(struct onednn *, struct op *, struct span))
{
	for (int k = 0; k < c->values[v].nreaders; k++) {
		struct op *op = c->values[v].readers[k];

		if (op_is_norm(op) && op->in[0] == v)
			plan_take(p, run, op);
	}
}

/* Steps of a level: first those over the whole batch, then the chunks. */
static void forward_level(struct onednn *c, int level)
{
	const int from = level ? c->level_end[level - 1] : 0;
	struct plan *p = &c->forward;

	for (int i = from; i < c->level_end[level]; i++)
		if (c->by_level[i]->type->whole) {
			plan_take(p, c->by_level[i]->type->forward, c->by_level[i]);
			end_stage(p, level, c->by_level[i]);
		}
	if (!level && !c->values[0].maker)
		take_norms(c, p, 0, unit_measure);
	for (int i = from; i < c->level_end[level]; i++) {
		if (!c->by_level[i]->type->whole)
			plan_take(p, c->by_level[i]->type->forward, c->by_level[i]);
		take_norms(c, p, c->by_level[i]->out, unit_measure);
	}
	end_stage(p, level, NULL);
}

/* Steps of a level in backward, in the reverse order of forward_level(). */
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
			plan_take(p, op->type->backward, op);
	}
	end_stage(p, level, NULL);
	for (int i = c->level_end[level] - 1; i >= from; i--)
		if (c->by_level[i]->type->whole) {
			plan_take(p, c->by_level[i]->type->backward, c->by_level[i]);
			end_stage(p, level, c->by_level[i]);
		}
}

/* Marks values that depend on parameters: they need a gradient. */
static void plan_wanted(struct onednn *c)
{
	for (int i = 0; i < c->nops; i++) {
		const struct op *op = &c->ops[i];
		bool own = op->layer && layer_parameters(op->layer) > 0;

		for (int j = 0; j < 2; j++)
			own |= op->in[j] >= 0 && c->values[op->in[j]].wanted;
		c->values[op->out].wanted = own;
	}
}

void onednn_plan(struct onednn *c)
{
	struct plan *const plans[] = { &c->forward, &c->backward };

	plan_levels(c);
	plan_wanted(c);
	sort_ops(c);
	c->parts = xcalloc((size_t)c->levels, sizeof(*c->parts));
	c->chunk = xcalloc((size_t)c->levels, sizeof(*c->chunk));
	for (int k = 0; k < c->levels; k++)
		plan_chunk(c, k);
	for (int k = 0; k < 2; k++) {
		plans[k]->steps = xcalloc(2 * (size_t)c->nops + 1, sizeof(struct step));
		plans[k]->stages = xcalloc(2 * (size_t)c->nops + 1, sizeof(struct stage));
	}
	for (int k = 0; k < c->levels; k++)
		forward_level(c, k);
	for (int k = c->levels - 1; k >= 0; k--)
		backward_level(c, k);
}

/*
 * ---- gradients ----
 *
 * The first operator that writes a gradient in backward sets it, the others add to it.
 *
 * An addition or a ReLU passes its output's gradient on unchanged: then both gradients have one
 * placement, where no thread may change one while the other is still to be read.
 */

bool onednn_writes(const struct onednn *c, const struct step *s, int j)
{
	int in = s->op->in[j];

	if (in < 0 || !c->values[in].wanted)
		return false;
	if (!op_is_norm(s->op))
		return true;
	return s->run == unit_spread ? j == 0 : j == 1;
}

/* True when only one input of one operator writes the gradient of value v. */
static bool one_write(const struct onednn *c, int v)
{
	const struct value *val = &c->values[v];

	return val->nreaders == 1
	       && !(val->readers[0]->in[0] == v && val->readers[0]->in[1] == v);
}

/* True when the value's maker may change its gradient in place, or pass its memory on. */
static bool is_masked(const struct onednn *c, int v)
{
	const struct op *maker = c->values[v].maker;

	return maker->type == &op_unit || maker->relu;
}

/*
 * True if v's gradient does not change in that level, or an earlier one of backward, after op has
 * written it through input j: no other reader adds to it, and its maker does not mask it.
 */
static bool grad_stays(const struct onednn *c, const struct op *op, int j, int level)
{
	const int v = op->in[j];
	const struct value *val = &c->values[v];

	if (val->level >= level && is_masked(c, v))
		return false;
	for (int i = 0; i < val->nreaders; i++)
		for (int k = 0; k < 2; k++) {
			const struct op *o = val->readers[i];

			if (o->in[k] == v && !(o == op && k == j)
			    && (op_is_norm(o) && !k ? c->values[v].level : o->level) >= level)
				return false;
		}
	return true;
}

/*
 * True if input j's gradient may share the placement of out's, where op is a unit that writes it
 * first. After a normalisation, out's gradient is read once more, in the level of in[0]. Otherwise
 * this was its last use: one input may have it; the other one too, if it is the result of a
 * convolution or dense layer, which only reads it, and the first one's gradient does not change
 * until then.
 */
static bool can_share(const struct onednn *c, const struct op *op, int j)
{
	const int v = op->in[j];

	if (op->type != &op_unit || c->values[v].maker == NULL)
		return false;
	if (op->layer)
		return j == 1 && c->values[v].level < c->values[op->in[0]].level &&
		       grad_stays(c, op, 1, c->values[op->in[0]].level);
	if (j == 0 || !op->shares[0])
		return true;
	for (int k = 0; k < 2; k++) {
		const int y = op->in[k];

		if (one_write(c, y) && !is_masked(c, y) &&
		    grad_stays(c, op, !k, c->values[y].level))
			return true;
	}
	return false;
}

/* Writes of a gradient found so far. */
struct writes {
	int n;
	const struct step *last;
	int which;                      /* the input of last's operator */
};

void onednn_share(struct onednn *c)
{
	scoped struct writes *w = xcalloc((size_t)c->graph->n, sizeof(*w));

	for (int v = 0; v < c->graph->n; v++)
		c->values[v].sharer = -1;
	w[c->result].n = 1;             /* the loss */
	for (int i = 0; i < c->backward.nsteps; i++)
		for (int j = 0; j < 2; j++) {
			const struct step *s = &c->backward.steps[i];
			struct op *op = s->op;
			const int v = op->in[j];

			if (!onednn_writes(c, s, j))
				continue;
			op->add[j] = w[v].n > 0;
			w[v] = (struct writes){ w[v].n + 1, s, j };
			if (!op->add[j] && can_share(c, op, j)) {
				op->shares[j] = true;
				c->values[v].sharer = op->out;
			}
		}
	/*
	 * A convolution cannot add to a gradient. If it is the last to write one that the maker
	 * masks anyway, its term is stored in a second part, and the maker adds it.
	 */
	for (int v = 1; v < c->graph->n; v++) {
		struct op *op = w[v].n > 1 ? w[v].last->op : NULL;

		if (op && op->type == &op_conv && op->add[w[v].which] && is_masked(c, v)
		    && op->level == c->values[v].level)
			op->apart = c->values[v].more = true;
	}
}

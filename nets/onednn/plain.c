/* Operators that are a few loops, or one operation of oneDNN. */
#include "nets/onednn/onednn.h"

/* Converts the given images to activations. */
static void enter_forward(struct onednn *c, struct op *op, struct span s)
{
	const size_t count = c->values[op->out].count;

	c->simd->narrow(s.n * count, c->images + s.first * count, value_act(c, op->out, s));
}

const struct op_type op_enter = { .forward = enter_forward };

static size_t value_pixels(const struct value *v)
{
	return (size_t)v->shape.h * (size_t)v->shape.w;
}

/* y[c] = mean of x[pixels][c] */
static void op_globalpool_forward(struct onednn *c, struct op *op, struct span s)
{
	const size_t in = c->values[op->in[0]].count, ch = c->values[op->out].count;
	const char *x = value_act(c, op->in[0], s);
	char *y = value_act(c, op->out, s);

	for (size_t i = 0; i < s.n; i++)
		c->simd->mean(in / ch, ch, x + i * in * c->size, y + i * ch * c->size);
}

static void op_globalpool_backward(struct onednn *c, struct op *op, struct span s)
{
	const size_t in = c->values[op->in[0]].count, ch = c->values[op->out].count;
	const char *dy = value_grad(c, op->out, s);
	char *dx;

	if (!c->values[op->in[0]].wanted)
		return;
	dx = value_grad(c, op->in[0], s);
	for (size_t i = 0; i < s.n; i++)
		c->simd->unmean(in / ch, ch, dy + i * ch * c->size, op->add[0],
				dx + i * in * c->size);
}

const struct op_type op_globalpool = {
	.forward = op_globalpool_forward, .backward = op_globalpool_backward,
};

/* ---- shortcut: every stride-th pixel, with zero channels after its own ---- */

/* The first byte that line h of output sample i reads. */
static size_t line_from(const struct onednn *c, const struct layer *l, size_t i, int h)
{
	size_t row = i * (size_t)l->is.h + (size_t)(h * l->stride);

	return row * (size_t)l->is.w * (size_t)l->is.c * c->size;
}

static void op_shortcut_forward(struct onednn *c, struct op *op, struct span s)
{
	const struct layer *l = op->layer;
	const size_t in = (size_t)l->is.c, out = (size_t)l->os.c, pixels = (size_t)l->os.w;
	const char *x = value_act(c, op->in[0], s);
	char *y = value_act(c, op->out, s);

	memset(y, 0, s.n * c->values[op->out].count * c->size);
	for (size_t i = 0; i < s.n; i++)
		for (int h = 0; h < l->os.h; h++, y += pixels * out * c->size)
			c->simd->copy(pixels, in, x + line_from(c, l, i, h),
				      (size_t)l->stride * in, false, y, out);
}

static void op_shortcut_backward(struct onednn *c, struct op *op, struct span s)
{
	const struct layer *l = op->layer;
	const size_t in = (size_t)l->is.c, out = (size_t)l->os.c, pixels = (size_t)l->os.w;
	const char *dy = value_grad(c, op->out, s);
	char *dx;

	if (!c->values[op->in[0]].wanted)
		return;
	dx = value_grad(c, op->in[0], s);
	if (!op->add[0])
		memset(dx, 0, s.n * c->values[op->in[0]].count * c->size);
	for (size_t i = 0; i < s.n; i++)
		for (int h = 0; h < l->os.h; h++, dy += pixels * out * c->size)
			c->simd->copy(pixels, in, dy, out, op->add[0], dx + line_from(c, l, i, h),
				      (size_t)l->stride * in);
}

const struct op_type op_shortcut = {
	.forward = op_shortcut_forward, .backward = op_shortcut_backward,
};

/* ---- channels of in[0], then of in[1] ---- */

static void op_concat_forward(struct onednn *c, struct op *op, struct span s)
{
	const struct value *out = &c->values[op->out];
	const size_t all = (size_t)out->shape.c;
	char *y = value_act(c, op->out, s);

	for (int j = 0; j < 2; j++) {
		const size_t ch = (size_t)c->values[op->in[j]].shape.c;

		c->simd->copy(s.n * value_pixels(out), ch, value_act(c, op->in[j], s), ch,
			      false, y, all);
		y += ch * c->size;
	}
}

static void op_concat_backward(struct onednn *c, struct op *op, struct span s)
{
	const struct value *out = &c->values[op->out];
	const size_t all = (size_t)out->shape.c;
	const char *dy = value_grad(c, op->out, s);

	for (int j = 0; j < 2; j++) {
		const struct value *in = &c->values[op->in[j]];
		const size_t ch = (size_t)in->shape.c;

		if (in->wanted)
			c->simd->copy(s.n * value_pixels(out), ch, dy, all, op->add[j],
				      value_grad(c, op->in[j], s), ch);
		dy += ch * c->size;
	}
}

const struct op_type op_concat = {
	.forward = op_concat_forward, .backward = op_concat_backward,
};

/* ---- dropout that is not part of a unit: keeps a byte for each element ---- */

static int dropout_open(struct onednn *c, struct op *op)
{
	const size_t count = c->values[op->out].count;

	onednn_space(op, SPACE_KEPT, count, 0);
	onednn_temp(c, c->chunk[op->level] * count * sizeof(float));
	return 0;
}

static void op_dropout_forward(struct onednn *c, struct op *op, struct span s)
{
	const size_t n = s.n * c->values[op->out].count;
	const void *x = value_act(c, op->in[0], s);
	float *mask = (float *)(void *)s.lane->temp;
	void *y = value_act(c, op->out, s);
	char *kept = space_get(op, 0, s);

	if (!c->use) {
		c->simd->copy(1, n, x, 0, false, y, 0);
		return;
	}
	dropout_mask(s.n, c->values[op->out].count, op->layer->rate, c->seed, op->id,
		     c->use + s.first, mask);
	c->simd->times(n, x, mask, false, y);
	for (size_t i = 0; i < n; i++)
		kept[i] = mask[i] > 0;
}

static void op_dropout_backward(struct onednn *c, struct op *op, struct span s)
{
	const size_t n = s.n * c->values[op->out].count;
	const float scale = (float)(1 / (1 - op->layer->rate));
	const void *dy = value_grad(c, op->out, s);
	float *mask = (float *)(void *)s.lane->temp;
	const char *kept = space_get(op, 0, s);

	if (!c->values[op->in[0]].wanted)
		return;
	for (size_t i = 0; i < n; i++)
		mask[i] = !c->use ? 1 : kept[i] ? scale : 0;
	c->simd->times(n, dy, mask, op->add[0], value_grad(c, op->in[0], s));
}

const struct op_type op_dropout = {
	.open = dropout_open, .forward = op_dropout_forward, .backward = op_dropout_backward,
};

/* ---- local response normalisation ---- */

static struct lrn lrn_of(const struct layer *l)
{
	const int half = l->kernel / 2 < l->is.c ? l->kernel / 2 : l->is.c;

	return (struct lrn){ (size_t)half, (float)l->k, (float)(l->alpha / l->kernel),
			     (float)l->power };
}

static int lrn_open(struct onednn *c, struct op *op)
{
	const struct lrn l = lrn_of(op->layer);

	onednn_temp(c, 3 * LRN_WORK((size_t)op->layer->is.c, l.half) * sizeof(float));
	return 0;
}

static void op_lrn_forward(struct onednn *c, struct op *op, struct span s)
{
	const struct lrn l = lrn_of(op->layer);

	c->simd->lrn(s.n * value_pixels(&c->values[op->out]), (size_t)op->layer->is.c, &l,
		     value_act(c, op->in[0], s), (float *)(void *)s.lane->temp,
		     value_act(c, op->out, s));
}

static void op_lrn_backward(struct onednn *c, struct op *op, struct span s)
{
	const struct lrn l = lrn_of(op->layer);

	if (c->values[op->in[0]].wanted)
		c->simd->lrn_back(s.n * value_pixels(&c->values[op->out]),
				  (size_t)op->layer->is.c, &l, value_act(c, op->in[0], s),
				  value_grad(c, op->out, s), (float *)(void *)s.lane->temp,
				  op->add[0], value_grad(c, op->in[0], s));
}

const struct op_type op_lrn = {
	.reads_in = true, .open = lrn_open, .forward = op_lrn_forward,
	.backward = op_lrn_backward,
};

/* ---- maximum and average pooling by oneDNN; padding counts in neither ---- */

enum { POOL_FORWARD, POOL_BACKWARD, POOL_PASSES };

struct pool_op {
	int space;              /* of op: positions of maxima; -1: average pooling */
	size_t each;            /* bytes of it for each sample */
};

static int pool_size(struct onednn *c, struct op *op, struct pass *p, size_t n)
{
	static const int args[] = { DNNL_ARG_SRC, DNNL_ARG_DST, DNNL_ARG_WORKSPACE };
	static const int back_args[] = { DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_DST,
					 DNNL_ARG_WORKSPACE };
	const struct layer *l = op->layer;
	const int max = l->kind == LAYER_MAXPOOL;
	struct operation o = { .kind = dnnl_pooling, .prop = dnnl_forward_training,
			       .alg = max ? dnnl_pooling_max : dnnl_pooling_avg_exclude_padding,
			       .src = onednn_images(l->is, n, c->type),
			       .dst = onednn_images(l->os, n, c->type),
			       .window = onednn_window(l) };
	struct pool_op *k = op->priv;

	if (pass_open(c, &p[POOL_FORWARD], onednn_describe(&o), 2 + max, args))
		return -1;
	o.hint = pass_desc(&p[POOL_FORWARD]);
	o.prop = dnnl_backward_data;
	if (max && k->space < 0) {
		k->each = onednn_bytes(o.hint, DNNL_ARG_WORKSPACE) / n;
		k->space = onednn_space(op, SPACE_KEPT, k->each, 0);
	}
	if (max && onednn_bytes(o.hint, DNNL_ARG_WORKSPACE) != n * k->each)
		BUG("a space of %zu bytes a sample has another size", k->each);
	return pass_open(c, &p[POOL_BACKWARD], onednn_describe(&o), 2 + max, back_args);
}

static int pool_open(struct onednn *c, struct op *op)
{
	struct pool_op *k = op->priv = xcalloc(1, sizeof(*k));

	k->space = -1;
	if (op->add[0])
		onednn_temp(c, c->chunk[op->level] * c->values[op->in[0]].count * c->size);
	return onednn_size(c, op, c->chunk[op->level]);
}

static void pool_forward(struct onednn *c, struct op *op, struct span s)
{
	const struct pool_op *k = op->priv;
	const void *space = k->space < 0 ? NULL : space_get(op, k->space, s);

	pass_run(&op->sizes[s.n][POOL_FORWARD], s.lane,
		 (const void *const[]){ value_act(c, op->in[0], s), value_act(c, op->out, s),
					space });
}

static void pool_backward(struct onednn *c, struct op *op, struct span s)
{
	const struct pool_op *k = op->priv;
	const void *space = k->space < 0 ? NULL : space_get(op, k->space, s);
	void *dx, *to;

	if (!c->values[op->in[0]].wanted)
		return;
	dx = value_grad(c, op->in[0], s);
	to = op->add[0] ? s.lane->temp : dx;
	pass_run(&op->sizes[s.n][POOL_BACKWARD], s.lane,
		 (const void *const[]){ to, value_grad(c, op->out, s), space });
	if (to != dx)
		c->simd->copy(1, s.n * c->values[op->in[0]].count, to, 0, true, dx, 0);
}

const struct op_type op_pool = {
	.npasses = POOL_PASSES, .open = pool_open, .size = pool_size,
	.forward = pool_forward, .backward = pool_backward,
};

/* Maximum and average pooling by oneDNN; padding counts in neither. */
#include "nets/onednn/onednn.h"

/* The passes over a number of samples. */
struct sized {
	struct pass forward, backward;
};

struct pool_op {
	struct sized **sizes;   /* [nsizes] by samples, NULL: not needed so far */
	size_t nsizes;
	int space;              /* of op: where each maximum was; -1: an average */
	size_t each;            /* bytes of it for a sample */
};

/* The bytes of a maximum's space are the same for each sample. */
static void plan_space(struct op *op, const_dnnl_primitive_desc_t pd, size_t n)
{
	struct pool_op *k = op->priv;
	const size_t bytes = onednn_bytes(pd, DNNL_ARG_WORKSPACE);

	if (k->space < 0) {
		k->each = bytes / n;
		k->space = onednn_space(op, SPACE_KEPT, k->each, 0);
	}
	if (bytes != n * k->each)
		BUG("a space of %zu bytes a sample has another size", k->each);
}

static int pool_size(struct onednn *c, struct op *op, size_t n)
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
	struct sized *z;

	if (k->sizes[n])
		return 0;
	z = k->sizes[n] = xcalloc(1, sizeof(*z));
	if (pass_open(c, &z->forward, onednn_describe(&o), 2 + max, args))
		return -1;
	o.hint = pass_desc(&z->forward);
	o.prop = dnnl_backward_data;
	if (max)
		plan_space(op, o.hint, n);
	return pass_open(c, &z->backward, onednn_describe(&o), 2 + max, back_args);
}

static int pool_open(struct onednn *c, struct op *op)
{
	struct pool_op *k = op->priv = xcalloc(1, sizeof(*k));

	k->space = -1;
	k->nsizes = c->chunk[op->level] + 1;
	k->sizes = xcalloc(k->nsizes, sizeof(*k->sizes));
	if (op->add[0])
		onednn_temp(c, c->chunk[op->level] * c->values[op->in[0]].count * c->size);
	return pool_size(c, op, c->chunk[op->level]);
}

static void pool_close(struct op *op)
{
	struct pool_op *k = op->priv;

	if (!k)
		return;
	for (size_t i = 0; i < k->nsizes; i++)
		if (k->sizes[i]) {
			pass_close(&k->sizes[i]->forward);
			pass_close(&k->sizes[i]->backward);
			free(k->sizes[i]);
		}
	free(k->sizes);
	free(k);
}

/* NULL for an average. */
static const void *space_of(const struct op *op, struct span s)
{
	const struct pool_op *k = op->priv;

	return k->space < 0 ? NULL : space_get(op, k->space, s);
}

static void pool_forward(struct onednn *c, struct op *op, struct span s)
{
	struct pool_op *k = op->priv;

	pass_run(&k->sizes[s.n]->forward, s.lane,
		 (const void *const[]){ value_act(c, op->in[0], s), value_act(c, op->out, s),
					space_of(op, s) });
}

static void pool_backward(struct onednn *c, struct op *op, struct span s)
{
	struct pool_op *k = op->priv;
	void *dx, *to;

	if (!c->values[op->in[0]].wanted)
		return;
	dx = value_grad(c, op->in[0], s);
	to = op->add[0] ? s.lane->temp : dx;
	pass_run(&k->sizes[s.n]->backward, s.lane,
		 (const void *const[]){ to, value_grad(c, op->out, s), space_of(op, s) });
	if (to != dx)
		c->simd->copy(1, s.n * c->values[op->in[0]].count, to, 0, true, dx, 0);
}

const struct op_type op_pool = {
	.open = pool_open,
	.size = pool_size,
	.forward = pool_forward,
	.backward = pool_backward,
	.close = pool_close,
};

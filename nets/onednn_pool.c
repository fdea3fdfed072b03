/* Maximum and average pooling by oneDNN; padding counts in neither. */
#include "nets/onednn.h"

/* The passes over a number of samples. */
struct sized {
	struct onednn_pass forward, backward;
	dnnl_memory_t src, dst, space;
};

struct pool_op {
	struct sized **sizes;   /* [nsizes] by samples, NULL: not needed so far */
	size_t nsizes;
	unsigned char *space;   /* where each maximum was; NULL: an average */
	size_t each;            /* bytes of it for a sample */
};

static void pooling(dnnl_pooling_desc_t *d, dnnl_pooling_desc_t *back, const struct layer *l,
		    size_t n)
{
	dnnl_alg_kind_t kind = l->kind == LAYER_MAXPOOL ? dnnl_pooling_max
							: dnnl_pooling_avg_exclude_padding;
	int h = (l->os.h - 1) * l->stride + l->kernel - l->is.h - l->pad;
	int w = (l->os.w - 1) * l->stride + l->kernel - l->is.w - l->pad;
	dnnl_dims_t strides = { l->stride, l->stride }, kernel = { l->kernel, l->kernel };
	dnnl_dims_t left = { l->pad, l->pad }, right = { h > 0 ? h : 0, w > 0 ? w : 0 };
	dnnl_memory_desc_t src = onednn_images(l->is, n), dst = onednn_images(l->os, n);

	onednn_must(dnnl_pooling_forward_desc_init(d, dnnl_forward_training, kind, &src, &dst,
						   strides, kernel, left, right), "no pooling");
	onednn_must(dnnl_pooling_backward_desc_init(back, kind, &src, &dst, strides, kernel, left,
						    right), "no pooling");
}

static struct sized *sized_new(struct onednn *c, struct op *op, size_t n)
{
	const dnnl_memory_desc_t *space;
	struct sized *z = xcalloc(1, sizeof(*z));
	struct pool_op *k = op->priv;
	dnnl_pooling_desc_t d, back;
	dnnl_primitive_desc_t pd, back_pd;

	pooling(&d, &back, op->layer, n);
	pd = onednn_describe(&d, NULL);
	back_pd = onednn_describe(&back, pd);
	onednn_pass_new(c, &z->forward, pd);
	onednn_pass_new(c, &z->backward, back_pd);
	z->src = onednn_memory_new(&d.src_desc, DNNL_MEMORY_NONE);
	z->dst = onednn_memory_new(&d.dst_desc, DNNL_MEMORY_NONE);
	if (op->layer->kind == LAYER_MAXPOOL) {
		space = dnnl_primitive_desc_query_md(pd, dnnl_query_workspace_md, 0);
		z->space = onednn_memory_new(space, DNNL_MEMORY_NONE);
		if (!k->space) {
			k->each = dnnl_memory_desc_get_size(space) / n;
			k->space = xcalloc(c->max_batch, k->each);
		}
		if (dnnl_memory_desc_get_size(space) != n * k->each)
			BUG("a workspace of %zu bytes a sample has another size", k->each);
	}
	dnnl_primitive_desc_destroy(pd);
	dnnl_primitive_desc_destroy(back_pd);
	return z;
}

static struct sized *sized_get(struct onednn *c, struct op *op, size_t n)
{
	struct pool_op *k = op->priv;

	if (!k->sizes[n])
		k->sizes[n] = sized_new(c, op, n);
	return k->sizes[n];
}

static void sized_free(struct sized *z)
{
	if (!z)
		return;
	onednn_pass_release(&z->forward);
	onednn_pass_release(&z->backward);
	dnnl_memory_destroy(z->src);
	dnnl_memory_destroy(z->dst);
	if (z->space)
		dnnl_memory_destroy(z->space);
	free(z);
}

static void pool_open(struct onednn *c, struct op *op)
{
	struct pool_op *k = op->priv = xcalloc(1, sizeof(*k));
	size_t chunk = onednn_chunk(c, op->level, c->max_batch);

	k->nsizes = c->chunk[op->level] + 1;
	k->sizes = xcalloc(k->nsizes, sizeof(*k->sizes));
	sized_get(c, op, chunk);
	if (c->max_batch % chunk)
		sized_get(c, op, c->max_batch % chunk);
}

static void pool_close(struct op *op)
{
	struct pool_op *k = op->priv;

	if (!k)
		return;
	for (size_t i = 0; i < k->nsizes; i++)
		sized_free(k->sizes[i]);
	free(k->sizes);
	free(k->space);
	free(k);
}

/* The last argument of both passes, if there is one. */
static dnnl_exec_arg_t space_arg(const struct pool_op *k, struct sized *z, struct span s)
{
	dnnl_exec_arg_t arg = { DNNL_ARG_WORKSPACE, NULL };

	if (k->space)
		arg.memory = onednn_point(z->space, k->space + s.first * k->each);
	return arg;
}

static void pool_forward(struct onednn *c, struct op *op, struct span s)
{
	struct pool_op *k = op->priv;
	struct sized *z = sized_get(c, op, s.n);

	onednn_run(c, z->forward.primitive, 3 + !!k->space, (dnnl_exec_arg_t[]){
		{ DNNL_ARG_SRC, onednn_point(z->src, value_act(c, op->in[0], s)) },
		{ DNNL_ARG_DST, onednn_point(z->dst, value_act(c, op->out, s)) },
		{ DNNL_ARG_SCRATCHPAD, onednn_point(z->forward.scratch, c->scratch) },
		space_arg(k, z, s) });
}

static void pool_backward(struct onednn *c, struct op *op, struct span s)
{
	struct pool_op *k = op->priv;
	struct sized *z = sized_get(c, op, s.n);
	float *dx, *to;

	if (!c->values[op->in[0]].wanted)
		return;
	dx = value_grad(c, op->in[0], s);
	to = op->add[0] ? c->temp : dx;
	onednn_run(c, z->backward.primitive, 3 + !!k->space, (dnnl_exec_arg_t[]){
		{ DNNL_ARG_DIFF_SRC, onednn_point(z->src, to) },
		{ DNNL_ARG_DIFF_DST, onednn_point(z->dst, value_grad(c, op->out, s)) },
		{ DNNL_ARG_SCRATCHPAD, onednn_point(z->backward.scratch, c->scratch) },
		space_arg(k, z, s) });
	if (to != dx)
		c->simd->add(s.n * c->values[op->in[0]].count, to, dx);
}

const struct op_type op_pool = {
	.open = pool_open,
	.forward = pool_forward,
	.backward = pool_backward,
	.close = pool_close,
};

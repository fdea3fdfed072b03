/*
 * Convolution by oneDNN. Activations stay NHWC; weights are reordered once a call
 * into the layouts that the forward and the backward pass want, and the gradient
 * back. A chunk's weight gradient is added to that of the chunks before it.
 */
#include "nets/onednn.h"

enum { DIMS = 5 };              /* groups, out, in, kh, kw */

/* Weights, or their gradient, in a layout of oneDNN's choice. */
struct laid {
	dnnl_memory_desc_t md;
	float *data;                    /* [room]; NULL: not chosen, or not needed */
	size_t room;
	dnnl_memory_t mem;
	dnnl_primitive_t reorder;       /* from x, or to g */
};

/* The passes over a number of samples. */
struct sized {
	struct onednn_pass forward, data, weights;
	dnnl_memory_t src, dst;
};

struct conv {
	struct laid forward, data, sum;
	dnnl_memory_desc_t flat_md;     /* as in x */
	dnnl_memory_t flat, bias, part; /* part: the current chunk's gradient */
	float *part_data, *part_bias;   /* [sum.room], [out] */
	struct sized **sizes;           /* [chunk + 1], NULL: not needed so far */
	size_t nsizes;
};

/* [groups][out / groups][in / groups][kh][kw], laid out as [out][kh][kw][in / groups] */
static dnnl_memory_desc_t flat_md(const struct layer *l)
{
	dnnl_dim_t g = l->groups, in = l->is.c / g, out = l->os.c / g, k = l->kernel;
	dnnl_dims_t dims = { g, out, in, k, k };
	dnnl_dims_t strides = { out * k * k * in, k * k * in, 1, k * in, in };
	int skip = g == 1;
	dnnl_memory_desc_t md;

	onednn_must(dnnl_memory_desc_init_by_strides(&md, DIMS - skip, dims + skip, dnnl_f32,
						     strides + skip), "no weights");
	return md;
}

static dnnl_memory_desc_t any_layout(const dnnl_memory_desc_t *flat)
{
	dnnl_memory_desc_t md;

	onednn_must(dnnl_memory_desc_init_by_tag(&md, flat->ndims, flat->dims, dnnl_f32,
						 dnnl_format_tag_any), "no weights");
	return md;
}

/* What all three passes are described by. */
struct geometry {
	dnnl_memory_desc_t src, dst, bias;
	const dnnl_memory_desc_t *biased;       /* NULL: no bias */
	dnnl_dims_t strides, left, right;
};

static void geometry_init(struct geometry *g, const struct layer *l, size_t n)
{
	int h = (l->os.h - 1) * l->stride + l->kernel - l->is.h - l->pad;
	int w = (l->os.w - 1) * l->stride + l->kernel - l->is.w - l->pad;
	dnnl_dims_t out = { l->os.c };

	g->src = onednn_images(l->is, n);
	g->dst = onednn_images(l->os, n);
	onednn_must(dnnl_memory_desc_init_by_tag(&g->bias, 1, out, dnnl_f32, dnnl_x), "no bias");
	g->biased = l->bias ? &g->bias : NULL;
	g->strides[0] = g->strides[1] = l->stride;
	g->left[0] = g->left[1] = l->pad;
	g->right[0] = h > 0 ? h : 0;
	g->right[1] = w > 0 ? w : 0;
}

static dnnl_primitive_t reorder(const dnnl_memory_desc_t *from, const dnnl_memory_desc_t *to)
{
	dnnl_primitive_desc_t pd;
	dnnl_primitive_t p;

	onednn_must(dnnl_reorder_primitive_desc_create(&pd, from, onednn_engine(), to,
						       onednn_engine(), NULL), "no reorder");
	onednn_must(dnnl_primitive_create(&p, pd), "no reorder");
	dnnl_primitive_desc_destroy(pd);
	return p;
}

/* The layout of w, or any while none is chosen. */
static const dnnl_memory_desc_t *layout(const struct laid *w, const dnnl_memory_desc_t *any)
{
	return w->data ? &w->md : any;
}

/*
 * One pass for some number of samples. The first number's choice of a layout for
 * the weights holds for all others. The caller destroys what is returned.
 */
static dnnl_primitive_desc_t pass_new(struct onednn *c, struct onednn_pass *p, struct laid *w,
				      dnnl_query_t which, const dnnl_convolution_desc_t *d,
				      const_dnnl_primitive_desc_t hint)
{
	dnnl_primitive_desc_t pd = onednn_describe(d, hint);
	const dnnl_memory_desc_t *md = dnnl_primitive_desc_query_md(pd, which, 0);

	if (!w->data) {
		w->md = *md;
		w->room = dnnl_memory_desc_get_size(md) / sizeof(float);
		w->data = vec_new(w->room);
		w->mem = onednn_memory_new(md, w->data);
	}
	onednn_pass_new(c, p, pd);
	return pd;
}

static void backward_new(struct onednn *c, struct op *op, struct sized *z,
			 const struct geometry *g, const_dnnl_primitive_desc_t hint)
{
	struct conv *k = op->priv;
	dnnl_memory_desc_t any = any_layout(&k->flat_md);
	dnnl_convolution_desc_t d;

	onednn_must(dnnl_convolution_backward_weights_desc_init(&d, dnnl_convolution_direct,
		&g->src, layout(&k->sum, &any), g->biased, &g->dst, g->strides, g->left,
		g->right), "no convolution");
	dnnl_primitive_desc_destroy(pass_new(c, &z->weights, &k->sum,
					     dnnl_query_diff_weights_md, &d, hint));
	if (!c->values[op->in[0]].wanted)
		return;
	onednn_must(dnnl_convolution_backward_data_desc_init(&d, dnnl_convolution_direct,
		&g->src, layout(&k->data, &any), &g->dst, g->strides, g->left, g->right),
		"no convolution");
	dnnl_primitive_desc_destroy(pass_new(c, &z->data, &k->data, dnnl_query_weights_md, &d,
					     hint));
}

static struct sized *sized_new(struct onednn *c, struct op *op, size_t n)
{
	struct conv *k = op->priv;
	struct sized *z = xcalloc(1, sizeof(*z));
	dnnl_memory_desc_t any = any_layout(&k->flat_md);
	dnnl_convolution_desc_t d;
	dnnl_primitive_desc_t pd;
	struct geometry g;

	geometry_init(&g, op->layer, n);
	z->src = onednn_memory_new(&g.src, DNNL_MEMORY_NONE);
	z->dst = onednn_memory_new(&g.dst, DNNL_MEMORY_NONE);
	onednn_must(dnnl_convolution_forward_desc_init(&d, dnnl_forward_training,
		dnnl_convolution_direct, &g.src, layout(&k->forward, &any), g.biased, &g.dst,
		g.strides, g.left, g.right), "no convolution");
	pd = pass_new(c, &z->forward, &k->forward, dnnl_query_weights_md, &d, NULL);
	backward_new(c, op, z, &g, pd);
	dnnl_primitive_desc_destroy(pd);
	return z;
}

static void sized_free(struct sized *z)
{
	if (!z)
		return;
	onednn_pass_release(&z->forward);
	onednn_pass_release(&z->data);
	onednn_pass_release(&z->weights);
	dnnl_memory_destroy(z->src);
	dnnl_memory_destroy(z->dst);
	free(z);
}

static struct sized *sized_get(struct onednn *c, struct op *op, size_t n)
{
	struct conv *k = op->priv;

	if (!k->sizes[n])
		k->sizes[n] = sized_new(c, op, n);
	return k->sizes[n];
}

static void conv_open(struct onednn *c, struct op *op)
{
	struct conv *k = op->priv = xcalloc(1, sizeof(*k));
	const struct layer *l = op->layer;
	dnnl_dims_t out = { l->os.c };
	dnnl_memory_desc_t bias;
	size_t chunk = onednn_chunk(c, op->level, c->max_batch);

	k->flat_md = flat_md(l);
	k->flat = onednn_memory_new(&k->flat_md, DNNL_MEMORY_NONE);
	onednn_must(dnnl_memory_desc_init_by_tag(&bias, 1, out, dnnl_f32, dnnl_x), "no bias");
	k->bias = onednn_memory_new(&bias, DNNL_MEMORY_NONE);
	k->nsizes = c->chunk[op->level] + 1;
	k->sizes = xcalloc(k->nsizes, sizeof(*k->sizes));
	/* Layouts are chosen for full chunks, so that results do not depend on max_batch. */
	sized_get(c, op, c->chunk[op->level]);
	sized_get(c, op, chunk);
	if (c->max_batch % chunk)
		sized_get(c, op, c->max_batch % chunk);
	k->forward.reorder = reorder(&k->flat_md, &k->forward.md);
	if (k->data.data)
		k->data.reorder = reorder(&k->flat_md, &k->data.md);
	k->sum.reorder = reorder(&k->sum.md, &k->flat_md);
	k->part_data = vec_new(k->sum.room);
	k->part = onednn_memory_new(&k->sum.md, k->part_data);
	k->part_bias = vec_new((size_t)l->os.c);
}

static void laid_release(struct laid *w)
{
	if (!w->data)
		return;
	dnnl_memory_destroy(w->mem);
	dnnl_primitive_destroy(w->reorder);
	free(w->data);
}

static void conv_close(struct op *op)
{
	struct conv *k = op->priv;

	if (!k)
		return;
	for (size_t i = 0; i < k->nsizes; i++)
		sized_free(k->sizes[i]);
	laid_release(&k->forward);
	laid_release(&k->data);
	laid_release(&k->sum);
	dnnl_memory_destroy(k->flat);
	dnnl_memory_destroy(k->bias);
	dnnl_memory_destroy(k->part);
	free(k->part_data);
	free(k->part_bias);
	free(k->sizes);
	free(k);
}

static void conv_load(struct onednn *c, struct op *op)
{
	struct conv *k = op->priv;

	onednn_point(k->flat, c->x + op->layer->weight);
	onednn_run(c, k->forward.reorder, 2, (dnnl_exec_arg_t[]){
		{ DNNL_ARG_FROM, k->flat }, { DNNL_ARG_TO, k->forward.mem } });
	if (k->data.data && c->training)
		onednn_run(c, k->data.reorder, 2, (dnnl_exec_arg_t[]){
			{ DNNL_ARG_FROM, k->flat }, { DNNL_ARG_TO, k->data.mem } });
}

static void conv_forward(struct onednn *c, struct op *op, struct span s)
{
	struct conv *k = op->priv;
	struct sized *z = sized_get(c, op, s.n);

	onednn_run(c, z->forward.primitive, 4 + op->layer->bias, (dnnl_exec_arg_t[]){
		{ DNNL_ARG_SRC, onednn_point(z->src, value_act(c, op->in[0], s)) },
		{ DNNL_ARG_DST, onednn_point(z->dst, value_act(c, op->out, s)) },
		{ DNNL_ARG_WEIGHTS, k->forward.mem },
		{ DNNL_ARG_SCRATCHPAD, onednn_point(z->forward.scratch, c->scratch) },
		{ DNNL_ARG_BIAS, onednn_point(k->bias, c->x + op->layer->beta) } });
}

/* The first chunk's gradient begins the sum, the others are added to it. */
static void backward_weights(struct onednn *c, struct op *op, struct sized *z, struct span s)
{
	struct conv *k = op->priv;
	const struct layer *l = op->layer;
	float *bias = s.first ? k->part_bias : c->g + l->beta;

	onednn_run(c, z->weights.primitive, 4 + l->bias, (dnnl_exec_arg_t[]){
		{ DNNL_ARG_SRC, onednn_point(z->src, value_act(c, op->in[0], s)) },
		{ DNNL_ARG_DIFF_DST, onednn_point(z->dst, value_grad(c, op->out, s)) },
		{ DNNL_ARG_DIFF_WEIGHTS, s.first ? k->part : k->sum.mem },
		{ DNNL_ARG_SCRATCHPAD, onednn_point(z->weights.scratch, c->scratch) },
		{ DNNL_ARG_DIFF_BIAS, onednn_point(k->bias, bias) } });
	if (!s.first)
		return;
	c->simd->add(k->sum.room, k->part_data, k->sum.data);
	if (l->bias)
		c->simd->add((size_t)l->os.c, k->part_bias, c->g + l->beta);
}

static void backward_data(struct onednn *c, struct op *op, struct sized *z, struct span s)
{
	struct conv *k = op->priv;
	struct value *in = &c->values[op->in[0]];
	float *dx = value_grad(c, op->in[0], s);
	float *to = op->apart ? in->extra : op->add[0] ? c->temp : dx;

	onednn_run(c, z->data.primitive, 4, (dnnl_exec_arg_t[]){
		{ DNNL_ARG_DIFF_SRC, onednn_point(z->src, to) },
		{ DNNL_ARG_DIFF_DST, onednn_point(z->dst, value_grad(c, op->out, s)) },
		{ DNNL_ARG_WEIGHTS, k->data.mem },
		{ DNNL_ARG_SCRATCHPAD, onednn_point(z->data.scratch, c->scratch) } });
	if (to == c->temp)
		c->simd->add(s.n * in->count, to, dx);
}

static void conv_backward(struct onednn *c, struct op *op, struct span s)
{
	struct sized *z = sized_get(c, op, s.n);

	backward_weights(c, op, z, s);
	if (c->values[op->in[0]].wanted)
		backward_data(c, op, z, s);
}

static void conv_store(struct onednn *c, struct op *op)
{
	struct conv *k = op->priv;

	onednn_run(c, k->sum.reorder, 2, (dnnl_exec_arg_t[]){
		{ DNNL_ARG_FROM, k->sum.mem },
		{ DNNL_ARG_TO, onednn_point(k->flat, c->g + op->layer->weight) } });
}

const struct op_type op_conv = {
	.open = conv_open,
	.load = conv_load,
	.forward = conv_forward,
	.backward = conv_backward,
	.store = conv_store,
	.close = conv_close,
};

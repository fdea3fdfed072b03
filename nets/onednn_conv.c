/*
 * Convolution by oneDNN, and the ReLU behind it. Activations stay NHWC; weights are
 * reordered once a level into the layouts that the forward and the backward pass want,
 * and the gradient back. Chunks' weight gradients, f32, are added in their order.
 */
#include "nets/onednn.h"

enum { DIMS = 5 };              /* groups, out, in, kh, kw */

/* Weights, or their gradient, in a layout of oneDNN's choice. */
struct laid {
	bool chosen;
	dnnl_memory_desc_t md;
	int room;
	struct pass reorder;            /* from x, or to g */
};

/* The passes over a number of samples. */
struct sized {
	struct pass forward, data, weights;
};

struct conv {
	struct laid forward, data, sum;
	dnnl_memory_desc_t flat;        /* as in x */
	struct sized **sizes;           /* [nsizes] by samples, NULL: not needed so far */
	size_t nsizes;
};

/* [groups][out / groups][in / groups][kh][kw], laid out as [out][kh][kw][in / groups] */
static dnnl_memory_desc_t flat_of(const struct layer *l)
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

/* The chosen layout, or any while there is none. */
static dnnl_memory_desc_t layout(const struct laid *w, const dnnl_memory_desc_t *flat,
				 dnnl_data_type_t type)
{
	dnnl_memory_desc_t md = w->md;

	if (!w->chosen)
		onednn_must(dnnl_memory_desc_init_by_tag(&md, flat->ndims, flat->dims, type,
							 dnnl_format_tag_any), "no weights");
	return md;
}

/* What all three passes are described by. */
struct geometry {
	dnnl_memory_desc_t src, dst, bias;
	const dnnl_memory_desc_t *biased;       /* NULL: no bias */
	dnnl_dims_t strides, left, right;
};

static void geometry_init(struct geometry *g, const struct onednn *c, const struct layer *l,
			  size_t n)
{
	int h = (l->os.h - 1) * l->stride + l->kernel - l->is.h - l->pad;
	int w = (l->os.w - 1) * l->stride + l->kernel - l->is.w - l->pad;
	dnnl_dims_t out = { l->os.c };

	g->src = onednn_images(l->is, n, c->type);
	g->dst = onednn_images(l->os, n, c->type);
	onednn_must(dnnl_memory_desc_init_by_tag(&g->bias, 1, out, dnnl_f32, dnnl_x), "no bias");
	g->biased = l->bias ? &g->bias : NULL;
	g->strides[0] = g->strides[1] = l->stride;
	g->left[0] = g->left[1] = l->pad;
	g->right[0] = h > 0 ? h : 0;
	g->right[1] = w > 0 ? w : 0;
}

/* The blocked kernels do badly on short lines and on few channels; the older ones do not. */
static const char *skipped(const struct layer *l)
{
	return l->os.w < 7 || l->is.c / l->groups < 16 ? "brgconv:" : NULL;
}

/*
 * One pass for some number of samples. The first number's choice of a layout for the
 * weights holds for all others. Bias is the last argument. Takes pd. 0 or error().
 */
static int open_pass(struct onednn *c, struct pass *p, struct laid *w, dnnl_query_t which,
		     dnnl_primitive_desc_t pd, const int *arg, const struct geometry *g)
{
	const dnnl_memory_desc_t *md = pd ? dnnl_primitive_desc_query_md(pd, which, 0) : &w->md;

	if (!w->chosen)
		w->md = *md;
	w->chosen = true;
	return pass_open(c, p, pd, g->biased && arg[3] ? 4 : 3, arg,
			 (const dnnl_memory_desc_t *const[]){ &g->src, &g->dst, &w->md, &g->bias });
}

static int open_backward(struct onednn *c, struct op *op, struct sized *z,
			 const struct geometry *g, const_dnnl_primitive_desc_t hint)
{
	static const int to_weights[] = { DNNL_ARG_SRC, DNNL_ARG_DIFF_DST,
					  DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_BIAS };
	static const int to_data[] = { DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_WEIGHTS, 0 };
	struct conv *k = op->priv;
	dnnl_memory_desc_t sum = layout(&k->sum, &k->flat, dnnl_f32);
	dnnl_memory_desc_t data = layout(&k->data, &k->flat, c->type);
	dnnl_convolution_desc_t d;

	onednn_must(dnnl_convolution_backward_weights_desc_init(&d, dnnl_convolution_direct,
		&g->src, &sum, g->biased, &g->dst, g->strides, g->left, g->right),
		"no convolution");
	if (open_pass(c, &z->weights, &k->sum, dnnl_query_diff_weights_md,
		      onednn_describe(&d, hint, NULL), to_weights, g))
		return -1;
	if (!c->values[op->in[0]].wanted)
		return 0;
	onednn_must(dnnl_convolution_backward_data_desc_init(&d, dnnl_convolution_direct,
		&g->src, &data, &g->dst, g->strides, g->left, g->right), "no convolution");
	return open_pass(c, &z->data, &k->data, dnnl_query_weights_md,
			 onednn_describe(&d, hint, NULL), to_data, g);
}

static int conv_size(struct onednn *c, struct op *op, size_t n)
{
	static const int args[] = { DNNL_ARG_SRC, DNNL_ARG_DST, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS };
	struct conv *k = op->priv;
	dnnl_memory_desc_t weights = layout(&k->forward, &k->flat, c->type);
	dnnl_primitive_desc_t hint;
	dnnl_convolution_desc_t d;
	struct geometry g;
	struct sized *z;
	int bad;

	if (k->sizes[n])
		return 0;
	z = k->sizes[n] = xcalloc(1, sizeof(*z));
	geometry_init(&g, c, op->layer, n);
	onednn_must(dnnl_convolution_forward_desc_init(&d, dnnl_forward_training,
		dnnl_convolution_direct, &g.src, &weights, g.biased, &g.dst, g.strides, g.left,
		g.right), "no convolution");
	hint = onednn_describe(&d, NULL, skipped(op->layer));
	bad = hint ? open_backward(c, op, z, &g, hint) : 0;
	return open_pass(c, &z->forward, &k->forward, dnnl_query_weights_md, hint, args, &g)
	       || bad ? -1 : 0;
}

static size_t bytes_of(const struct laid *w)
{
	return dnnl_memory_desc_get_size(&w->md);
}

/* Bytes of a chunk's weight gradient in a lane's temp; the bias gradient is behind it. */
static size_t part_of(const struct conv *k)
{
	return (bytes_of(&k->sum) + 63) / 64 * 64;
}

static int open_layouts(struct onednn *c, struct op *op)
{
	struct conv *k = op->priv;
	const size_t chunk = c->chunk[op->level];

	k->forward.room = onednn_room(op, ROOM_FORWARD, 0, bytes_of(&k->forward));
	k->sum.room = onednn_room(op, ROOM_BACKWARD, 0, bytes_of(&k->sum));
	onednn_temp(c, part_of(k) + (size_t)op->layer->os.c * sizeof(float));
	if (pass_open_reorder(c, &k->forward.reorder, &k->flat, &k->forward.md)
	    || pass_open_reorder(c, &k->sum.reorder, &k->sum.md, &k->flat))
		return -1;
	if (!k->data.chosen)
		return 0;
	k->data.room = onednn_room(op, ROOM_BACKWARD, 0, bytes_of(&k->data));
	if (op->add[0] && !op->apart)
		onednn_temp(c, chunk * c->values[op->in[0]].count * c->size);
	return pass_open_reorder(c, &k->data.reorder, &k->flat, &k->data.md);
}

/* Layouts are chosen for full chunks, so that results do not depend on max_batch. */
static int conv_open(struct onednn *c, struct op *op)
{
	struct conv *k = op->priv = xcalloc(1, sizeof(*k));

	k->flat = flat_of(op->layer);
	k->nsizes = c->chunk[op->level] + 1;
	k->sizes = xcalloc(k->nsizes, sizeof(*k->sizes));
	return conv_size(c, op, c->chunk[op->level]) ? -1 : open_layouts(c, op);
}

static void conv_close(struct op *op)
{
	struct conv *k = op->priv;

	if (!k)
		return;
	for (size_t i = 0; i < k->nsizes; i++)
		if (k->sizes[i]) {
			pass_close(&k->sizes[i]->forward);
			pass_close(&k->sizes[i]->data);
			pass_close(&k->sizes[i]->weights);
			free(k->sizes[i]);
		}
	pass_close(&k->forward.reorder);
	pass_close(&k->data.reorder);
	pass_close(&k->sum.reorder);
	free(k->sizes);
	free(k);
}

static void conv_load(struct onednn *c, struct op *op, bool back, struct lane *w)
{
	struct conv *k = op->priv;
	struct laid *to = back ? &k->data : &k->forward;

	if (to->chosen)
		pass_run(&to->reorder, w, (const void *const[]){ c->x + op->layer->weight,
								 op->rooms[to->room].at });
}

static void conv_forward(struct onednn *c, struct op *op, struct span s)
{
	struct conv *k = op->priv;
	void *y = value_act(c, op->out, s);

	pass_run(&k->sizes[s.n]->forward, s.lane,
		 (const void *const[]){ value_act(c, op->in[0], s), y,
					op->rooms[k->forward.room].at, c->x + op->layer->beta });
	if (op->relu)
		c->simd->join(s.n * c->values[op->out].count, y, NULL, true, y);
}

/* The first chunk's gradient begins the sum, the others are added to it. */
static void backward_weights(struct onednn *c, struct op *op, struct span s)
{
	struct conv *k = op->priv;
	const struct layer *l = op->layer;
	float *sum = (float *)(void *)op->rooms[k->sum.room].at, *bias = c->g + l->beta;
	float *part = s.k ? (float *)(void *)s.lane->temp : sum;
	float *part_bias = s.k ? part + part_of(k) / sizeof(*part) : bias;

	pass_run(&k->sizes[s.n]->weights, s.lane,
		 (const void *const[]){ value_act(c, op->in[0], s), value_grad(c, op->out, s),
					part, part_bias });
	turn_wait(&op->turn[1], s.k);
	if (s.k) {
		c->simd32->copy(1, bytes_of(&k->sum) / sizeof(*sum), part, 0, true, sum, 0);
		if (l->bias)
			c->simd32->copy(1, (size_t)l->os.c, part_bias, 0, true, bias, 0);
	}
	turn_pass(&op->turn[1]);
}

static void backward_data(struct onednn *c, struct op *op, struct span s)
{
	struct conv *k = op->priv;
	void *dx = value_grad(c, op->in[0], s);
	void *to = op->apart ? value_extra(c, op->in[0], s) : op->add[0] ? s.lane->temp : dx;

	pass_run(&k->sizes[s.n]->data, s.lane,
		 (const void *const[]){ to, value_grad(c, op->out, s),
					op->rooms[k->data.room].at });
	if (to == s.lane->temp)
		c->simd->copy(1, s.n * c->values[op->in[0]].count, to, 0, true, dx, 0);
}

static void conv_backward(struct onednn *c, struct op *op, struct span s)
{
	if (op->relu)
		c->simd->mask(s.n * c->values[op->out].count, value_act(c, op->out, s),
			      value_extra(c, op->out, s), 1, value_grad(c, op->out, s));
	backward_weights(c, op, s);
	if (c->values[op->in[0]].wanted)
		backward_data(c, op, s);
}

static void conv_store(struct onednn *c, struct op *op, struct lane *w)
{
	struct conv *k = op->priv;

	pass_run(&k->sum.reorder, w, (const void *const[]){ op->rooms[k->sum.room].at,
							    c->g + op->layer->weight });
}

const struct op_type op_conv = {
	.reads_in = true,
	.open = conv_open,
	.size = conv_size,
	.load = conv_load,
	.forward = conv_forward,
	.backward = conv_backward,
	.store = conv_store,
	.close = conv_close,
};

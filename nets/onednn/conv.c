/*
 * Convolution by oneDNN, and the ReLU after it. Activations stay NHWC; weights are
 * reordered once a level into the layouts that the forward and the backward pass want,
 * and the gradient back. Chunks' weight gradients, f32, are added in their order. ReLU is no
 * post-operation of oneDNN's, which makes 0 of NaN: a diverged net would go unnoticed.
 */
#include "nets/onednn/onednn.h"

/* Weights, or their gradient, in the layout of an operation's argument. */
struct reordered {
	const_dnnl_primitive_desc_t of; /* NULL: not chosen so far */
	int arg;
	int space;
	struct pass reorder;            /* from x, or to g */
};

/* A pass over a number of samples. */
struct part {
	struct pass pass;
	struct pass adapt;              /* of its weights, where its layout is not the chosen one */
};

struct sized {
	struct part forward, data, weights;
};

struct conv {
	struct reordered forward, data, sum;
	struct tensor flat;             /* as in x */
	struct sized **sizes;           /* [nsizes] by samples, NULL: not needed so far */
	size_t nsizes;
};

/* [groups][out / groups][in / groups][kh][kw], laid out as [out][kh][kw][in / groups] */
static struct tensor flat_of(const struct layer *l)
{
	const dnnl_dim_t g = l->groups, in = l->is.c / g, out = l->os.c / g, k = l->kernel;
	const dnnl_dim_t all = k * k * in;

	if (g == 1)
		return (struct tensor){ .type = dnnl_f32, .ndims = 4, .dims = { out, in, k, k },
					.strides = { all, 1, k * in, in } };
	return (struct tensor){ .type = dnnl_f32, .ndims = 5, .dims = { g, out, in, k, k },
				.strides = { out * all, all, 1, k * in, in } };
}

/* The chosen layout, or any while there is none. */
static struct tensor onednn_conv_layout(const struct reordered *w, const struct tensor *flat,
					dnnl_data_type_t type)
{
	struct tensor t = *flat;

	t.type = type;
	t.any = true;
	t.of = w->of;
	t.arg = w->arg;
	return t;
}

/* Fewer channels than fill a vector register, where kernels on blocks do badly. */
static bool is_thin(const struct onednn *c, const struct layer *l, int channels)
{
	return l->groups == 1 && (size_t)channels * c->size < 64;
}

static bool is_forward_unblocked(const struct onednn *c, const struct layer *l)
{
	return l->kernel > 1 && (is_thin(c, l, l->is.c) || is_thin(c, l, l->os.c)
				 || l->os.w < ONEDNN_SHORT_LINE);
}

static bool is_data_unblocked(const struct onednn *c, const struct layer *l)
{
	return l->kernel > 1 && (is_thin(c, l, l->is.c)
				 || (l->stride > 1 && c->precision == PRECISION_F32));
}

static size_t bytes_of(const struct reordered *w)
{
	return onednn_bytes(w->of, w->arg);
}

/* Bytes of a chunk's weight gradient in a lane's temp; the bias gradient is after it. */
static size_t part_of(const struct conv *k)
{
	return (bytes_of(&k->sum) + 63) / 64 * 64;
}

/* The bytes of a lane's temp from which on weights are in a layout of a part's own. */
static size_t own_of(const struct onednn *c, const struct op *op)
{
	const struct conv *k = op->priv;
	const size_t sum = part_of(k) + (size_t)op->layer->os.c * sizeof(float);
	const size_t data = op->in[0] < 0 ? 0 : c->chunk[op->level]
						* c->values[op->in[0]].count * c->size;

	return ((sum > data ? sum : data) + 63) / 64 * 64;
}

/* pd, or the implementation in a layout of its own where w's would mean a slower one. */
static dnnl_primitive_desc_t onednn_conv_choose(const struct reordered *w,
						const struct operation *o, bool *own)
{
	dnnl_primitive_desc_t pd = onednn_describe(o), other;
	struct operation any = *o;

	*own = false;
	if (!w->of)
		return pd;
	any.weights.of = NULL;
	other = onednn_describe(&any);
	if (pd && (!other || onednn_is_alike(pd, other))) {
		if (other)
			dnnl_primitive_desc_destroy(other);
		return pd;
	}
	if (pd)
		dnnl_primitive_desc_destroy(pd);
	*own = true;
	return other;
}

/*
 * One pass for some number of samples. The first number's choice of a layout for the
 * weights, argument 2, holds for all others. Bias is the last argument. 0 or error().
 */
static int open_part(struct onednn *c, struct op *op, struct part *p, struct reordered *w,
		     const struct operation *o, const int *arg)
{
	const bool biased = op->layer->bias && o->prop != dnnl_backward_data;
	struct tensor mine = { .arg = arg[2] };
	bool own;

	if (pass_open(c, &p->pass, onednn_conv_choose(w, o, &own), biased ? 4 : 3, arg))
		return -1;
	mine.of = pass_desc(&p->pass);
	if (!w->of) {
		w->of = mine.of;
		w->arg = mine.arg;
	}
	if (!own)
		return 0;
	onednn_temp(c, own_of(c, op) + onednn_bytes(mine.of, mine.arg));
	return o->prop == dnnl_backward_weights
		       ? pass_open_reorder(c, &p->adapt, &mine, &o->weights)
		       : pass_open_reorder(c, &p->adapt, &o->weights, &mine);
}

/* The weights as the part reads them: as they are, or in its own layout. */
static const void *weights_for(struct onednn *c, struct op *op, struct part *p, struct span s,
			       const void *weights)
{
	void *own = s.lane->temp + own_of(c, op);

	if (!p->adapt.primitive)
		return weights;
	pass_run(&p->adapt, s.lane, (const void *const[]){ weights, own });
	return own;
}

static int open_forward(struct onednn *c, struct op *op, struct sized *z, struct operation *o)
{
	static const int args[] = { DNNL_ARG_SRC, DNNL_ARG_DST, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS };
	struct conv *k = op->priv;

	o->prop = dnnl_forward_training;
	o->weights = onednn_conv_layout(&k->forward, &k->flat, c->type);
	o->unblocked = is_forward_unblocked(c, op->layer);
	if (open_part(c, op, &z->forward, &k->forward, o, args))
		return -1;
	o->hint = pass_desc(&z->forward.pass);
	return 0;
}

static int open_weights(struct onednn *c, struct op *op, struct sized *z, struct operation *o)
{
	static const int args[] = { DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_WEIGHTS,
				    DNNL_ARG_DIFF_BIAS };
	struct conv *k = op->priv;

	o->prop = dnnl_backward_weights;
	o->weights = onednn_conv_layout(&k->sum, &k->flat, dnnl_f32);
	o->unblocked = false;
	return open_part(c, op, &z->weights, &k->sum, o, args);
}

static int onednn_conv_open_data(struct onednn *c, struct op *op, struct sized *z,
				 struct operation *o)
{
	static const int args[] = { DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_WEIGHTS };
	struct conv *k = op->priv;

	if (!c->values[op->in[0]].wanted)
		return 0;
	o->prop = dnnl_backward_data;
	o->weights = onednn_conv_layout(&k->data, &k->flat, c->type);
	o->unblocked = is_data_unblocked(c, op->layer);
	return open_part(c, op, &z->data, &k->data, o, args);
}

static int conv_size(struct onednn *c, struct op *op, size_t n)
{
	const struct layer *l = op->layer;
	struct operation o = { .kind = dnnl_convolution, .alg = dnnl_convolution_direct,
			       .src = onednn_images(l->is, n, c->type),
			       .dst = onednn_images(l->os, n, c->type),
			       .window = onednn_window(l) };
	struct conv *k = op->priv;
	struct sized *z;

	if (k->sizes[n])
		return 0;
	z = k->sizes[n] = xcalloc(1, sizeof(*z));
	if (l->bias)
		o.bias = (struct tensor){ .type = dnnl_f32, .ndims = 1, .dims = { l->os.c },
					  .strides = { 1 } };
	return open_forward(c, op, z, &o) || open_weights(c, op, z, &o) ||
			       onednn_conv_open_data(c, op, z, &o) ?
		       -1 :
		       0;
}

static int open_layouts(struct onednn *c, struct op *op)
{
	struct conv *k = op->priv;
	const size_t chunk = c->chunk[op->level];
	const struct tensor forward = onednn_conv_layout(&k->forward, &k->flat, c->type);
	const struct tensor sum = onednn_conv_layout(&k->sum, &k->flat, dnnl_f32);
	const struct tensor data = onednn_conv_layout(&k->data, &k->flat, c->type);

	k->forward.space = onednn_space(op, SPACE_FORWARD, 0, bytes_of(&k->forward));
	k->sum.space = onednn_space(op, SPACE_BACKWARD, 0, bytes_of(&k->sum));
	onednn_temp(c, part_of(k) + (size_t)op->layer->os.c * sizeof(float));
	if (pass_open_reorder(c, &k->forward.reorder, &k->flat, &forward)
	    || pass_open_reorder(c, &k->sum.reorder, &sum, &k->flat))
		return -1;
	if (!k->data.of)
		return 0;
	k->data.space = onednn_space(op, SPACE_BACKWARD, 0, bytes_of(&k->data));
	if (op->add[0] && !op->apart)
		onednn_temp(c, chunk * c->values[op->in[0]].count * c->size);
	return pass_open_reorder(c, &k->data.reorder, &k->flat, &data);
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

static void part_close(struct part *p)
{
	pass_close(&p->pass);
	pass_close(&p->adapt);
}

static void conv_close(struct op *op)
{
	struct conv *k = op->priv;

	if (!k)
		return;
	for (size_t i = 0; i < k->nsizes; i++)
		if (k->sizes[i]) {
			part_close(&k->sizes[i]->forward);
			part_close(&k->sizes[i]->data);
			part_close(&k->sizes[i]->weights);
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
	struct reordered *to = back ? &k->data : &k->forward;

	if (to->of)
		pass_run(&to->reorder, w, (const void *const[]){ c->x + op->layer->weight,
								 op->spaces[to->space].at });
}

static void conv_forward(struct onednn *c, struct op *op, struct span s)
{
	struct conv *k = op->priv;
	struct part *p = &k->sizes[s.n]->forward;
	void *y = value_act(c, op->out, s);

	pass_run(&p->pass, s.lane,
		 (const void *const[]){ value_act(c, op->in[0], s), y,
					weights_for(c, op, p, s, op->spaces[k->forward.space].at),
					c->x + op->layer->beta });
	if (op->relu)
		c->simd->join(s.n * c->values[op->out].count, y, NULL, true, y);
}

/* The first chunk's gradient begins the sum, the others are added to it. */
static void onednn_conv_backward_weights(struct onednn *c, struct op *op, struct span s)
{
	struct conv *k = op->priv;
	const struct layer *l = op->layer;
	float *sum = (float *)(void *)op->spaces[k->sum.space].at, *bias = c->g + l->beta;
	float *part = s.k ? (float *)(void *)s.lane->temp : sum;
	float *part_bias = s.k ? part + part_of(k) / sizeof(*part) : bias;
	struct part *p = &k->sizes[s.n]->weights;
	void *own = s.lane->temp + own_of(c, op), *to = p->adapt.primitive ? own : part;

	pass_run(&p->pass, s.lane,
		 (const void *const[]){ value_act(c, op->in[0], s), value_grad(c, op->out, s),
					to, part_bias });
	if (to == own)
		pass_run(&p->adapt, s.lane, (const void *const[]){ own, part });
	turn_wait(&op->turn[1], s.k);
	if (s.k) {
		c->simd32->copy(1, bytes_of(&k->sum) / sizeof(*sum), part, 0, true, sum, 0);
		if (l->bias)
			c->simd32->copy(1, (size_t)l->os.c, part_bias, 0, true, bias, 0);
	}
	turn_pass(&op->turn[1]);
}

static void onednn_conv_backward_data(struct onednn *c, struct op *op, struct span s)
{
	struct conv *k = op->priv;
	void *dx = value_grad(c, op->in[0], s);
	void *to = op->apart ? value_extra(c, op->in[0], s) : op->add[0] ? s.lane->temp : dx;
	struct part *p = &k->sizes[s.n]->data;

	pass_run(&p->pass, s.lane,
		 (const void *const[]){ to, value_grad(c, op->out, s),
					weights_for(c, op, p, s, op->spaces[k->data.space].at) });
	if (to == s.lane->temp)
		c->simd->copy(1, s.n * c->values[op->in[0]].count, to, 0, true, dx, 0);
}

static void conv_backward(struct onednn *c, struct op *op, struct span s)
{
	if (op->relu)
		c->simd->mask(s.n * c->values[op->out].count, value_act(c, op->out, s),
			      value_extra(c, op->out, s), 1, value_grad(c, op->out, s));
	onednn_conv_backward_weights(c, op, s);
	if (c->values[op->in[0]].wanted)
		onednn_conv_backward_data(c, op, s);
}

static void conv_store(struct onednn *c, struct op *op, struct lane *w)
{
	struct conv *k = op->priv;

	pass_run(&k->sum.reorder, w, (const void *const[]){ op->spaces[k->sum.space].at,
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

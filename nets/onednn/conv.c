/*
 * Convolution by oneDNN, and the ReLU after it. Activations stay NHWC; weights are reordered once
 * for each level into the layouts of the forward and the backward pass, and the gradient back.
 * Chunks' weight gradients, in f32, are added in their order. The ReLU is not a post-operation of
 * oneDNN, which turns NaN into 0: divergence would not be noticed.
 */
#include "nets/onednn/onednn.h"

#include "nets/onednn/wino/wino.h"

/* Weights, or their gradient, in the layout of an operation's argument. */
struct reordered {
	const_dnnl_primitive_desc_t of; /* NULL: not chosen yet */
	int arg;
	int space;
	struct pass reorder;            /* from x, or to g */
};

/*
 * Passes for a number of samples. CONV_ADAPT + k reorders the weights of pass k, if its layout
 * differs from the chosen one.
 */
enum { CONV_FORWARD, CONV_DATA, CONV_WEIGHTS, CONV_ADAPT, CONV_PASSES = 2 * CONV_ADAPT };

struct conv {
	struct reordered forward, data, sum;
	struct tensor flat;             /* weights as in x */
	bool turned;                    /* the data's gradient is a convolution from out to in */
	struct tensor across;           /* weights for that of the data: as in x, or transposed */
};

/* The chosen layout; any layout if none is chosen yet. */
static struct tensor conv_layout(const struct reordered *w, const struct tensor *flat,
					dnnl_data_type_t type)
{
	struct tensor t = *flat;

	t.type = type;
	t.any = true;
	t.of = w->of;
	t.arg = w->arg;
	return t;
}

/* True for fewer channels than a vector register has, with which kernels on blocks are slow. */
static bool is_thin(const struct onednn *c, const struct layer *l, int channels)
{
	return l->groups == 1 && (size_t)channels * c->size < 64;
}

enum { LARGE_WEIGHTS = 1 << 20 };       /* bytes */

/*
 * True if the pixels that a 1x1 convolution with a stride reads are copied: without the stride
 * oneDNN is faster.
 */
static bool is_sparse(const struct layer *l)
{
	return l->kernel == 1 && l->stride > 1 && !l->pad;
}

/*
 * True if the gradient of the data is computed as a convolution from out to in: one of 1x1 windows
 * is the same product, and oneDNN's forward kernels are faster when the weights exceed the cache.
 */
static bool is_turned(const struct onednn *c, const struct layer *l)
{
	return c->precision == PRECISION_F32 && l->groups == 1 && l->kernel == 1 && !l->pad
	       && l->weights * c->size > LARGE_WEIGHTS;
}

static size_t conv_bytes(const struct reordered *w)
{
	return onednn_bytes(w->of, w->arg);
}

/* Bytes of a chunk's weight gradient in a lane's temp; the bias gradient is after it. */
static size_t conv_part(const struct conv *k)
{
	return (conv_bytes(&k->sum) + 63) / 64 * 64;
}

/* Bytes of the pixels that a sparse convolution reads from a chunk, at the start of temp. */
static size_t sparse_bytes(const struct onednn *c, const struct op *op)
{
	const struct layer *l = op->layer;
	const size_t pixels = c->chunk[op->level] * (size_t)(l->os.h * l->os.w)
			      / c->parts[op->level];

	return is_sparse(l) ? (pixels * (size_t)l->is.c * c->size + 63) / 64 * 64 : 0;
}

/* Elements of a span's input before the line that a sparse convolution reads for output line i. */
static size_t sparse_line(const struct layer *l, struct span s, size_t i)
{
	const size_t lines = (size_t)l->os.h / s.parts, all = (size_t)l->is.h / s.parts;

	return (i / lines * all + i % lines * (size_t)l->stride) * (size_t)(l->is.w * l->is.c);
}

/* The input of a span: of a sparse convolution in the lane's temp, those of its pixels. */
static const char *conv_input(const struct onednn *c, const struct op *op, struct span s)
{
	const struct layer *l = op->layer;
	const size_t lines = s.n * (size_t)l->os.h / s.parts, n = (size_t)l->is.c;
	const char *x = value_act(c, op->in[0], s);

	if (!is_sparse(l))
		return x;
	for (size_t i = 0; i < lines; i++)
		c->simd->copy((size_t)l->os.w, n, x + sparse_line(l, s, i) * c->size,
			      n * (size_t)l->stride, false,
			      s.lane->temp + i * (size_t)l->os.w * n * c->size, n);
	return s.lane->temp;
}

/* dx <- or += the gradient of a sparse convolution's pixels, which is in the lane's temp. */
static void sparse_spread(const struct onednn *c, const struct op *op, struct span s, bool add,
			  char *dx)
{
	const struct layer *l = op->layer;
	const size_t lines = s.n * (size_t)l->os.h / s.parts, n = (size_t)l->is.c;

	if (!add)
		memset(dx, 0, value_span(c, op->in[0], s) * c->size);
	for (size_t i = 0; i < lines; i++)
		c->simd->copy((size_t)l->os.w, n, s.lane->temp + i * (size_t)l->os.w * n * c->size,
			      n, add, dx + sparse_line(l, s, i) * c->size, n * (size_t)l->stride);
}

/* Offset in a lane's temp of weights in a pass's own layout. */
static size_t own_of(const struct onednn *c, const struct op *op)
{
	const struct conv *k = op->priv;
	const size_t sum = conv_part(k) + (size_t)op->layer->os.c * sizeof(float);
	const size_t data = op->in[0] < 0 ? 0 : value_chunk(c, op->in[0], op->level) * c->size;

	return sparse_bytes(c, op) + ((sum > data ? sum : data) + 63) / 64 * 64;
}

/* pd, or an implementation in its own layout if w's layout would need a slower one. */
static dnnl_primitive_desc_t conv_choose(const struct reordered *w,
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
 * Opens one pass for some number of samples. The layout of the weights (argument 2) chosen for the
 * first number is used for all others. The bias is the last argument. 0 or error().
 */
static int open_part(struct onednn *c, struct op *op, struct pass *p, struct reordered *w,
		     const struct operation *o, const int *arg)
{
	const bool biased = o->bias.ndims > 0;
	struct tensor mine = { .arg = arg[2] };
	bool own;

	if (pass_open(c, p, conv_choose(w, o, &own), biased ? 4 : 3, arg))
		return -1;
	mine.of = pass_desc(p);
	if (!w->of) {
		w->of = mine.of;
		w->arg = mine.arg;
	}
	if (!own)
		return 0;
	onednn_temp(c, own_of(c, op) + onednn_bytes(mine.of, mine.arg));
	return o->prop == dnnl_backward_weights
	       ? pass_open_reorder(c, p + CONV_ADAPT, &mine, &o->weights)
	       : pass_open_reorder(c, p + CONV_ADAPT, &o->weights, &mine);
}

/* Weights as the pass reads them: in the chosen layout, or reordered to its own. */
static const void *weights_for(struct onednn *c, struct op *op, struct pass *p, struct span s,
			       int space)
{
	const void *weights = op->spaces[space].at;
	void *own = s.lane->temp + own_of(c, op);

	if (!p[CONV_ADAPT].primitive)
		return weights;
	pass_run(p + CONV_ADAPT, s.lane, (const void *const[]){ weights, own });
	return own;
}

static int conv_size(struct onednn *c, struct op *op, struct pass *p, size_t n)
{
	static const int forward[] = { DNNL_ARG_SRC, DNNL_ARG_DST, DNNL_ARG_WEIGHTS,
				       DNNL_ARG_BIAS };
	static const int weights[] = { DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_WEIGHTS,
				       DNNL_ARG_DIFF_BIAS };
	static const int data[] = { DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_WEIGHTS };
	static const int turned[] = { DNNL_ARG_DST, DNNL_ARG_SRC, DNNL_ARG_WEIGHTS };
	static const struct window dense = { .size = { 1, 1 }, .strides = { 1, 1 } };
	const struct layer *l = op->layer;
	const bool wide = l->kernel > 1, thin = is_thin(c, l, l->is.c);
	const int parts = (int)c->parts[op->level];
	const struct shape os = { l->os.h / parts, l->os.w, l->os.c };
	const struct shape is = { is_sparse(l) ? os.h : l->is.h / parts,
				  is_sparse(l) ? os.w : l->is.w, l->is.c };
	struct operation o = { .kind = dnnl_convolution, .alg = dnnl_convolution_direct,
			       .src = onednn_images(is, n, c->type),
			       .dst = onednn_images(os, n, c->type),
			       .window = is_sparse(l) ? dense : onednn_window(l) };
	struct conv *k = op->priv;

	if (l->bias)
		o.bias = (struct tensor){ .type = dnnl_f32, .ndims = 1, .dims = { l->os.c },
					  .strides = { 1 } };
	o.prop = dnnl_forward_training;
	o.weights = conv_layout(&k->forward, &k->flat, c->type);
	o.unblocked = wide && (thin || is_thin(c, l, l->os.c) || l->os.w < ONEDNN_SHORT_LINE);
	if (open_part(c, op, &p[CONV_FORWARD], &k->forward, &o, forward))
		return -1;
	o.hint = pass_desc(&p[CONV_FORWARD]);
	o.prop = dnnl_backward_weights;
	o.weights = conv_layout(&k->sum, &k->flat, dnnl_f32);
	o.unblocked = false;
	if (open_part(c, op, &p[CONV_WEIGHTS], &k->sum, &o, weights))
		return -1;
	if (!c->values[op->in[0]].wanted)
		return 0;
	o.bias = (struct tensor){ 0 };
	o.prop = dnnl_backward_data;
	o.weights = conv_layout(&k->data, &k->across, c->type);
	o.unblocked = wide && (thin || (l->stride > 1 && c->precision == PRECISION_F32));
	if (k->turned) {
		const struct tensor dx = o.src;

		o.prop = dnnl_forward_training;
		o.src = o.dst;
		o.dst = dx;
	}
	return open_part(c, op, &p[CONV_DATA], &k->data, &o, k->turned ? turned : data);
}

/* Layouts are chosen for full chunks, so that results do not depend on max_batch. */
static int conv_open(struct onednn *c, struct op *op)
{
	struct conv *k = op->priv = xcalloc(1, sizeof(*k));
	const struct layer *l = op->layer;
	const dnnl_dim_t g = l->groups, in = l->is.c / g, out = l->os.c / g, side = l->kernel;
	const dnnl_dim_t all = side * side * in;
	const size_t chunk = c->chunk[op->level];
	struct tensor forward, sum, data;

	/* [groups][out / groups][in / groups][kh][kw], laid out as [out][kh][kw][in / groups] */
	k->flat = (struct tensor){ .type = dnnl_f32, .ndims = 5, .dims = { g, out, in, side, side },
				   .strides = { out * all, all, 1, side * in, in } };
	if (g == 1)
		k->flat = (struct tensor){ .type = dnnl_f32, .ndims = 4,
					   .dims = { out, in, side, side },
					   .strides = { all, 1, side * in, in } };
	k->across = k->flat;
	k->turned = is_turned(c, l);
	if (k->turned)
		k->across = (struct tensor){ .type = dnnl_f32, .ndims = 4,
					     .dims = { in, out, 1, 1 },
					     .strides = { 1, in, in, in } };
	if (onednn_size(c, op, chunk))
		return -1;
	forward = conv_layout(&k->forward, &k->flat, c->type);
	sum = conv_layout(&k->sum, &k->flat, dnnl_f32);
	data = conv_layout(&k->data, &k->across, c->type);
	k->forward.space = onednn_space(op, SPACE_FORWARD, 0, conv_bytes(&k->forward));
	k->sum.space = onednn_space(op, SPACE_BACKWARD, 0, conv_bytes(&k->sum));
	onednn_temp(c, sparse_bytes(c, op) + conv_part(k) + (size_t)l->os.c * sizeof(float));
	if (pass_open_reorder(c, &k->forward.reorder, &k->flat, &forward)
	    || pass_open_reorder(c, &k->sum.reorder, &sum, &k->flat))
		return -1;
	if (!k->data.of)
		return 0;
	k->data.space = onednn_space(op, SPACE_BACKWARD, 0, conv_bytes(&k->data));
	if (op->add[0] && !op->apart)
		onednn_temp(c, value_chunk(c, op->in[0], op->level) * c->size);
	return pass_open_reorder(c, &k->data.reorder, &k->across, &data);
}

static void conv_close(struct op *op)
{
	struct conv *k = op->priv;

	pass_close(&k->forward.reorder);
	pass_close(&k->data.reorder);
	pass_close(&k->sum.reorder);
}

static void conv_load(struct onednn *c, struct op *op, bool back, struct lane *w)
{
	struct conv *k = op->priv;
	struct reordered *to = back ? &k->data : &k->forward;

	if (to->of)
		pass_run(&to->reorder, w, (const void *const[]){ c->x + op->layer->weight,
								 op->spaces[to->space].at });
}

static void op_conv_forward(struct onednn *c, struct op *op, struct span s)
{
	const struct conv *k = op->priv;
	struct pass *p = &op->sizes[s.n][CONV_FORWARD];
	void *y = value_act(c, op->out, s);

	pass_run(p, s.lane,
		 (const void *const[]){ conv_input(c, op, s), y,
					weights_for(c, op, p, s, k->forward.space),
					c->x + op->layer->beta });
	if (op->relu)
		c->simd->join(value_span(c, op->out, s), y, NULL, true, y);
}

static void op_conv_backward(struct onednn *c, struct op *op, struct span s)
{
	const struct conv *k = op->priv;
	const struct layer *l = op->layer;
	void *dy = value_grad(c, op->out, s);
	float *sum = (float *)(void *)op->spaces[k->sum.space].at, *bias = c->g + l->beta;
	float *part = s.k ? (float *)(void *)(s.lane->temp + sparse_bytes(c, op)) : sum;
	float *part_bias = s.k ? part + conv_part(k) / sizeof(*part) : bias;
	struct pass *p = &op->sizes[s.n][CONV_WEIGHTS];
	void *own = s.lane->temp + own_of(c, op), *to = p[CONV_ADAPT].primitive ? own : part, *dx;
	bool add;

	if (op->relu)
		c->simd->mask(value_span(c, op->out, s), value_act(c, op->out, s),
			      value_extra(c, op->out, s), 1, dy);
	/* The first chunk sets the gradient, the others are added to it. */
	pass_run(p, s.lane,
		 (const void *const[]){ conv_input(c, op, s), dy, to, part_bias });
	if (to == own)
		pass_run(p + CONV_ADAPT, s.lane, (const void *const[]){ own, part });
	turn_wait(&op->turn[1], s.k);
	if (s.k) {
		c->simd32->copy(1, conv_bytes(&k->sum) / sizeof(*sum), part, 0, true, sum, 0);
		if (l->bias)
			c->simd32->copy(1, (size_t)l->os.c, part_bias, 0, true, bias, 0);
	}
	turn_pass(&op->turn[1]);
	if (!c->values[op->in[0]].wanted)
		return;
	p = &op->sizes[s.n][CONV_DATA];
	dx = op->apart ? value_extra(c, op->in[0], s) : value_grad(c, op->in[0], s);
	add = op->add[0] && !op->apart;
	to = is_sparse(l) || add ? s.lane->temp : dx;
	pass_run(p, s.lane,
		 (const void *const[]){ to, dy, weights_for(c, op, p, s, k->data.space) });
	if (is_sparse(l))
		sparse_spread(c, op, s, add, dx);
	else if (add)
		c->simd->copy(1, value_span(c, op->in[0], s), to, 0, true, dx, 0);
}

static void conv_store(struct onednn *c, struct op *op, struct lane *w)
{
	struct conv *k = op->priv;

	pass_run(&k->sum.reorder, w, (const void *const[]){ op->spaces[k->sum.space].at,
							    c->g + op->layer->weight });
}

const struct op_type op_conv = {
	.reads_in = true, .npasses = CONV_PASSES, .open = conv_open, .size = conv_size,
	.load = conv_load, .forward = op_conv_forward, .backward = op_conv_backward,
	.store = conv_store, .close = conv_close,
};

/*
 * ---- Winograd ----
 *
 * An operator for convolutions that wino.h computes, and the ReLU after them. Weights are
 * transformed once for each level. Chunks' weight gradients are added in their order, directly to
 * g.
 */

struct winograd {
	const struct wino_table *table;
	size_t groups, in, out;         /* of one group */
	size_t weights;                 /* floats of a group's weights */
	int forward, back;              /* spaces */
};

/* NULL with matrix units, on which the plain convolution is faster than Winograd's on vectors. */
static const struct wino_table *winograd_table(const struct onednn *c)
{
	if (c->precision == PRECISION_F32)
		return wino_f32();
	return onednn_has_matrix_units() ? NULL : wino_bf16();
}

bool onednn_is_winograd(const struct onednn *c, const struct layer *l)
{
	const struct wino_table *t = winograd_table(c);
	int in, out;

	if (!t || l->kind != LAYER_CONV || l->kernel != 3 || l->stride != 1 || l->pad != 1)
		return false;
	in = l->is.c / l->groups;
	out = l->os.c / l->groups;
	return in >= t->least && out >= t->least && in % WINO_AT == 0 && out % WINO_AT == 0;
}

/* Shape for n samples, forward; back: for the gradient, from out to in. */
static struct wino winograd_shape(const struct op *op, size_t n, bool back)
{
	const struct winograd *k = op->priv;
	const struct layer *l = op->layer;
	const struct wino z = { n, (size_t)l->is.h, (size_t)l->is.w, k->in, k->out,
				(size_t)l->is.c, (size_t)l->os.c };

	return back ? (struct wino){ n, z.h, z.w, z.out, z.in, z.out_apart, z.in_apart } : z;
}

/* Bytes of a lane's temp for a chunk's weight gradient; the working memory is after it. */
static size_t winograd_part(const struct winograd *k)
{
	return (k->groups * k->weights * sizeof(float) + 63) / 64 * 64;
}

static int winograd_open(struct onednn *c, struct op *op)
{
	struct winograd *k = op->priv = xcalloc(1, sizeof(*k));
	const struct layer *l = op->layer;
	struct wino z, back;
	size_t bytes;

	k->table = winograd_table(c);
	k->groups = (size_t)l->groups;
	k->in = (size_t)l->is.c / k->groups;
	k->out = (size_t)l->os.c / k->groups;
	k->weights = 9 * k->in * k->out;
	bytes = WINO_AT * k->groups * k->in * k->out * c->size;
	k->forward = onednn_space(op, SPACE_FORWARD, 0, bytes);
	k->back = c->values[op->in[0]].wanted ? onednn_space(op, SPACE_BACKWARD, 0, bytes) : -1;
	z = winograd_shape(op, c->chunk[op->level], false);
	back = winograd_shape(op, c->chunk[op->level], true);
	onednn_temp(c, wino_work(&z, c->size));
	onednn_temp(c, wino_work(&back, c->size));
	onednn_temp(c, winograd_part(k) + wino_gradient_work(&z, c->size)
		    + k->groups * k->out * sizeof(float));
	return 0;
}

static void winograd_load(struct onednn *c, struct op *op, bool back, struct lane *w)
{
	const struct winograd *k = op->priv;
	const int space = back ? k->back : k->forward;

	(void)w;
	for (size_t g = 0; space >= 0 && g < k->groups; g++)
		(back ? k->table->weights_back : k->table->weights)
			(k->in, k->out, c->x + op->layer->weight + g * k->weights,
			 op->spaces[space].at + g * WINO_AT * k->in * k->out * c->size);
}

static void winograd_forward(struct onednn *c, struct op *op, struct span s)
{
	const struct winograd *k = op->priv;
	const struct wino z = winograd_shape(op, s.n, false);
	const char *x = value_act(c, op->in[0], s);
	char *y = value_act(c, op->out, s);

	for (size_t g = 0; g < k->groups; g++)
		k->table->convolve(&z, x + g * k->in * c->size,
				   op->spaces[k->forward].at
				   + g * WINO_AT * k->in * k->out * c->size,
				   op->layer->bias ? c->x + op->layer->beta + g * k->out : NULL,
				   false, op->relu, s.lane->temp, y + g * k->out * c->size);
}

static void winograd_backward(struct onednn *c, struct op *op, struct span s)
{
	const struct winograd *k = op->priv;
	const struct layer *l = op->layer;
	const struct wino z = winograd_shape(op, s.n, false);
	const struct wino turned = winograd_shape(op, s.n, true);
	const char *x = value_act(c, op->in[0], s);
	char *dy = value_grad(c, op->out, s), *work = s.lane->temp + winograd_part(k), *dx;
	float *sum = c->g + l->weight, *part = (float *)(void *)s.lane->temp;
	const size_t channels = k->groups * k->out, rows = s.n * z.h * z.w;
	float *bias = (float *)(void *)work;

	if (op->relu)
		c->simd->mask(value_span(c, op->out, s), value_act(c, op->out, s),
			      value_extra(c, op->out, s), 1, dy);
	/* The first chunk sets the gradient, the others are added to it. */
	for (size_t g = 0; g < k->groups; g++)
		k->table->gradient(&z, x + g * k->in * c->size, dy + g * k->out * c->size, work,
				   (s.k ? part : sum) + g * k->weights);
	if (l->bias)
		c->simd->sums(rows, channels, dy, channels, bias);
	turn_wait(&op->turn[1], s.k);
	if (s.k)
		c->simd32->copy(1, k->groups * k->weights, part, 0, true, sum, 0);
	if (l->bias)
		c->simd32->copy(1, channels, bias, 0, s.k > 0, c->g + l->beta, 0);
	turn_pass(&op->turn[1]);
	if (!c->values[op->in[0]].wanted)
		return;
	dx = value_grad(c, op->in[0], s);
	for (size_t g = 0; g < k->groups; g++)
		k->table->convolve(&turned, dy + g * k->out * c->size,
				   op->spaces[k->back].at
					+ g * WINO_AT * k->in * k->out * c->size, NULL, op->add[0],
				   false, s.lane->temp, dx + g * k->in * c->size);
}

const struct op_type op_winograd = {
	.reads_in = true, .open = winograd_open, .load = winograd_load,
	.forward = winograd_forward, .backward = winograd_backward,
};

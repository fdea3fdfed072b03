/*
 * Dense layers, as products of matrices over the whole batch: of PANEL outputs at a time,
 * or inputs for the gradient of the input. Panels are the tasks; each reads its part of the
 * weights straight from x, or makes bf16 of it in its lane.
 */
#include "nets/onednn/onednn.h"

enum { PANEL = 256 };           /* at most */

/* The products for a batch size: of a full panel, and of the last one. */
struct sized {
	struct pass forward[2], weights[2], data[2];
};

struct dense {
	size_t in, out;
	struct sized **sizes;           /* [nsizes] by samples, NULL: not needed so far */
	size_t nsizes;
};

/*
 * The width of all panels but the last, which has more than one column: oneDNN 3.7 computes one
 * column of a wider matrix wrongly (products.c).
 */
static size_t panel_of(size_t n)
{
	size_t width = PANEL;

	while (n > 1 && n % width == 1)
		width--;
	return width;
}

static size_t panels_of(size_t n)
{
	return (n + panel_of(n) - 1) / panel_of(n);
}

/* Of the panel with that number. */
static size_t width_of(size_t n, size_t k)
{
	const size_t width = panel_of(n), left = n - k * width;

	return left < width ? left : width;
}

static int dense_panels(const struct op *op, bool back)
{
	const struct dense *k = op->priv;

	return (int)(panels_of(k->out) + (back ? panels_of(k->in) : 0));
}

/* dst = src weights + bias; 0 or error(). */
static int open_product(struct onednn *c, struct pass *p, struct tensor src,
			struct tensor weights, struct tensor bias, struct tensor dst)
{
	static const int args[] = { DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST, DNNL_ARG_BIAS };
	const struct operation o = { .kind = dnnl_matmul, .src = src, .weights = weights,
				     .bias = bias, .dst = dst };

	return pass_open(c, p, onednn_describe(&o), bias.ndims ? 4 : 3, args);
}

static const struct tensor no_bias;

/* y[n][out] = x[n][in] weight[out][in]^T + bias; logits are f32 always. */
static int open_forward(struct onednn *c, struct op *op, struct pass *p, size_t n, size_t width)
{
	const struct dense *k = op->priv;
	const dnnl_data_type_t type = op->out == c->result ? dnnl_f32 : c->type;

	return open_product(c, p, onednn_matrix(n, k->in, k->in, 1, c->type),
			    onednn_matrix(k->in, width, 1, k->in, c->type),
			    op->layer->bias ? onednn_matrix(1, width, width, 1, dnnl_f32) : no_bias,
			    onednn_matrix(n, width, k->out, 1, type));
}

/* dweight = dy^T x */
static int open_weights(struct onednn *c, struct op *op, struct pass *p, size_t n, size_t width)
{
	const struct dense *k = op->priv;

	return open_product(c, p, onednn_matrix(width, n, 1, k->out, c->type),
			    onednn_matrix(n, k->in, k->in, 1, c->type), no_bias,
			    onednn_matrix(width, k->in, k->in, 1, dnnl_f32));
}

/* dx = dy weight, PANEL inputs of it; where the gradient is begun, in temp. */
static int onednn_dense_open_data(struct onednn *c, struct op *op, struct pass *p, size_t n,
				  size_t width)
{
	const struct dense *k = op->priv;

	return open_product(c, p, onednn_matrix(n, k->out, k->out, 1, c->type),
			    onednn_matrix(k->out, width, c->size == 4 ? k->in : width, 1, c->type),
			    no_bias,
			    onednn_matrix(n, width, op->add[0] ? width : k->in, 1, c->type));
}

static int open_widths(struct onednn *c, struct op *op, struct pass *p, size_t n, size_t all,
		       int (*open)(struct onednn *, struct op *, struct pass *, size_t, size_t))
{
	const size_t width = panel_of(all);

	if (all >= width && open(c, op, &p[0], n, width))
		return -1;
	return all % width ? open(c, op, &p[1], n, all % width) : 0;
}

static int dense_size(struct onednn *c, struct op *op, size_t n)
{
	struct dense *k = op->priv;
	struct sized *z;

	if (k->sizes[n])
		return 0;
	z = k->sizes[n] = xcalloc(1, sizeof(*z));
	if (open_widths(c, op, z->forward, n, k->out, open_forward)
	    || open_widths(c, op, z->weights, n, k->out, open_weights))
		return -1;
	return c->values[op->in[0]].wanted ?
		       open_widths(c, op, z->data, n, k->in, onednn_dense_open_data) :
		       0;
}

/* Bytes of a lane's temp for a panel of weights, where it is not read from x. */
static size_t panel_bytes(const struct onednn *c, const struct dense *k)
{
	return c->size == 4 ? 0 : (k->in > k->out ? k->in : k->out) * PANEL * c->size;
}

static int dense_open(struct onednn *c, struct op *op)
{
	struct dense *k = op->priv = xcalloc(1, sizeof(*k));

	k->in = c->values[op->in[0]].count;
	k->out = c->values[op->out].count;
	k->nsizes = c->max_batch + 1;
	k->sizes = xcalloc(k->nsizes, sizeof(*k->sizes));
	onednn_temp(c, panel_bytes(c, k) + (op->add[0] ? c->max_batch * PANEL * c->size : 0));
	return 0;
}

static void dense_close(struct op *op)
{
	struct dense *k = op->priv;

	for (size_t i = 0; k && i < k->nsizes; i++) {
		struct sized *z = k->sizes[i];

		for (int j = 0; z && j < 2; j++) {
			pass_close(&z->forward[j]);
			pass_close(&z->weights[j]);
			pass_close(&z->data[j]);
		}
		free(z);
	}
	if (k)
		free(k->sizes);
	free(k);
}

/* A part of the weights, rows of n: as they lie in x, or side by side in temp. */
static const void *weights_of(struct onednn *c, const struct op *op, struct span s, size_t first,
			      size_t rows, size_t n)
{
	const float *w = c->x + op->layer->weight + first;
	const size_t in = ((const struct dense *)op->priv)->in;

	if (c->size == 4)
		return w;
	for (size_t i = 0; i < rows; i++)
		c->simd->narrow(n, w + i * in, s.lane->temp + i * n * c->size);
	return s.lane->temp;
}

static void dense_forward(struct onednn *c, struct op *op, struct span s)
{
	const struct dense *k = op->priv;
	const size_t first = (size_t)s.k * panel_of(k->out), width = width_of(k->out, (size_t)s.k);
	char *y = op->out == c->result ? (char *)c->logits : value_act(c, op->out, s);
	const size_t size = op->out == c->result ? sizeof(float) : c->size;

	pass_run(&k->sizes[s.n]->forward[width < panel_of(k->out)], s.lane,
		 (const void *const[]){ value_act(c, op->in[0], s),
					weights_of(c, op, s, first * k->in, width, k->in),
					y + first * size, c->x + op->layer->beta + first });
}

static void onednn_dense_backward_weights(struct onednn *c, struct op *op, struct span s,
					  size_t panel)
{
	const struct dense *k = op->priv;
	const struct layer *l = op->layer;
	const size_t first = panel * panel_of(k->out), width = width_of(k->out, panel);
	const char *dy = value_grad(c, op->out, s);

	dy += first * c->size;
	pass_run(&k->sizes[s.n]->weights[width < panel_of(k->out)], s.lane,
		 (const void *const[]){ dy, value_act(c, op->in[0], s),
					c->g + l->weight + first * k->in });
	if (l->bias)
		c->simd->sums(s.n, width, dy, k->out, c->g + l->beta + first);
}

static void onednn_dense_backward_data(struct onednn *c, struct op *op, struct span s, size_t panel)
{
	const struct dense *k = op->priv;
	const size_t first = panel * panel_of(k->in), width = width_of(k->in, panel);
	char *dx = value_grad(c, op->in[0], s), *to = dx + first * c->size;

	if (op->add[0])
		to = s.lane->temp + panel_bytes(c, k);
	pass_run(&k->sizes[s.n]->data[width < panel_of(k->in)], s.lane,
		 (const void *const[]){ value_grad(c, op->out, s),
					weights_of(c, op, s, first, k->out, width), to });
	if (op->add[0])
		c->simd->copy(s.n, width, to, width, true, dx + first * c->size, k->in);
}

static void dense_backward(struct onednn *c, struct op *op, struct span s)
{
	const size_t outs = panels_of(((const struct dense *)op->priv)->out);

	if ((size_t)s.k < outs)
		onednn_dense_backward_weights(c, op, s, (size_t)s.k);
	else if (c->values[op->in[0]].wanted)
		onednn_dense_backward_data(c, op, s, (size_t)s.k - outs);
}

const struct op_type op_dense = {
	.whole = true,
	.reads_in = true,
	.open = dense_open,
	.size = dense_size,
	.forward = dense_forward,
	.backward = dense_backward,
	.panels = dense_panels,
	.close = dense_close,
};

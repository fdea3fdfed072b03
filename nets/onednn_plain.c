/* Operators that are a few loops, or one product of matrices. */
#include "core/wide.h"
#include "nets/onednn.h"

/* y[rows][cols] <- a op b with op the transposes; beta 1: added to y. Row-major. */
static void gemm(char ta, char tb, size_t rows, size_t cols, size_t depth, const float *a,
		 const float *b, bool add, float *y)
{
	onednn_must(dnnl_sgemm(ta, tb, (dnnl_dim_t)rows, (dnnl_dim_t)cols, (dnnl_dim_t)depth, 1.0f,
			       a, (dnnl_dim_t)(ta == 'N' ? depth : rows), b,
			       (dnnl_dim_t)(tb == 'N' ? cols : depth), add ? 1.0f : 0.0f, y,
			       (dnnl_dim_t)cols), "a product of matrices failed");
}

/* y[n][out] = x[n][in] weight[out][in]^T + bias */
static void dense_forward(struct onednn *c, struct op *op, struct span s)
{
	const struct layer *l = op->layer;
	size_t in = c->values[op->in[0]].count, out = c->values[op->out].count;
	float *y = value_act(c, op->out, s);

	if (l->bias)
		for (size_t i = 0; i < s.n; i++)
			memcpy(y + i * out, c->x + l->beta, out * sizeof(*y));
	gemm('N', 'T', s.n, out, in, value_act(c, op->in[0], s), c->x + l->weight, l->bias, y);
}

/* dweight = dy^T x, dbias = the column sums of dy, dx = dy weight */
static void dense_backward(struct onednn *c, struct op *op, struct span s)
{
	const struct layer *l = op->layer;
	size_t in = c->values[op->in[0]].count, out = c->values[op->out].count;
	const float *dy = value_grad(c, op->out, s);

	gemm('T', 'N', out, in, s.n, dy, value_act(c, op->in[0], s), s.first, c->g + l->weight);
	if (l->bias && !s.first)
		memset(c->g + l->beta, 0, out * sizeof(*c->g));
	for (size_t i = 0; l->bias && i < s.n; i++)
		c->simd->add(out, dy + i * out, c->g + l->beta);
	if (c->values[op->in[0]].wanted)
		gemm('N', 'N', s.n, in, out, dy, c->x + l->weight, op->add[0],
		     value_grad(c, op->in[0], s));
}

const struct op_type op_dense = { .forward = dense_forward, .backward = dense_backward };

/* y[c] = mean of x[pixels][c] */
static WIDE void mean_pixels(size_t pixels, size_t c, const float *x, float *y)
{
	memset(y, 0, c * sizeof(*y));
	for (size_t p = 0; p < pixels; p++)
		for (size_t i = 0; i < c; i++)
			y[i] += x[p * c + i];
	for (size_t i = 0; i < c; i++)
		y[i] /= (float)pixels;
}

static WIDE void spread_pixels(size_t pixels, size_t c, const float *dy, bool add, float *dx)
{
	for (size_t p = 0; p < pixels; p++)
		for (size_t i = 0; i < c; i++)
			dx[p * c + i] = (add ? dx[p * c + i] : 0) + dy[i] / (float)pixels;
}

static void globalpool_forward(struct onednn *c, struct op *op, struct span s)
{
	const struct value *in = &c->values[op->in[0]];
	const float *x = value_act(c, op->in[0], s);
	float *y = value_act(c, op->out, s);
	size_t ch = c->values[op->out].count;

	for (size_t i = 0; i < s.n; i++)
		mean_pixels(in->count / ch, ch, x + i * in->count, y + i * ch);
}

static void globalpool_backward(struct onednn *c, struct op *op, struct span s)
{
	const struct value *in = &c->values[op->in[0]];
	const float *dy = value_grad(c, op->out, s);
	size_t ch = c->values[op->out].count;
	float *dx;

	if (!in->wanted)
		return;
	dx = value_grad(c, op->in[0], s);
	for (size_t i = 0; i < s.n; i++)
		spread_pixels(in->count / ch, ch, dy + i * ch, op->add[0], dx + i * in->count);
}

const struct op_type op_globalpool = {
	.forward = globalpool_forward,
	.backward = globalpool_backward,
};

/* Where sample i, output pixel (h, w) of a shortcut reads. */
static size_t shortcut_from(const struct layer *l, size_t i, int h, int w)
{
	size_t row = i * (size_t)l->is.h + (size_t)(h * l->stride);

	return (row * (size_t)l->is.w + (size_t)(w * l->stride)) * (size_t)l->is.c;
}

static void shortcut_forward(struct onednn *c, struct op *op, struct span s)
{
	const struct layer *l = op->layer;
	const float *x = value_act(c, op->in[0], s);
	size_t in = (size_t)l->is.c, out = (size_t)l->os.c;
	float *y = value_act(c, op->out, s);

	for (size_t i = 0; i < s.n; i++)
		for (int h = 0; h < l->os.h; h++)
			for (int w = 0; w < l->os.w; w++, y += out) {
				memcpy(y, x + shortcut_from(l, i, h, w), in * sizeof(*y));
				memset(y + in, 0, (out - in) * sizeof(*y));
			}
}

static void shortcut_backward(struct onednn *c, struct op *op, struct span s)
{
	const struct layer *l = op->layer;
	const float *dy = value_grad(c, op->out, s);
	float *dx;

	if (!c->values[op->in[0]].wanted)
		return;
	dx = value_grad(c, op->in[0], s);
	if (!op->add[0])
		memset(dx, 0, s.n * c->values[op->in[0]].count * sizeof(*dx));
	for (size_t i = 0; i < s.n; i++)
		for (int h = 0; h < l->os.h; h++)
			for (int w = 0; w < l->os.w; w++, dy += l->os.c)
				c->simd->add((size_t)l->is.c, dy, dx + shortcut_from(l, i, h, w));
}

const struct op_type op_shortcut = {
	.forward = shortcut_forward,
	.backward = shortcut_backward,
};

/* The masks, kept for backward: [max_batch][count]. */
static void dropout_open(struct onednn *c, struct op *op)
{
	op->priv = vec_new(c->max_batch * c->values[op->out].count);
}

static void dropout_close(struct op *op)
{
	free(op->priv);
}

static void dropout_forward(struct onednn *c, struct op *op, struct span s)
{
	const float *x = value_act(c, op->in[0], s);
	size_t count = c->values[op->out].count;
	float *y = value_act(c, op->out, s), *mask = (float *)op->priv + s.first * count;

	if (!c->use) {
		memcpy(y, x, s.n * count * sizeof(*y));
		return;
	}
	dropout_mask(s.n, count, op->layer->rate, c->seed, op->id, c->use + s.first, mask);
	c->simd->times(s.n * count, x, mask, y);
}

static void dropout_backward(struct onednn *c, struct op *op, struct span s)
{
	size_t count = c->values[op->out].count;
	const float *mask = (const float *)op->priv + s.first * count;
	float *dy = value_grad(c, op->out, s), *dx;

	if (!c->values[op->in[0]].wanted)
		return;
	dx = value_grad(c, op->in[0], s);
	if (c->use)
		c->simd->times(s.n * count, dy, mask, dy);
	if (op->add[0])
		c->simd->add(s.n * count, dy, dx);
	else
		memcpy(dx, dy, s.n * count * sizeof(*dx));
}

const struct op_type op_dropout = {
	.open = dropout_open,
	.forward = dropout_forward,
	.backward = dropout_backward,
	.close = dropout_close,
};

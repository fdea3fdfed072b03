/* curve.c - gelu, tanh, sigmoid, silu and lstm: their arithmetic is that of openblas, in f32. */
#include "nets/onednn/onednn.h"

#include "nets/openblas/curves.h"
#include "nets/openblas/lstm.h"

/* ---- gelu, tanh, sigmoid, silu: backward computes the slope again ---- */

/* A chunk's values in f32, in the lane's temp. */
struct curve {
	size_t n;
	float *x, *y, *slope;
};

static int curve_open(struct onednn *c, struct op *op)
{
	onednn_temp(c, 3 * c->chunk[op->level] * c->values[op->out].count * sizeof(float));
	return 0;
}

static struct curve curve_compute(struct onednn *c, struct op *op, struct span s)
{
	const size_t n = s.n * c->values[op->out].count;
	float *x = (float *)(void *)s.lane->temp;
	const struct curve k = { n, x, x + n, x + 2 * n };

	c->simd->widen(n, value_act(c, op->in[0], s), k.x);
	curve_up(op->layer, n, k.x, k.y, k.slope);
	return k;
}

static void op_curve_forward(struct onednn *c, struct op *op, struct span s)
{
	const struct curve k = curve_compute(c, op, s);

	c->simd->narrow(k.n, k.y, value_act(c, op->out, s));
}

static void op_curve_backward(struct onednn *c, struct op *op, struct span s)
{
	struct curve k;

	if (!c->values[op->in[0]].wanted)
		return;
	k = curve_compute(c, op, s);
	c->simd->times(k.n, value_grad(c, op->out, s), k.slope, op->add[0],
		       value_grad(c, op->in[0], s));
}

const struct op_type op_curve = {
	.reads_in = true, .open = curve_open, .forward = op_curve_forward,
	.backward = op_curve_backward,
};

/* ---- lstm: one task over the whole batch ---- */

/* Product in f32, by oneDNN. */
static void lstm_multiply(void *by, int lane, const struct ob_product *p)
{
	struct onednn *c = by;
	struct lane *w = c->lanes[lane];

	if (!w->failed && onednn_try(dnnl_sgemm(p->ta ? 'T' : 'N', p->tb ? 'T' : 'N',
						(dnnl_dim_t)p->m, (dnnl_dim_t)p->n,
						(dnnl_dim_t)p->k, 1.0F, p->a, (dnnl_dim_t)p->lda,
						p->b, (dnnl_dim_t)p->ldb, p->beta, p->c,
						(dnnl_dim_t)p->ldc), "a product failed"))
		w->failed = true;
}

enum { LSTM_MEMORY, LSTM_INPUT, LSTM_GRADS };   /* spaces; in f32 the last two are empty */

static int lstm_open(struct onednn *c, struct op *op)
{
	const size_t in = c->values[op->in[0]].count, out = c->values[op->out].count;
	const size_t wide = c->size == sizeof(float) ? 0 : sizeof(float);

	onednn_space(op, SPACE_KEPT, lstm_floats(op->layer, 1) * sizeof(float), 0);
	onednn_space(op, SPACE_KEPT, (in + out) * wide, 0);     /* x, y */
	onednn_space(op, SPACE_BACKWARD, (in + out) * wide, 0); /* dx, dy */
	return 0;
}

static int lstm_panels(const struct op *op, bool back)
{
	(void)op, (void)back;
	return 1;
}

static void op_lstm_forward(struct onednn *c, struct op *op, struct span s)
{
	const size_t in = s.n * c->values[op->in[0]].count, out = s.n * c->values[op->out].count;
	float *memory = space_get(op, LSTM_MEMORY, s), *x = space_get(op, LSTM_INPUT, s);
	const struct lstm_products by = { lstm_multiply, c, s.lane->index };

	if (c->size == sizeof(float)) {
		lstm_forward(op->layer, &by, c->x, s.n, value_act(c, op->in[0], s), memory,
			     value_act(c, op->out, s));
		return;
	}
	c->simd->widen(in, value_act(c, op->in[0], s), x);
	lstm_forward(op->layer, &by, c->x, s.n, x, memory, x + in);
	c->simd->narrow(out, x + in, value_act(c, op->out, s));
}

static void op_lstm_backward(struct onednn *c, struct op *op, struct span s)
{
	const size_t in = s.n * c->values[op->in[0]].count, out = s.n * c->values[op->out].count;
	const bool wanted = c->values[op->in[0]].wanted;
	float *memory = space_get(op, LSTM_MEMORY, s), *x = space_get(op, LSTM_INPUT, s);
	float *dx = space_get(op, LSTM_GRADS, s), *dy = dx + in;
	const struct lstm_products by = { lstm_multiply, c, s.lane->index };

	if (c->size == sizeof(float)) {
		lstm_backward(op->layer, &by, c->x, s.n, value_act(c, op->in[0], s), memory,
			      value_grad(c, op->out, s), c->g, op->add[0],
			      wanted ? value_grad(c, op->in[0], s) : NULL);
		return;
	}
	c->simd->widen(out, value_grad(c, op->out, s), dy);
	if (wanted && op->add[0])
		c->simd->widen(in, value_grad(c, op->in[0], s), dx);
	lstm_backward(op->layer, &by, c->x, s.n, x, memory, dy, c->g, op->add[0],
		      wanted ? dx : NULL);
	if (wanted)
		c->simd->narrow(in, dx, value_grad(c, op->in[0], s));
}

const struct op_type op_lstm = {
	.whole = true, .reads_in = true, .open = lstm_open, .forward = op_lstm_forward,
	.backward = op_lstm_backward, .panels = lstm_panels,
};

/*
 * lstm.c - see lstm.h; and the layer in the openblas backend.
 *
 * Products with the inputs of all steps, and the gradients of both weights, are one product each;
 * only U h_(t-1) and its backward are computed step by step. The layer is one task: it works on the
 * whole batch.
 */
#include "nets/openblas/lstm.h"

#include "core/math/wide.h"
#include "nets/openblas/lanes/table.h"
#include "nets/openblas/openblas.h"

#include <string.h>

/* Sizes, and the parts of the memory. Rows of a sample's steps are neighbours. */
struct lstm {
	size_t n, steps, in, out;
	const float *w, *u, *b;         /* [4 out][in], [4 out][out], [4 out]; b NULL: none */
	float *gates;           /* [n][steps][4 out] i, f, g, o; then the gradients of their sums */
	float *cell;            /* [n][steps][out] c */
	float *turned;          /* [n][steps][out] tanh(c) */
	float *before;          /* [n][steps][out] h of the step before */
	float *dh, *dc;         /* [n][out] */
};

static struct lstm lstm_of(const struct layer *l, const float *v, size_t n, float *memory)
{
	struct lstm a = { .n = n, .steps = (size_t)l->is.h,
			  .in = (size_t)l->is.w * (size_t)l->is.c, .out = (size_t)l->os.c };
	const size_t all = n * a.steps * a.out;

	a.w = v + l->weight;
	a.u = a.w + 4 * a.out * a.in;
	a.b = l->bias ? v + l->beta : NULL;
	a.gates = memory;
	a.cell = a.gates + 4 * all;
	a.turned = a.cell + all;
	a.before = a.turned + all;
	a.dh = a.before + all;
	a.dc = a.dh + n * a.out;
	return a;
}

size_t lstm_floats(const struct layer *l, size_t n)
{
	return n * (size_t)l->os.c * (7 * (size_t)l->is.h + 2);
}

static void lstm_multiply(const struct lstm_products *by, const struct ob_product *p)
{
	by->multiply(by->by, by->lane, p);
}

/* c <- f c + i g, from the gates of a step; c_before NULL: 0. */
WIDE static void lstm_cell(size_t out, const float *gates, const float *c_before, float *c)
{
	const float *i = gates, *f = gates + out, *g = gates + 2 * out;

	for (size_t k = 0; k < out; k++)
		c[k] = (c_before ? f[k] * c_before[k] : 0.0f) + i[k] * g[k];
}

WIDE static void lstm_output(size_t out, const float *o, const float *turned, float *h)
{
	for (size_t k = 0; k < out; k++)
		h[k] = o[k] * turned[k];
}

/* Gates, cell and output of one sample's step, whose products are in the gates. */
static void lstm_step(const struct layer *l, const struct lstm *a, size_t sample, size_t t,
		      float *y)
{
	const size_t out = a->out, row = sample * a->steps + t;
	float *gates = a->gates + 4 * out * row, *c = a->cell + out * row;
	float *turned = a->turned + out * row, *h;

	lanes_best()->sigmoid(2 * out, gates);
	lanes_best()->tanh(out, gates + 2 * out, gates + 2 * out);
	lanes_best()->sigmoid(out, gates + 3 * out);
	lstm_cell(out, gates, t ? c - out : NULL, c);
	lanes_best()->tanh(out, c, turned);
	if (l->last) {
		if (t + 1 < a->steps)
			lstm_output(out, gates + 3 * out, turned, a->before + out * (row + 1));
		else
			lstm_output(out, gates + 3 * out, turned, y + out * sample);
		return;
	}
	h = y + out * row;
	lstm_output(out, gates + 3 * out, turned, h);
	if (t + 1 < a->steps)
		memcpy(a->before + out * (row + 1), h, out * sizeof(*h));
}

void lstm_forward(const struct layer *l, const struct lstm_products *by, const float *v, size_t n,
		  const float *x, float *memory, float *y)
{
	const struct lstm a = lstm_of(l, v, n, memory);
	const size_t rows = n * a.steps, wide = 4 * a.out;

	for (size_t r = 0; r < rows; r++)
		if (a.b)
			memcpy(a.gates + r * wide, a.b, wide * sizeof(*a.gates));
	lstm_multiply(by, &(struct ob_product){ false, true, rows, wide, a.in, x, a.in, a.w, a.in,
			a.b ? 1.0f : 0.0f, a.gates, wide });
	for (size_t t = 0; t < a.steps; t++) {
		if (t)
			lstm_multiply(by, &(struct ob_product){ false, true, n, wide, a.out,
					a.before + t * a.out, a.steps * a.out, a.u, a.out, 1.0f,
					a.gates + t * wide, a.steps * wide });
		for (size_t k = 0; k < n; k++)
			lstm_step(l, &a, k, t, y);
	}
	for (size_t k = 0; k < n; k++)
		memset(a.before + k * a.steps * a.out, 0, a.out * sizeof(*a.before));
}

/*
 * One sample's step: gates <- gradients of their sums, dc <- that of the cell before, from dh, dc,
 * gates, tanh(c) and the cell before (NULL: 0).
 */
WIDE static void lstm_slopes(size_t out, const float *dh, const float *turned,
			     const float *c_before, float *gates, float *dc)
{
	float *gi = gates, *gf = gates + out, *gg = gates + 2 * out, *go = gates + 3 * out;

	for (size_t k = 0; k < out; k++) {
		const float i = gi[k], f = gf[k], g = gg[k], o = go[k], tc = turned[k];
		const float d = dc[k] + dh[k] * o * (1.0f - tc * tc);

		gi[k] = d * g * i * (1.0f - i);
		gf[k] = c_before ? d * c_before[k] * f * (1.0f - f) : 0.0f;
		gg[k] = d * i * (1.0f - g * g);
		go[k] = dh[k] * tc * o * (1.0f - o);
		dc[k] = d * f;
	}
}

WIDE static void lstm_bias(size_t rows, size_t wide, const float *d, float *db)
{
	memset(db, 0, wide * sizeof(*db));
	for (size_t r = 0; r < rows; r++, d += wide)
		for (size_t k = 0; k < wide; k++)
			db[k] += d[k];
}

void lstm_backward(const struct layer *l, const struct lstm_products *by, const float *v, size_t n,
		   const float *x, float *memory, const float *dy, float *g, bool add, float *dx)
{
	const struct lstm a = lstm_of(l, v, n, memory);
	const size_t rows = n * a.steps, out = a.out, wide = 4 * out;
	float *dw = g + l->weight, *du = dw + wide * a.in;

	memset(a.dh, 0, 2 * n * out * sizeof(*a.dh));
	for (size_t t = a.steps; t-- > 0;) {
		for (size_t k = 0; k < n; k++) {
			const size_t row = k * a.steps + t;

			if (!l->last || t + 1 == a.steps)
				ob_add_into(out, dy + out * (l->last ? k : row), a.dh + out * k);
			lstm_slopes(out, a.dh + out * k, a.turned + out * row,
				    t ? a.cell + out * (row - 1) : NULL, a.gates + wide * row,
				    a.dc + out * k);
		}
		if (t)
			lstm_multiply(by, &(struct ob_product){ false, false, n, out, wide,
					a.gates + t * wide, a.steps * wide, a.u, out, 0.0f, a.dh,
					out });
	}
	lstm_multiply(by, &(struct ob_product){ true, false, wide, a.in, rows, a.gates, wide, x,
			a.in, 0.0f, dw, a.in });
	lstm_multiply(by, &(struct ob_product){ true, false, wide, out, rows, a.gates, wide,
			a.before, out, 0.0f, du, out });
	if (a.b)
		lstm_bias(rows, wide, a.gates, g + l->beta);
	if (dx)
		lstm_multiply(by, &(struct ob_product){ false, false, rows, a.in, wide, a.gates,
				wide, a.w, a.in, add ? 1.0f : 0.0f, dx, a.in });
}

/* ---- the layer ---- */

static int lstm_panels(const struct layer *l)
{
	(void)l;
	return 1;
}

static void ob_lstm_multiply(void *by, int lane, const struct ob_product *p)
{
	const struct ob_part part = { .lane = lane };

	ob_multiply(by, &part, p->ta, p->tb, p->m, p->n, p->k, p->a, p->lda, p->b, p->ldb,
		    p->beta, p->c, p->ldc);
}

static void ob_lstm_forward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	const struct lstm_products by = { ob_lstm_multiply, c, p->lane };

	lstm_forward(l, &by, c->x, c->n, c->y[l->in[0]], c->save[i], c->y[i]);
}

static void ob_lstm_backward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	const struct lstm_products by = { ob_lstm_multiply, c, p->lane };
	bool add;
	float *dx = ob_dx(c, i, 0, p, &add);

	lstm_backward(l, &by, c->x, c->n, c->y[l->in[0]], c->save[i], c->dy[i].whole, c->grad,
		      add, dx);
}

const struct ob_op ob_lstm = {
	.save = lstm_floats, .panels = lstm_panels, .forward = ob_lstm_forward,
	.backward = ob_lstm_backward,
};

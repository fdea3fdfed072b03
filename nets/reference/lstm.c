/* lstm.c - long short-term memory in double precision, one sample at a time. */
#include "nets/reference/layers.h"

#include "core/base/mem.h"

#include <math.h>
#include <stdlib.h>

/* One sample; gates after their functions, cells and outputs, with those before the first step. */
struct lstm {
	const struct layer *l;
	size_t steps, in, out;
	const double *w, *u, *b;        /* b NULL: none */
	const double *x;                /* [steps][in] */
	double *gates;                  /* [steps][4][out] */
	double *c, *h;                  /* [steps + 1][out] */
};

static double logistic(double z)
{
	return 1 / (1 + exp(-z));
}

static void lstm_run(struct lstm *a)
{
	for (size_t t = 0; t < a->steps; t++) {
		double *z = a->gates + t * 4 * a->out;
		const double *h = a->h + t * a->out, *c = a->c + t * a->out;

		for (size_t k = 0; k < 4 * a->out; k++) {
			double sum = a->b ? a->b[k] : 0;

			for (size_t j = 0; j < a->in; j++)
				sum += a->w[k * a->in + j] * a->x[t * a->in + j];
			for (size_t j = 0; j < a->out; j++)
				sum += a->u[k * a->out + j] * h[j];
			z[k] = k / a->out == 2 ? tanh(sum) : logistic(sum);
		}
		for (size_t k = 0; k < a->out; k++) {
			double now = z[a->out + k] * c[k] + z[k] * z[2 * a->out + k];

			a->c[(t + 1) * a->out + k] = now;
			a->h[(t + 1) * a->out + k] = z[3 * a->out + k] * tanh(now);
		}
	}
}

/* Adds the terms of a gate's sum at step t, whose gradient is d, to all that it depends on. */
static void lstm_gate_back(struct state *s, const struct lstm *a, size_t t, size_t k, double d,
			   double *dx, double *dh)
{
	const size_t w = a->l->weight, u = w + 4 * a->out * a->in;

	for (size_t j = 0; j < a->in; j++) {
		s->grad[w + k * a->in + j] += d * a->x[t * a->in + j];
		dx[t * a->in + j] += d * a->w[k * a->in + j];
	}
	for (size_t j = 0; j < a->out; j++) {
		s->grad[u + k * a->out + j] += d * a->h[t * a->out + j];
		dh[j] += d * a->u[k * a->out + j];
	}
	if (a->b)
		s->grad[a->l->beta + k] += d;
}

/* dy[steps][out], or [out] with `last`. */
static void lstm_back(struct state *s, const struct lstm *a, const double *dy, double *dx)
{
	double *dh = xcalloc(3 * a->out, sizeof(*dh)), *dc = dh + a->out, *next = dc + a->out;

	for (size_t t = a->steps; t-- > 0;) {
		const double *z = a->gates + t * 4 * a->out, *c = a->c + t * a->out;

		for (size_t k = 0; k < a->out; k++) {
			const double i = z[k], f = z[a->out + k], g = z[2 * a->out + k];
			const double o = z[3 * a->out + k], tc = tanh(c[a->out + k]);
			double d;

			if (!a->l->last || t + 1 == a->steps)
				dh[k] += dy[a->l->last ? k : t * a->out + k];
			d = dc[k] + dh[k] * o * (1 - tc * tc);
			lstm_gate_back(s, a, t, k, d * g * i * (1 - i), dx, next);
			lstm_gate_back(s, a, t, a->out + k, d * c[k] * f * (1 - f), dx, next);
			lstm_gate_back(s, a, t, 2 * a->out + k, d * i * (1 - g * g), dx, next);
			lstm_gate_back(s, a, t, 3 * a->out + k, dh[k] * tc * o * (1 - o), dx,
				       next);
			dc[k] = d * f;
		}
		for (size_t k = 0; k < a->out; k++) {
			dh[k] = next[k];
			next[k] = 0;
		}
	}
	free(dh);
}

void reference_lstm(struct state *s, int i, bool back)
{
	const struct view v = view_of(s, i);
	const struct layer *l = v.l;
	struct lstm a = { .l = l, .steps = (size_t)l->is.h, .out = (size_t)l->os.c,
			  .in = (size_t)l->is.w * (size_t)l->is.c };

	a.w = s->x + l->weight;
	a.u = a.w + 4 * a.out * a.in;
	a.b = l->bias ? s->x + l->beta : NULL;
	a.gates = xcalloc(a.steps * 4 * a.out, sizeof(double));
	a.c = xcalloc((a.steps + 1) * a.out, sizeof(double));
	a.h = xcalloc((a.steps + 1) * a.out, sizeof(double));
	for (size_t n = 0; n < (size_t)v.x->n; n++) {
		const size_t given = (l->last ? 1 : a.steps) * a.out;

		a.x = v.x->v + n * a.steps * a.in;
		lstm_run(&a);
		for (size_t k = 0; !back && k < given; k++)
			v.y->v[n * given + k] = a.h[(l->last ? a.steps : 1) * a.out + k];
		if (back)
			lstm_back(s, &a, v.dy->v + n * given, v.dx->v + n * a.steps * a.in);
	}
	free(a.gates);
	free(a.c);
	free(a.h);
}

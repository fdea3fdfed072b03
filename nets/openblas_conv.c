/*
 * openblas_conv.c - convolution as a product of matrices, many output lines at once.
 *
 *     y[M][out] = cols[M][K] weight[out][K]^T,   K = kernel^2 in / groups
 *
 * A partition of lines is lowered, multiplied and forgotten while it is in the
 * second-level cache. Backward lowers again: d weight = dy^T cols, and
 * d cols = dy weight is lifted back onto dx.
 */
#include "nets/openblas.h"
#include "nets/layers.h"

#include <cblas.h>
#include <string.h>

enum { PART = 64 * 1024 };              /* floats of a partition's cols */

static size_t width(const struct layer *l)
{
	return (size_t)layer_fan_in(l);
}

/* Lines of output pixels in a partition: what fits, but at least one. */
static size_t part_lines(const struct layer *l)
{
	size_t line = (size_t)l->os.w * width(l);

	return line < PART ? PART / line : 1;
}

static size_t conv_cols(const struct layer *l)
{
	return part_lines(l) * (size_t)l->os.w * width(l);
}

/* A window of one pixel at every pixel needs no lowering. */
static bool is_pointwise(const struct layer *l)
{
	return l->kernel == 1 && l->stride == 1 && !l->pad && l->groups == 1;
}

/* What a partition of one group works on. */
struct part {
	size_t first, lines;
	int m, k, in, out;      /* rows, width of cols; channels of the group */
	int from_in, from_out;  /* its first channels */
};

static struct part part_of(const struct layer *l, int group, size_t first, size_t left)
{
	struct part p = { .first = first, .lines = part_lines(l), .k = (int)width(l) };

	if (p.lines > left)
		p.lines = left;
	p.m = (int)p.lines * l->os.w;
	p.in = l->is.c / l->groups;
	p.out = l->os.c / l->groups;
	p.from_in = group * p.in;
	p.from_out = group * p.out;
	return p;
}

static size_t conv_lines(const struct ob *c, const struct layer *l)
{
	return c->n * (size_t)l->os.h;
}

static const float *lowered(struct ob *c, const struct layer *l, const struct part *p)
{
	const float *x = c->y[l->in[0]];

	if (is_pointwise(l))
		return x + p->first * (size_t)(l->os.w * l->is.c);
	ob_lower(l, p->first, p->lines, p->from_in, p->in, x, c->cols);
	return c->cols;
}

static void add_bias(const struct layer *l, size_t rows, const float *bias, float *y)
{
	size_t out = (size_t)l->os.c;

	for (size_t r = 0; r < rows; r++)
		memcpy(y + r * out, bias, out * sizeof(*y));
}

static void part_forward(struct ob *c, int i, const struct part *p)
{
	const struct layer *l = &c->g->layers[i];
	const float *w = c->x + l->weight + (size_t)p->from_out * (size_t)p->k;
	float *y = c->y[i] + p->first * (size_t)(l->os.w * l->os.c) + p->from_out;

	cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, p->m, p->out, p->k, 1.0f,
		    lowered(c, l, p), p->k, w, p->k, l->bias ? 1.0f : 0.0f, y, l->os.c);
}

static void conv_forward(struct ob *c, int i)
{
	const struct layer *l = &c->g->layers[i];
	size_t lines = conv_lines(c, l);

	if (l->bias)
		add_bias(l, lines * (size_t)l->os.w, c->x + l->beta, c->y[i]);
	for (int group = 0; group < l->groups; group++)
		for (size_t at = 0; at < lines; at += part_lines(l)) {
			struct part p = part_of(l, group, at, lines - at);

			part_forward(c, i, &p);
		}
}

/* d weight of the group += dy^T cols */
static void part_weight(struct ob *c, int i, const struct part *p)
{
	const struct layer *l = &c->g->layers[i];
	const float *dy = c->dy[i] + p->first * (size_t)(l->os.w * l->os.c) + p->from_out;
	float *dw = c->grad + l->weight + (size_t)p->from_out * (size_t)p->k;

	cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, p->out, p->k, p->m, 1.0f, dy,
		    l->os.c, lowered(c, l, p), p->k, 1.0f, dw, p->k);
}

/* dx += lift(dy weight) */
static void part_input(struct ob *c, int i, const struct part *p, float *dx)
{
	const struct layer *l = &c->g->layers[i];
	const float *dy = c->dy[i] + p->first * (size_t)(l->os.w * l->os.c) + p->from_out;
	const float *w = c->x + l->weight + (size_t)p->from_out * (size_t)p->k;
	bool point = is_pointwise(l);
	float *to = point ? dx + p->first * (size_t)(l->os.w * l->is.c) : c->dcols;

	cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, p->m, p->k, p->out, 1.0f, dy,
		    l->os.c, w, p->k, point ? 1.0f : 0.0f, to, p->k);
	if (!point)
		ob_lift(l, p->first, p->lines, p->from_in, p->in, to, dx);
}

static void conv_backward(struct ob *c, int i)
{
	const struct layer *l = &c->g->layers[i];
	size_t lines = conv_lines(c, l);
	bool add;
	float *dx = ob_dx(c, i, 0, &add);

	if (dx && !add)
		memset(dx, 0, c->n * shape_count(l->is) * sizeof(*dx));
	memset(c->grad + l->weight, 0, layer_weights(l) * sizeof(*dx));
	for (int group = 0; group < l->groups; group++)
		for (size_t at = 0; at < lines; at += part_lines(l)) {
			struct part p = part_of(l, group, at, lines - at);

			part_weight(c, i, &p);
			if (dx)
				part_input(c, i, &p, dx);
		}
	if (!l->bias)
		return;
	ob_sum(lines * (size_t)l->os.w, (size_t)l->os.c, c->dy[i], c->sums);
	for (int k = 0; k < l->os.c; k++)
		c->grad[l->beta + (size_t)k] = (float)c->sums[k];
}

const struct ob_op ob_conv = {
	.cols = conv_cols, .forward = conv_forward, .backward = conv_backward,
};

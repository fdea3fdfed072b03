/*
 * conv.c - convolution as a product of matrices, some lines of a partition at
 * once; see way.c for the shapes.
 *
 * They are lowered, multiplied, lifted and forgotten while they are in the cache.
 * Backward lowers again:  d weight = d lifted^T cols,  d cols = d lifted weight.
 */
#include "nets/openblas/openblas.h"

#include <string.h>

/* One product: some lines, one group. */
struct piece {
	const struct layer *l;
	const struct ob_way *w;
	struct ob_lane *lane;
	struct ob_lines in, out;        /* its lines, and the channels of each side */
	size_t m, inner, outer;         /* rows; columns of cols and lifted */
	size_t weights;                 /* where the group's begin */
	bool first;                     /* of its group */
};

static struct piece piece_of(const struct layer *l, const struct ob_way *w, size_t group,
			     size_t at, size_t lines)
{
	const size_t in = (size_t)(l->is.c / l->groups), out = (size_t)(l->os.c / l->groups);
	const size_t n = lines - at < w->part ? lines - at : w->part;
	struct piece p = {
		.l = l, .w = w, .m = n * w->rows, .inner = w->inner * in, .outer = w->outer * out,
		.in = { at, n, group * in, in }, .out = { at, n, group * out, out },
		.first = !at,
	};

	p.weights = group * p.inner * p.outer;
	return p;
}

/* Calls work for every piece of a partition. */
static void each_piece(struct ob *c, int i, const struct ob_part *part, const struct ob_way *w,
		       void (*work)(const struct piece *p, void *arg), void *arg)
{
	const struct layer *l = &c->g->layers[i];
	const size_t lines = part->n * w->lines;

	for (size_t group = 0; group < (size_t)l->groups; group++)
		for (size_t at = 0; at < lines; at += w->part) {
			struct piece p = piece_of(l, w, group, at, lines);

			p.lane = ob_lane(c, part);
			work(&p, arg);
		}
}

/* Floats of the image before a piece whose rows are its pixels. */
static size_t pixels_before(const struct piece *p)
{
	return p->in.first * p->w->rows * (size_t)p->l->is.c + p->in.from;
}

/* ... and of the output. */
static size_t outputs_before(const struct piece *p)
{
	return p->out.first * p->w->rows * (size_t)p->l->os.c + p->out.from;
}

/* cols of a piece, *ld floats a row. */
static const float *openblas_conv_lower(const struct piece *p, const float *x, size_t *ld)
{
	if (p->w->direct_in) {
		*ld = (size_t)p->l->is.c;
		return x + pixels_before(p);
	}
	*ld = p->inner;
	ob_lower(p->l, p->w, p->in, x, p->lane->cols);
	return p->lane->cols;
}

/* d lifted of a piece, *ld floats a row. */
static const float *openblas_conv_unlift(const struct piece *p, const float *dy, size_t *ld)
{
	if (p->w->direct_out) {
		*ld = (size_t)p->l->os.c;
		return dy + outputs_before(p);
	}
	*ld = p->outer;
	ob_lift_back(p->l, p->w, p->out, dy, p->lane->lifted);
	return p->lane->lifted;
}

/* ---- forward ---- */

struct up {
	const float *x, *weight;
	float *y;
};

static void piece_forward(const struct piece *p, void *arg)
{
	const struct up *u = arg;
	const float *w = u->weight + p->weights, *cols;
	size_t ld;

	cols = openblas_conv_lower(p, u->x, &ld);
	if (p->w->direct_out) {
		ob_gemm(false, true, p->m, p->outer, p->inner, cols, ld, w, p->inner, 1.0f,
			u->y + outputs_before(p), (size_t)p->l->os.c);
		return;
	}
	ob_gemm(false, true, p->m, p->outer, p->inner, cols, ld, w, p->inner, 0.0f,
		p->lane->lifted, p->outer);
	ob_lift(p->l, p->w, p->out, p->lane->lifted, u->y);
}

/* y <- what the terms are added to */
static void openblas_conv_begin(const struct ob *c, const struct layer *l, size_t n, float *y)
{
	const size_t out = (size_t)l->os.c, rows = n * (size_t)(l->os.h * l->os.w);

	if (l->bias)
		for (size_t r = 0; r < rows; r++)
			memcpy(y + r * out, c->x + l->beta, out * sizeof(*y));
	else
		memset(y, 0, rows * out * sizeof(*y));
}

static void conv_forward(struct ob *c, int i, const struct ob_part *part)
{
	const struct layer *l = &c->g->layers[i];
	const struct ob_ways *ways = c->ways[i];
	struct up u = {
		.x = ob_y(c, l->in[0], part), .y = ob_y(c, i, part),
		.weight = ways->forward_w ? ways->forward_w : c->x + l->weight,
	};

	openblas_conv_begin(c, l, part->n, u.y);
	each_piece(c, i, part, &ways->forward, piece_forward, &u);
}

/* ---- backward ---- */

struct down {
	const float *x, *dy, *weight;
	float *dw, *dx;         /* NULL: not this time */
	bool add;               /* to dx */
};

static void piece_weight(const struct piece *p, const struct down *d, const float *lifted,
			 size_t ld_lifted)
{
	size_t ld;
	const float *cols = openblas_conv_lower(p, d->x, &ld);

	ob_gemm(true, false, p->outer, p->inner, p->m, lifted, ld_lifted, cols, ld,
		p->first ? 0.0f : 1.0f, d->dw + p->weights, p->inner);
}

static void piece_input(const struct piece *p, const struct down *d, const float *lifted,
			size_t ld)
{
	const float *w = d->weight + p->weights;

	if (p->w->direct_in) {
		ob_gemm(false, false, p->m, p->inner, p->outer, lifted, ld, w, p->inner,
			d->add ? 1.0f : 0.0f, d->dx + pixels_before(p), (size_t)p->l->is.c);
		return;
	}
	ob_gemm(false, false, p->m, p->inner, p->outer, lifted, ld, w, p->inner, 0.0f,
		p->lane->cols, p->inner);
	ob_lower_back(p->l, p->w, p->in, p->lane->cols, d->dx);
}

static void piece_backward(const struct piece *p, void *arg)
{
	const struct down *d = arg;
	size_t ld;
	const float *lifted = openblas_conv_unlift(p, d->dy, &ld);

	if (d->dw)
		piece_weight(p, d, lifted, ld);
	if (d->dx)
		piece_input(p, d, lifted, ld);
}

/* grad += dw, and the bias's share, in the order of the partitions. */
static void add_weights(struct ob *c, int i, const struct ob_part *part, const float *dw)
{
	const struct layer *l = &c->g->layers[i];
	const size_t rows = part->n * (size_t)(l->os.h * l->os.w);
	double *sums = ob_lane(c, part)->sums;

	if (l->bias)
		ob_sum(rows, (size_t)l->os.c, ob_dy(c, i, part), sums);
	ob_wait(c, i, part);
	if (dw != c->grad + l->weight)
		ob_unpack(l, &c->ways[i]->weight, dw, part->k > 0, c->grad + l->weight);
	for (size_t k = 0; l->bias && k < (size_t)l->os.c; k++) {
		float *to = c->grad + l->beta + k;

		*to = (part->k ? *to : 0.0f) + (float)sums[k];
	}
	ob_pass(c, i);
}

static void conv_backward(struct ob *c, int i, const struct ob_part *part)
{
	const struct layer *l = &c->g->layers[i];
	const struct ob_ways *ways = c->ways[i];
	const bool one = !ways->weight.direct_out && ways->weight.type == ways->input.type;
	bool add, in_place = !part->k && ways->weight.outer == 1;
	float *dx = ob_dx(c, i, 0, part, &add);
	struct down d = { .x = ob_y(c, l->in[0], part), .dy = ob_dy(c, i, part), .add = add };
	float *dw = in_place ? c->grad + l->weight : ob_lane(c, part)->dw;

	if (dx && !add && !ways->input.direct_in)
		memset(dx, 0, part->n * shape_count(l->is) * sizeof(*dx));
	d.weight = ways->input_w ? ways->input_w : c->x + l->weight;
	d.dw = dw;
	d.dx = one ? dx : NULL;
	each_piece(c, i, part, &ways->weight, piece_backward, &d);
	add_weights(c, i, part, dw);
	if (one || !dx)
		return;
	d.dw = NULL;
	d.dx = dx;
	each_piece(c, i, part, &ways->input, piece_backward, &d);
}

const struct ob_op ob_conv = { .forward = conv_forward, .backward = conv_backward };

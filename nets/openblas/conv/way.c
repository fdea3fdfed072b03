/*
 * way.c - how a convolution becomes one product: the lowerings of Caffe con
 * Troll (Hadjis, Abuzaid, Zhang, Re 2015).
 *
 * The kernel's k^2 taps are shared out: `inner` of them are gathered into the rows of
 * cols before the product, `outer` are columns of its result, added up after it.
 *
 *     cols[lines rows][inner in] weight[outer out][inner in]^T = lifted[lines rows][outer out]
 *
 *     type   inner  outer   lines, rows          before the product      after it
 *     1      k^2    1       output's h, w        windows are copied      nothing
 *     2      k      k       input's h, output's w   their rows are copied   k terms are added
 *     3      1      k^2     input's h, w         nothing                 k^2 terms are added
 */
#include "nets/openblas/openblas.h"

#include <string.h>

/*
 * Rows of a product: enough for its weights to be read from the cache often, few enough
 * for the rest of it to stay there. The sum over rows of the weights' gradient likes fewer.
 */
enum { ROWS = 512, WEIGHT_ROWS = 256, FLOATS = 2 * 1024 * 1024 };

static size_t openblas_way_least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t openblas_way_most(size_t a, size_t b)
{
	return a > b ? a : b;
}

static size_t group_in(const struct layer *l)
{
	return (size_t)(l->is.c / l->groups);
}

static size_t group_out(const struct layer *l)
{
	return (size_t)(l->os.c / l->groups);
}

/* Floats of a line of cols, and of lifted, where they are not the image's own. */
static size_t cols_line(const struct layer *l, const struct ob_way *w)
{
	return w->direct_in ? 0 : w->rows * w->inner * group_in(l);
}

static size_t lifted_line(const struct layer *l, const struct ob_way *w)
{
	return w->direct_out ? 0 : w->rows * w->outer * group_out(l);
}

static size_t part_lines(const struct layer *l, const struct ob_way *w, size_t rows)
{
	const size_t floats = openblas_way_most(1, cols_line(l, w) + lifted_line(l, w));

	return openblas_way_most(1, openblas_way_least(rows / w->rows, FLOATS / floats));
}

struct ob_way ob_way_of(const struct layer *l, enum lowering type, size_t rows)
{
	const size_t k = (size_t)l->kernel;
	struct ob_way w = {
		.type = type,
		.inner = type == LOWERING_3 ? 1 : type == LOWERING_2 ? k : k * k,
		.lines = (size_t)(type == LOWERING_1 ? l->os.h : l->is.h),
		.rows = (size_t)(type == LOWERING_3 ? l->is.w : l->os.w),
		.direct_in = type == LOWERING_3 || (k == 1 && l->stride == 1),
		.direct_out = type == LOWERING_1 || (k == 1 && l->stride == 1),
	};

	w.outer = k * k / w.inner;
	w.part = part_lines(l, &w, rows);
	return w;
}

static bool keeps_order(const struct ob_way *w)
{
	return w->outer == 1;
}

/* The lines of so many images are one piece. */
static void take_whole(struct ob_way *w, size_t images)
{
	w->part = images * w->lines;
}

struct ob_ways *ob_ways_new(struct arena *a, const struct layer *l, const enum lowering type[3],
			    size_t images)
{
	struct ob_ways *w = arena_alloc(a, 1, sizeof(*w));

	if (type[0] == LOWERING_CAFFE) {
		w->caffe = true;
		w->forward_w = arena_alloc(a, l->weights, sizeof(float));
		return w;
	}
	w->forward = ob_way_of(l, type[0], ROWS);
	w->weight = ob_way_of(l, type[1], WEIGHT_ROWS);
	w->input = ob_way_of(l, type[2], ROWS);
	if (images > 0) {
		take_whole(&w->forward, images);
		take_whole(&w->weight, images);
		take_whole(&w->input, images);
	}
	if (!keeps_order(&w->forward))
		w->forward_w = arena_alloc(a, l->weights, sizeof(float));
	if (w->input.type == w->forward.type)
		w->input_w = w->forward_w;
	else if (!keeps_order(&w->input))
		w->input_w = arena_alloc(a, l->weights, sizeof(float));
	return w;
}

struct ob_space ob_ways_space(const struct layer *l, const struct ob_ways *ways)
{
	const struct ob_way *each[] = { &ways->forward, &ways->weight, &ways->input };
	struct ob_space r = { .dw = l->weights };

	if (ways->caffe) {
		r.lifted = shape_count(l->is);
		return r;
	}
	for (int k = 0; k < 3; k++) {
		r.cols = openblas_way_most(r.cols, each[k]->part * cols_line(l, each[k]));
		r.lifted = openblas_way_most(r.lifted, each[k]->part * lifted_line(l, each[k]));
	}
	return r;
}

/* A way's order is [groups][outer][out][run], x's is [groups][out][outer][run]: r in the latter. */
static size_t plain_run(const struct layer *l, const struct ob_way *w, size_t r)
{
	const size_t out = group_out(l), o = r % out, tap = r / out % w->outer;

	return (r / out / w->outer * out + o) * w->outer + tap;
}

static void openblas_way_pack(const struct layer *l, const struct ob_way *w, const float *x,
			      float *to)
{
	const size_t run = w->inner * group_in(l), runs = w->outer * (size_t)l->os.c;

	for (size_t r = 0; r < runs; r++)
		memcpy(to + r * run, x + plain_run(l, w, r) * run, run * sizeof(*to));
}

/* to[out][in][kernel^2] <- from[out][kernel^2][in] */
static void channels_first(const struct layer *l, const float *from, float *to)
{
	const size_t in = group_in(l), taps = (size_t)l->kernel * (size_t)l->kernel;

	for (size_t o = 0; o < (size_t)l->os.c; o++, from += taps * in, to += taps * in)
		for (size_t t = 0; t < taps; t++)
			for (size_t k = 0; k < in; k++)
				to[k * taps + t] = from[t * in + k];
}

void ob_channels_last(const struct layer *l, const float *from, float *to)
{
	const size_t in = group_in(l), taps = (size_t)l->kernel * (size_t)l->kernel;

	for (size_t o = 0; o < (size_t)l->os.c; o++, from += taps * in, to += taps * in)
		for (size_t t = 0; t < taps; t++)
			for (size_t k = 0; k < in; k++)
				to[t * in + k] = from[k * taps + t];
}

static void pack_layer(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	struct ob_ways *w = c->ways[i];

	(void)p;
	if (w->caffe)
		channels_first(l, c->x + l->weight, w->forward_w);
	else if (w->forward_w)
		openblas_way_pack(l, &w->forward, c->x + l->weight, w->forward_w);
	if (w->input_w && w->input_w != w->forward_w)
		openblas_way_pack(l, &w->input, c->x + l->weight, w->input_w);
}

void ob_pack(struct ob *c)
{
	for (int i = 1; i < c->g->n; i++)
		if (c->ways[i])
			ob_step(c, &(struct ob_step){ pack_layer, i }, NULL);
}

void ob_unpack(const struct layer *l, const struct ob_way *w, const float *dw, bool add,
	       float *grad)
{
	const size_t run = w->inner * group_in(l), runs = w->outer * (size_t)l->os.c;

	for (size_t r = 0; r < runs; r++) {
		float *to = grad + plain_run(l, w, r) * run;

		if (add)
			ob_add_into(run, dw + r * run, to);
		else
			memcpy(to, dw + r * run, run * sizeof(*to));
	}
}

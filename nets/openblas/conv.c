/*
 * conv.c - convolution as a product of matrices: the lowerings of Caffe con Troll (Hadjis, Abuzaid,
 * Zhang, Re 2015).
 *
 * The kernel's k^2 taps are shared out: `inner` of them are gathered into the rows of cols before
 * the product ("lower"), `outer` are columns of its result, added up after it ("lift").
 *
 *     cols[lines rows][inner in] weight[outer out][inner in]^T = lifted[lines rows][outer out]
 *
 *     type   inner  outer   lines, rows             before the product      after it
 *     1      k^2    1       output's h, w           windows are copied      nothing
 *     2      k      k       input's h, output's w   their rows are copied   k terms are added
 *     3      1      k^2     input's h, w            nothing                 k^2 terms are added
 *
 * A way (struct ob_way) is a type with its sizes for one layer. A few lines at a time, of one group
 * of channels (struct piece), are lowered, multiplied and lifted, while they are in the cache.
 * Backward lowers again:  d weight = d lifted^T cols,  d cols = d lifted weight.
 */
#include "nets/openblas/openblas.h"

#include "core/math/wide.h"

#include <string.h>

/* ---- ways, and the order of weights that they need ---- */

/*
 * Rows of a product: enough to use its weights often while they are in the cache, few enough for
 * cols and lifted to stay there. The weights' gradient, a sum over rows, is faster with fewer rows.
 * FLOATS: most floats of cols and lifted together.
 */
enum { ROWS = 512, WEIGHT_ROWS = 256, FLOATS = 2 * 1024 * 1024 };

/* Input and output channels of a group. */
static size_t group_in(const struct layer *l)
{
	return (size_t)(l->is.c / l->groups);
}

static size_t group_out(const struct layer *l)
{
	return (size_t)(l->os.c / l->groups);
}

/* Floats of a line of cols, and of lifted; 0 where the image or the output is read in place. */
static size_t cols_line(const struct layer *l, const struct ob_way *w)
{
	return w->direct_in ? 0 : w->rows * w->inner * group_in(l);
}

static size_t lifted_line(const struct layer *l, const struct ob_way *w)
{
	return w->direct_out ? 0 : w->rows * w->outer * group_out(l);
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
	w.part = FLOATS / size_most(1, cols_line(l, &w) + lifted_line(l, &w));
	w.part = size_most(1, size_least(rows / w.rows, w.part));
	return w;
}

struct ob_ways *ob_ways_new(struct arena *a, const struct layer *l, const enum lowering type[3],
			    size_t images)
{
	struct ob_ways *w = arena_alloc(a, 1, sizeof(*w));
	struct ob_way *each[] = { &w->forward, &w->weight, &w->input };

	if (type[0] == LOWERING_CAFFE) {
		w->caffe = true;
		w->forward_w = arena_alloc(a, l->weights, sizeof(float));
		return w;
	}
	for (int k = 0; k < 3; k++) {
		*each[k] = ob_way_of(l, type[k], k == 1 ? WEIGHT_ROWS : ROWS);
		if (images > 0) /* a piece has the lines of so many images */
			each[k]->part = images * each[k]->lines;
	}
	if (w->forward.outer > 1)
		w->forward_w = arena_alloc(a, l->weights, sizeof(float));
	if (w->input.type == w->forward.type)
		w->input_w = w->forward_w;
	else if (w->input.outer > 1)
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
		r.cols = size_most(r.cols, each[k]->part * cols_line(l, each[k]));
		r.lifted = size_most(r.lifted, each[k]->part * lifted_line(l, each[k]));
	}
	return r;
}

/*
 * Weights are runs of inner x in floats. In a way's order they are [groups][outer][out][run], in x
 * [groups][out][outer][run]. Returns the index in x of the way's r-th run.
 */
static size_t plain_run(const struct layer *l, const struct ob_way *w, size_t r)
{
	const size_t out = group_out(l), o = r % out, tap = r / out % w->outer;

	return (r / out / w->outer * out + o) * w->outer + tap;
}

/* to <- a layer's weights x, in a way's order; ob_unpack() is the reverse. */
static void way_pack(const struct layer *l, const struct ob_way *w, const float *x,
			      float *to)
{
	const size_t run = w->inner * group_in(l), runs = w->outer * (size_t)l->os.c;

	for (size_t r = 0; r < runs; r++)
		memcpy(to + r * run, x + plain_run(l, w, r) * run, run * sizeof(*to));
}

/*
 * to[out][columns][rows] <- from[out][rows][columns], for each output: [out][kernel^2][in] to
 * [out][in][kernel^2], or the reverse.
 */
static void turn_channels(const struct layer *l, size_t rows, size_t columns, const float *from,
			  float *to)
{
	for (size_t o = 0; o < (size_t)l->os.c; o++, from += rows * columns, to += rows * columns)
		for (size_t t = 0; t < rows; t++)
			for (size_t k = 0; k < columns; k++)
				to[k * rows + t] = from[t * columns + k];
}

void ob_channels_last(const struct layer *l, const float *from, float *to)
{
	turn_channels(l, group_in(l), (size_t)l->kernel * (size_t)l->kernel, from, to);
}

static void pack_layer(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	struct ob_ways *w = c->ways[i];

	(void)p;
	if (w->caffe)
		turn_channels(l, (size_t)l->kernel * (size_t)l->kernel, group_in(l),
			      c->x + l->weight, w->forward_w);
	else if (w->forward_w)
		way_pack(l, &w->forward, c->x + l->weight, w->forward_w);
	if (w->input_w && w->input_w != w->forward_w)
		way_pack(l, &w->input, c->x + l->weight, w->input_w);
}

void ob_pack(struct ob *c)
{
	for (int i = 1; i < c->g->n; i++)
		if (c->ways[i])
			ob_step(c, &(struct ob_step){ pack_layer, i }, NULL);
}

/* grad [out][kernel][kernel][in] <- (or +=) dw in a way's order. */
static void ob_unpack(const struct layer *l, const struct ob_way *w, const float *dw, bool add,
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

/* ---- lowering: before the product ---- */

/*
 * What each row of the product sees of the image x, with stride s and padding p:
 *
 *     type 1   cols[(i, oy, ox)][ky][kx][c] = x[i][oy s + ky - p][ox s + kx - p][c]
 *     type 2   cols[(i, iy, ox)][kx][c]     = x[i][iy][ox s + kx - p][c]
 *     type 3   cols[(i, iy, ix)][c]         = x[i][iy][ix][c]: the image itself
 *
 * and 0 outside of the image.
 */

/* Columns [begin, end) of the kernel that lie in the image for output column ox. */
static void window_clip(const struct layer *l, int ox, int *begin, int *end)
{
	const int x0 = ox * l->stride - l->pad;

	*begin = x0 < 0 ? -x0 : 0;
	*end = l->is.w - x0 < l->kernel ? l->is.w - x0 : l->kernel;
	if (*begin > l->kernel)
		*begin = l->kernel;
	if (*end < *begin)
		*end = *begin;
}

/* row[taps][count] <- neighbouring pixels of a line, `count` of their c channels. */
static void copy_taps(size_t taps, size_t count, size_t c, const float *in, float *row)
{
	if (count == c)
		memcpy(row, in, taps * c * sizeof(*row));
	else
		for (size_t k = 0; k < taps; k++)
			memcpy(row + k * count, in + k * c, count * sizeof(*row));
}

/* The reverse: adds row to the pixels. */
WIDE static void add_taps(size_t taps, size_t count, size_t c, const float *restrict row,
			  float *restrict in)
{
	for (size_t k = 0; k < taps; k++, row += count, in += c)
		for (size_t j = 0; j < count; j++)
			in[j] += row[j];
}

/* row[ox][kernel][count] <- one kernel row of all windows of a line, `step` floats apart. */
static void lower_line(const struct layer *l, size_t count, const float *in, float *row,
		       size_t step)
{
	const size_t c = (size_t)l->is.c, taps = (size_t)l->kernel;

	for (int ox = 0; ox < l->os.w; ox++, row += step) {
		const ptrdiff_t x0 = ox * l->stride - l->pad;
		int from, to;

		window_clip(l, ox, &from, &to);
		if (to - from < l->kernel)
			memset(row, 0, taps * count * sizeof(*row));
		copy_taps((size_t)(to - from), count, c, in + (x0 + from) * (ptrdiff_t)c,
			  row + (size_t)from * count);
	}
}

/* The reverse of lower_line(): adds row to the line. */
static void lower_line_back(const struct layer *l, size_t count, const float *row, size_t step,
		       float *in)
{
	const size_t c = (size_t)l->is.c;

	for (int ox = 0; ox < l->os.w; ox++, row += step) {
		const ptrdiff_t x0 = ox * l->stride - l->pad;
		int from, to;

		window_clip(l, ox, &from, &to);
		add_taps((size_t)(to - from), count, c, row + (size_t)from * count,
			 in + (x0 + from) * (ptrdiff_t)c);
	}
}

/* Offset in x of the image line that kernel row ky reads for a line of cols; -1: it is outside. */
static ptrdiff_t input_line(const struct layer *l, const struct ob_way *w, size_t line, size_t ky)
{
	const ptrdiff_t image = (ptrdiff_t)(line / w->lines), at = (ptrdiff_t)(line % w->lines);
	const ptrdiff_t iy = w->type == LOWERING_1
		? at * l->stride + (ptrdiff_t)ky - l->pad : at;

	if (iy < 0 || iy >= l->is.h)
		return -1;
	return (image * l->is.h + iy) * l->is.w * l->is.c;
}

void ob_lower(const struct layer *l, const struct ob_way *w, struct ob_lines s, const float *x,
	      float *cols)
{
	const size_t step = w->inner * s.count, ky_step = (size_t)l->kernel * s.count;
	const size_t rows = w->type == LOWERING_1 ? (size_t)l->kernel : 1;

	for (size_t at = s.first; at < s.first + s.n; at++, cols += w->rows * step)
		for (size_t ky = 0; ky < rows; ky++) {
			const ptrdiff_t in = input_line(l, w, at, ky);

			if (in < 0)
				for (size_t ox = 0; ox < (size_t)l->os.w; ox++)
					memset(cols + ox * step + ky * ky_step, 0,
					       ky_step * sizeof(*cols));
			else
				lower_line(l, s.count, x + in + s.from, cols + ky * ky_step,
					   step);
		}
}

void ob_lower_back(const struct layer *l, const struct ob_way *w, struct ob_lines s,
		   const float *cols, float *dx)
{
	const size_t step = w->inner * s.count, ky_step = (size_t)l->kernel * s.count;
	const size_t rows = w->type == LOWERING_1 ? (size_t)l->kernel : 1;

	for (size_t at = s.first; at < s.first + s.n; at++, cols += w->rows * step)
		for (size_t ky = 0; ky < rows; ky++) {
			const ptrdiff_t in = input_line(l, w, at, ky);

			if (in >= 0)
				lower_line_back(l, s.count, cols + ky * ky_step, step,
					   dx + in + s.from);
		}
}

/* ---- lifting: after the product ---- */

/*
 * The terms of each output pixel are added up:
 *
 *     type 2   y[i][oy][ox][o] += lifted[(i, oy s + ky - p, ox)][ky][o]
 *     type 3   y[i][oy][ox][o] += lifted[(i, oy s + ky - p, ox s + kx - p)][ky][kx][o]
 */

/* Rows of one line of lifted, and the pixels of a line of y to which a tap of them is added. */
struct tap_rows {
	size_t n;                       /* pixels; they are neighbours */
	ptrdiff_t row, pixel;           /* the first row, the first pixel */
	size_t row_step;                /* from the row of a pixel to that of the next */
};

/* Type 2: row ox is pixel ox. Type 3: row ix = ox s + kx - p, as far as that exists. */
static struct tap_rows tap_rows_of(const struct layer *l, const struct ob_way *w, ptrdiff_t kx)
{
	ptrdiff_t from = 0, to = l->os.w;

	if (w->type == LOWERING_2)
		return (struct tap_rows){ (size_t)to, 0, 0, 1 };
	while (from < to && from * l->stride + kx < l->pad)
		from++;
	while (to > from && (to - 1) * l->stride + kx - l->pad >= l->is.w)
		to--;
	return (struct tap_rows){ (size_t)(to - from), from * l->stride + kx - l->pad, from,
			     (size_t)l->stride };
}

/* y[rows][count] += x[rows][count], with rows x_step and y_step floats apart. */
WIDE static void conv_add_rows(size_t rows, size_t count, const float *restrict x, size_t x_step,
			       float *restrict y, size_t y_step)
{
	for (size_t r = 0; r < rows; r++, x += x_step, y += y_step)
		for (size_t k = 0; k < count; k++)
			y[k] += x[k];
}

/* A tap's terms in one line of lifted, and the outputs to which they are added. */
struct tap_terms {
	size_t lifted, y;               /* offset of the first term in the line; of its output */
	size_t n, lifted_step;          /* terms; floats from one to the next */
};

/* The terms of tap `tap` in a line; n is 0 if they belong to no output. */
static struct tap_terms tap_terms_of(const struct layer *l, const struct ob_way *w,
				     struct ob_lines s, size_t line, size_t tap)
{
	/* of the outer taps, as many lie in a kernel row: tap = ky across + kx */
	const size_t across = w->type == LOWERING_3 ? (size_t)l->kernel : 1;
	const ptrdiff_t image = (ptrdiff_t)(line / w->lines), iy = (ptrdiff_t)(line % w->lines);
	const ptrdiff_t down = iy + l->pad - (ptrdiff_t)(tap / across), oy = down / l->stride;
	const struct tap_rows r = tap_rows_of(l, w, (ptrdiff_t)(tap % across));
	const size_t step = w->outer * s.count;

	/* no output line has this tap in this line */
	if (down < 0 || down % l->stride || oy >= l->os.h || !r.n)
		return (struct tap_terms){ 0 };
	return (struct tap_terms){
		.lifted = (size_t)r.row * step + tap * s.count,
		.y = (size_t)((image * l->os.h + oy) * l->os.w + r.pixel) * (size_t)l->os.c
			+ s.from,
		.n = r.n, .lifted_step = r.row_step * step,
	};
}

void ob_lift(const struct layer *l, const struct ob_way *w, struct ob_lines s,
	     const float *lifted, float *y)
{
	const size_t line = w->rows * w->outer * s.count;

	for (size_t at = s.first; at < s.first + s.n; at++, lifted += line)
		for (size_t tap = 0; tap < w->outer; tap++) {
			const struct tap_terms m = tap_terms_of(l, w, s, at, tap);

			conv_add_rows(m.n, s.count, lifted + m.lifted, m.lifted_step, y + m.y,
				      (size_t)l->os.c);
		}
}

void ob_lift_back(const struct layer *l, const struct ob_way *w, struct ob_lines s,
		  const float *dy, float *lifted)
{
	const size_t line = w->rows * w->outer * s.count;

	for (size_t at = s.first; at < s.first + s.n; at++, lifted += line) {
		memset(lifted, 0, line * sizeof(*lifted));
		for (size_t tap = 0; tap < w->outer; tap++) {
			const struct tap_terms m = tap_terms_of(l, w, s, at, tap);

			for (size_t r = 0; r < m.n; r++)
				memcpy(lifted + m.lifted + r * m.lifted_step,
				       dy + m.y + r * (size_t)l->os.c, s.count * sizeof(*dy));
		}
	}
}

/* ---- pieces ---- */

/* One product: some lines of a partition, and one group of channels. */
struct piece {
	const struct layer *l;
	const struct ob_way *w;
	struct ob_lane *lane;
	struct ob_lines in, out;        /* lines of the piece, and the channels of each side */
	size_t m, inner, outer;         /* rows; columns of cols; columns of lifted */
	size_t weights;                 /* offset of the group's weights */
	bool first;                     /* first piece of the group */
};

static struct piece piece_of(const struct layer *l, const struct ob_way *w, size_t group,
			     size_t at, size_t lines)
{
	const size_t in = group_in(l), out = group_out(l), n = size_least(lines - at, w->part);
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

/* With direct_in and direct_out: offset of the piece's first row in x, and in y. */
static size_t piece_offset_in(const struct piece *p)
{
	return p->in.first * p->w->rows * (size_t)p->l->is.c + p->in.from;
}

static size_t piece_offset_out(const struct piece *p)
{
	return p->out.first * p->w->rows * (size_t)p->l->os.c + p->out.from;
}

/* cols of a piece, *ld floats from row to row. */
static const float *piece_lower(const struct piece *p, const float *x, size_t *ld)
{
	if (p->w->direct_in) {
		*ld = (size_t)p->l->is.c;
		return x + piece_offset_in(p);
	}
	*ld = p->inner;
	ob_lower(p->l, p->w, p->in, x, p->lane->cols);
	return p->lane->cols;
}

/* d lifted of a piece, *ld floats a row. */
static const float *piece_lift_back(const struct piece *p, const float *dy, size_t *ld)
{
	if (p->w->direct_out) {
		*ld = (size_t)p->l->os.c;
		return dy + piece_offset_out(p);
	}
	*ld = p->outer;
	ob_lift_back(p->l, p->w, p->out, dy, p->lane->lifted);
	return p->lane->lifted;
}

/* ---- forward ---- */

struct forward_arg {            /* of piece_forward() */
	const float *x, *weight;        /* weight: in the way's order */
	float *y;
};

static void piece_forward(const struct piece *p, void *arg)
{
	const struct forward_arg *u = arg;
	const float *w = u->weight + p->weights, *cols;
	size_t ld;

	cols = piece_lower(p, u->x, &ld);
	if (p->w->direct_out) {
		ob_gemm(false, true, p->m, p->outer, p->inner, cols, ld, w, p->inner, 1.0f,
			u->y + piece_offset_out(p), (size_t)p->l->os.c);
		return;
	}
	ob_gemm(false, true, p->m, p->outer, p->inner, cols, ld, w, p->inner, 0.0f,
		p->lane->lifted, p->outer);
	ob_lift(p->l, p->w, p->out, p->lane->lifted, u->y);
}

static void conv_forward(struct ob *c, int i, const struct ob_part *part)
{
	const struct layer *l = &c->g->layers[i];
	const struct ob_ways *ways = c->ways[i];
	const size_t out = (size_t)l->os.c, rows = part->n * ob_pixels(l);
	struct forward_arg u = {
		.x = ob_y(c, l->in[0], part), .y = ob_y(c, i, part),
		.weight = ways->forward_w ? ways->forward_w : c->x + l->weight,
	};

	if (l->bias)            /* y <- the bias, to which terms are added */
		for (size_t r = 0; r < rows; r++)
			memcpy(u.y + r * out, c->x + l->beta, out * sizeof(*u.y));
	else
		memset(u.y, 0, rows * out * sizeof(*u.y));
	each_piece(c, i, part, &ways->forward, piece_forward, &u);
}

/* ---- backward ---- */

struct backward_arg {           /* of piece_backward() */
	const float *x, *dy, *weight;
	float *dw, *dx;         /* NULL: not computed in this pass over the pieces */
	bool add;               /* dx already has a term */
};

/* dx of a piece from its d lifted, ld floats a row. */
static void piece_input(const struct piece *p, const struct backward_arg *d, const float *lifted,
			size_t ld)
{
	const float *w = d->weight + p->weights;

	if (p->w->direct_in) {
		ob_gemm(false, false, p->m, p->inner, p->outer, lifted, ld, w, p->inner,
			d->add ? 1.0f : 0.0f, d->dx + piece_offset_in(p), (size_t)p->l->is.c);
		return;
	}
	ob_gemm(false, false, p->m, p->inner, p->outer, lifted, ld, w, p->inner, 0.0f,
		p->lane->cols, p->inner);
	ob_lower_back(p->l, p->w, p->in, p->lane->cols, d->dx);
}

static void piece_backward(const struct piece *p, void *arg)
{
	const struct backward_arg *d = arg;
	size_t ld, ld_cols;
	const float *lifted = piece_lift_back(p, d->dy, &ld), *cols;

	if (d->dw) {
		cols = piece_lower(p, d->x, &ld_cols);
		ob_gemm(true, false, p->outer, p->inner, p->m, lifted, ld, cols, ld_cols,
			p->first ? 0.0f : 1.0f, d->dw + p->weights, p->inner);
	}
	if (d->dx)
		piece_input(p, d, lifted, ld);
}

/*
 * Adds a partition's dw and bias gradient to c->grad, in the order of the partitions: the first one
 * (part->k is 0) overwrites. dw may point into c->grad already.
 */
static void add_weights(struct ob *c, int i, const struct ob_part *part, const float *dw)
{
	const struct layer *l = &c->g->layers[i];
	const size_t rows = part->n * ob_pixels(l);
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
	/* one pass over the pieces computes dw and dx from the same d lifted; else two do */
	const bool one = !ways->weight.direct_out && ways->weight.type == ways->input.type;
	/* the first partition's dw needs no copy if the way's order is that of x */
	bool add, in_place = !part->k && ways->weight.outer == 1;
	float *dx = ob_dx(c, i, 0, part, &add);
	struct backward_arg d = { .x = ob_y(c, l->in[0], part), .dy = ob_dy(c, i, part),
				  .add = add };
	float *dw = in_place ? c->grad + l->weight : ob_lane(c, part)->dw;

	if (dx && !add && !ways->input.direct_in)       /* ob_lower_back() adds to it */
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

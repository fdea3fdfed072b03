/*
 * caffe.c - convolutions as BVLC Caffe computes them, for comparison.
 *
 * Each image by itself, channels first: full lowering (type 1), one product for each group on a
 * BLAS with threads, the bias as a product of rank 1, and a product for each image added to the
 * weights' gradient.
 *
 *     cols[in kernel^2][oh ow],   y[out][oh ow] = weight[out][in kernel^2] cols
 *
 * The rest of the net has its channels last: images are transposed before and after, which Caffe
 * itself need not do. For a gradient of CaffeNet (batch 64, AVX-512 kernels) this is 4 % of the
 * time on one thread, 2.3 ms an image, and as many ms on more threads. So a speedup over this way
 * is larger by that than one over Caffe; but other slow parts of Caffe (pooling, normalisation) are
 * not counted against it. Weights are transposed once a call, in less than 0.1 %.
 */
#include "core/math/matrix.h"
#include "nets/openblas/openblas.h"

#include <pthread.h>
#include <string.h>

/* Calls in progress in all contexts: the BLAS keeps its threads while there is one. */
static struct {
	pthread_mutex_t lock;
	int calls;
} under_way = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void caffe_count(const struct ob *c, int by)
{
	if (c->conf.lowering != LOWERING_CAFFE)
		return;
	pthread_mutex_lock(&under_way.lock);
	under_way.calls += by;
	ob_threads(under_way.calls ? c->threads : 1);
	pthread_mutex_unlock(&under_way.lock);
}

void ob_caffe_begin(const struct ob *c)
{
	caffe_count(c, 1);
}

void ob_caffe_end(const struct ob *c)
{
	caffe_count(c, -1);
}

/* Sizes of one image's product. */
struct image {
	const struct layer *l;
	size_t groups, m, k, out;       /* pixels; rows of cols, channels of a group */
	size_t is, os, weights;         /* floats of input, output, and of a group's weights */
	float *cols, *x, *y, *ones;     /* [groups][k][m], [is], [os], [m] ones */
	bool pointwise;                 /* the image itself is cols */
};

static struct image image_of(const struct layer *l, const struct ob_lane *lane)
{
	struct image im = {
		.l = l, .groups = (size_t)l->groups, .m = ob_pixels(l),
		.k = l->fan_in, .out = (size_t)(l->os.c / l->groups),
		.is = shape_count(l->is), .os = shape_count(l->os),
		.pointwise = l->kernel == 1 && l->stride == 1,
	};

	im.weights = im.out * im.k;
	if (!lane)
		return im;
	im.cols = lane->cols;
	im.x = im.cols + im.groups * im.k * im.m;
	im.y = im.x + im.is;
	im.ones = im.y + im.os;
	for (size_t i = 0; i < im.m; i++)
		im.ones[i] = 1.0f;
	return im;
}

static size_t caffe_cols(const struct ob *c, const struct layer *l)
{
	const struct image im = image_of(l, NULL);

	(void)c;
	return im.groups * im.k * im.m + im.is + im.os + im.m;
}

/* Outputs [begin, end) along one side for which a tap of the kernel is inside the image. */
struct range {
	int begin, end;
};

static struct range caffe_seen(const struct layer *l, int k, int side, int outputs)
{
	struct range r = { 0, outputs };

	while (r.begin < r.end && r.begin * l->stride + k < l->pad)
		r.begin++;
	while (r.end > r.begin && (r.end - 1) * l->stride + k - l->pad >= side)
		r.end--;
	return r;
}

/* Offset, in a channel's plane, of the pixel that tap (ky, kx) reads at output (oy, ox). */
static ptrdiff_t plane_at(const struct layer *l, int oy, int ox, int ky, int kx)
{
	return (ptrdiff_t)(oy * l->stride + ky - l->pad) * l->is.w + ox * l->stride + kx - l->pad;
}

/*
 * row[oh][ow] <- the pixel that tap (ky, kx) of each output's window has in a channel's plane; a
 * row of cols.
 */
static void lower_tap(const struct layer *l, const float *plane, int ky, int kx, float *row)
{
	const struct range y = caffe_seen(l, ky, l->is.h, l->os.h),
			   x = caffe_seen(l, kx, l->is.w, l->os.w);

	if (x.end - x.begin < l->os.w || y.end - y.begin < l->os.h)
		memset(row, 0, (size_t)(l->os.h * l->os.w) * sizeof(*row));
	for (int oy = y.begin; oy < y.end; oy++) {
		const float *from = plane + plane_at(l, oy, x.begin, ky, kx);
		float *to = row + (ptrdiff_t)oy * l->os.w + x.begin;

		for (int ox = 0; ox < x.end - x.begin; ox++)
			to[ox] = from[ox * l->stride];
	}
}

/* Transpose of lower_tap(): adds the row to the pixels of the plane. */
static void raise_tap(const struct layer *l, const float *row, int ky, int kx, float *plane)
{
	const struct range y = caffe_seen(l, ky, l->is.h, l->os.h),
			   x = caffe_seen(l, kx, l->is.w, l->os.w);

	for (int oy = y.begin; oy < y.end; oy++) {
		const float *from = row + (ptrdiff_t)oy * l->os.w + x.begin;
		float *to = plane + plane_at(l, oy, x.begin, ky, kx);

		for (int ox = 0; ox < x.end - x.begin; ox++)
			to[ox * l->stride] += from[ox];
	}
}

/* Channel, ky and kx of the k-th row of all groups' cols. */
static void row_at(const struct layer *l, size_t row, size_t *plane, int *ky, int *kx)
{
	const size_t side = (size_t)l->kernel;

	*plane = row / (side * side) * (size_t)l->is.h * (size_t)l->is.w;
	*ky = (int)(row / side % side);
	*kx = (int)(row % side);
}

/* cols of an image x[h][w][c], for all groups */
static const float *lower_image(const struct image *im, const float *x)
{
	matrix_transpose((size_t)im->l->is.h * (size_t)im->l->is.w, (size_t)im->l->is.c, x, im->x);
	if (im->pointwise)
		return im->x;
	for (size_t r = 0; r < im->groups * im->k; r++) {
		size_t plane;
		int ky, kx;

		row_at(im->l, r, &plane, &ky, &kx);
		lower_tap(im->l, im->x + plane, ky, kx, im->cols + r * im->m);
	}
	return im->cols;
}

static void image_forward(const struct ob *c, const struct image *im, const float *w,
			  const float *x, float *y)
{
	const float *cols = lower_image(im, x);

	for (size_t g = 0; g < im->groups; g++)
		ob_gemm(false, false, im->out, im->m, im->k, w + g * im->weights, im->k,
			cols + g * im->k * im->m, im->m, 0.0f, im->y + g * im->out * im->m,
			im->m);
	if (im->l->bias)
		ob_gemm(false, false, (size_t)im->l->os.c, im->m, 1, c->x + im->l->beta, 1,
			im->ones, im->m, 1.0f, im->y, im->m);
	matrix_transpose((size_t)im->l->os.c, im->m, im->y, y);
}

static void caffe_forward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	const struct image im = image_of(l, ob_lane(c, p));
	const float *x = ob_y(c, l->in[0], p);
	float *y = ob_y(c, i, p);

	for (size_t k = 0; k < p->n; k++)
		image_forward(c, &im, c->ways[i]->forward_w, x + k * im.is, y + k * im.os);
}

static void image_input(const struct image *im, const float *w, float *dx)
{
	const bool direct = im->pointwise;
	float *cols = direct ? im->x : im->cols;

	for (size_t g = 0; g < im->groups; g++)
		ob_gemm(true, false, im->k, im->m, im->out, w + g * im->weights, im->k,
			im->y + g * im->out * im->m, im->m, 0.0f, cols + g * im->k * im->m,
			im->m);
	if (!direct)
		memset(im->x, 0, im->is * sizeof(float));
	for (size_t r = 0; !direct && r < im->groups * im->k; r++) {
		size_t plane;
		int ky, kx;

		row_at(im->l, r, &plane, &ky, &kx);
		raise_tap(im->l, cols + r * im->m, ky, kx, im->x + plane);
	}
	matrix_transpose((size_t)im->l->is.c, (size_t)im->l->is.h * (size_t)im->l->is.w, im->x, dx);
}

static void caffe_backward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	struct ob_lane *lane = ob_lane(c, p);
	const struct image im = image_of(l, lane);
	const float *x = ob_y(c, l->in[0], p), *dy = ob_dy(c, i, p);
	bool add;
	float *dx = ob_dx(c, i, 0, p, &add), *to = lane->lifted;

	for (size_t k = 0; k < p->n; k++) {
		const float *cols = lower_image(&im, x + k * im.is);

		matrix_transpose(im.m, (size_t)l->os.c, dy + k * im.os, im.y);
		for (size_t g = 0; g < im.groups; g++)
			ob_gemm(false, true, im.out, im.k, im.m, im.y + g * im.out * im.m, im.m,
				cols + g * im.k * im.m, im.m, k ? 1.0f : 0.0f,
				lane->dw + g * im.weights, im.k);
		if (!dx)
			continue;
		image_input(&im, c->ways[i]->forward_w, add ? to : dx + k * im.is);
		if (add)
			ob_add_into(im.is, to, dx + k * im.is);
	}
	ob_channels_last(l, lane->dw, c->grad + l->weight);
	if (l->bias) {
		ob_sum(p->n * im.m, (size_t)l->os.c, dy, lane->sums);
		for (size_t k = 0; k < (size_t)l->os.c; k++)
			c->grad[l->beta + k] = (float)lane->sums[k];
	}
}

const struct ob_op ob_caffe = {
	.cols = caffe_cols, .forward = caffe_forward, .backward = caffe_backward,
};

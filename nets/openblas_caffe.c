/*
 * openblas_caffe.c - convolutions as BVLC Caffe computes them, kept to compare with:
 * image by image, lowered in full (type 1), one product for each group, on a BLAS
 * that has the threads. The weights' gradient grows by a product for every image.
 */
#include "nets/openblas.h"
#include "nets/layers.h"

#include <pthread.h>
#include <string.h>

/* Calls under way in all contexts: the BLAS keeps its threads as long as there is one. */
static struct {
	pthread_mutex_t lock;
	int calls;
} under_way = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void count_calls(const struct ob *c, int by)
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
	count_calls(c, 1);
}

void ob_caffe_end(const struct ob *c)
{
	count_calls(c, -1);
}

/* One image: sizes of its product. */
struct image {
	const struct layer *l;
	struct ob_way w;
	size_t m, k, in, out;           /* pixels; row of cols; channels of a group */
	size_t is, os;                  /* floats of the image, and of its output */
};

static struct image image_of(const struct layer *l)
{
	const size_t groups = (size_t)l->groups;

	return (struct image){
		.l = l, .w = ob_way_of(l, LOWERING_1), .m = (size_t)(l->os.h * l->os.w),
		.k = (size_t)layer_fan_in(l), .in = (size_t)l->is.c / groups,
		.out = (size_t)l->os.c / groups, .is = shape_count(l->is),
		.os = shape_count(l->os),
	};
}

static size_t caffe_cols(const struct layer *l)
{
	const struct image im = image_of(l);

	return (size_t)l->groups * im.m * im.k;
}

/* A window of one pixel at every pixel needs no lowering. */
static bool is_pointwise(const struct layer *l)
{
	return l->kernel == 1 && l->stride == 1 && l->groups == 1;
}

/* All groups' cols of one image, one after another. */
static const float *lower_image(const struct image *im, const float *x, float *cols)
{
	if (is_pointwise(im->l))
		return x;
	for (size_t g = 0; g < (size_t)im->l->groups; g++)
		ob_lower(im->l, &im->w, (struct ob_lines){ 0, im->w.lines, g * im->in, im->in }, x,
			 cols + g * im->m * im->k);
	return cols;
}

static void image_forward(const struct ob *c, const struct image *im, const float *x, float *y,
			  float *scratch)
{
	const struct layer *l = im->l;
	const float *cols = lower_image(im, x, scratch);

	for (size_t r = 0; l->bias && r < im->m; r++)
		memcpy(y + r * (size_t)l->os.c, c->x + l->beta, (size_t)l->os.c * sizeof(*y));
	for (size_t g = 0; g < (size_t)l->groups; g++)
		ob_gemm(false, true, im->m, im->out, im->k, cols + g * im->m * im->k, im->k,
			c->x + l->weight + g * im->out * im->k, im->k, l->bias ? 1.0f : 0.0f,
			y + g * im->out, (size_t)l->os.c);
}

static void caffe_forward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	const struct image im = image_of(l);
	const float *x = ob_y(c, l->in[0], p);
	float *y = ob_y(c, i, p), *cols = ob_lane(c, p)->cols;

	for (size_t k = 0; k < p->n; k++)
		image_forward(c, &im, x + k * im.is, y + k * im.os, cols);
}

static void image_weight(const struct ob *c, const struct image *im, const float *x,
			 const float *dy, float *scratch)
{
	const float *cols = lower_image(im, x, scratch);

	for (size_t g = 0; g < (size_t)im->l->groups; g++)
		ob_gemm(true, false, im->out, im->k, im->m, dy + g * im->out, (size_t)im->l->os.c,
			cols + g * im->m * im->k, im->k, 1.0f,
			c->grad + im->l->weight + g * im->out * im->k, im->k);
}

static void image_input(const struct ob *c, const struct image *im, const float *dy, bool add,
			float *dx, float *cols)
{
	const struct layer *l = im->l;
	const bool direct = is_pointwise(l);

	for (size_t g = 0; g < (size_t)l->groups; g++)
		ob_gemm(false, false, im->m, im->k, im->out, dy + g * im->out, (size_t)l->os.c,
			c->x + l->weight + g * im->out * im->k, im->k,
			direct && add ? 1.0f : 0.0f, direct ? dx : cols + g * im->m * im->k,
			im->k);
	if (direct)
		return;
	if (!add)
		memset(dx, 0, im->is * sizeof(*dx));
	for (size_t g = 0; g < (size_t)l->groups; g++)
		ob_lower_back(l, &im->w,
			      (struct ob_lines){ 0, im->w.lines, g * im->in, im->in },
			      cols + g * im->m * im->k, dx);
}

static void caffe_bias(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	double *sums = ob_lane(c, p)->sums;

	ob_sum(p->n * (size_t)(l->os.h * l->os.w), (size_t)l->os.c, ob_dy(c, i, p), sums);
	for (size_t k = 0; k < (size_t)l->os.c; k++)
		c->grad[l->beta + k] = (float)sums[k];
}

static void caffe_backward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	const struct image im = image_of(l);
	const float *x = ob_y(c, l->in[0], p), *dy = ob_dy(c, i, p);
	float *cols = ob_lane(c, p)->cols;
	bool add;
	float *dx = ob_dx(c, i, 0, p, &add);

	memset(c->grad + l->weight, 0, layer_weights(l) * sizeof(*dx));
	for (size_t k = 0; k < p->n; k++) {
		image_weight(c, &im, x + k * im.is, dy + k * im.os, cols);
		if (dx)
			image_input(c, &im, dy + k * im.os, add, dx + k * im.is, cols);
	}
	if (l->bias)
		caffe_bias(c, i, p);
}

const struct ob_op ob_caffe = {
	.cols = caffe_cols, .forward = caffe_forward, .backward = caffe_backward,
};

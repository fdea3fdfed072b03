/*
 * rounding.c - the part of a gradient that f32's rounding decides.
 *
 * A ReLU whose input is nearly 0, or a maximum of two nearly equal values, may stand on either side
 * after rounding, and each takes its share of the gradient along. So parameters and images move by
 * random parts of themselves, somewhat more than rounding may change a sum of products by, and what
 * the gradient against which a backend is compared then changes by is no fault of the backend.
 * Several draws find the units that are that close.
 */
#include "study/check/check.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/math/rng.h"
#include "nets/reference/reference.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { DRAWS = 8, IMAGES = 1 << 16 };   /* the stream of the images, above those of draws */

/*
 * A move is so many times the error of the forward pass, which for most is an average over units,
 * and at least so many roundings of each product in the largest sum, added up at random.
 */
static const double larger = 4, roundings = 0x1p-23;

struct draws {
	struct check *c;
	const struct backend *backend;  /* whose gradient; NULL: the reference's */
	float *unmoved;                 /* its gradient where nothing moved */
	double size, floor;
	double *blobs[DRAWS], whole[DRAWS];     /* changes, as errors are given */
	atomic_int next;
};

/* Products of the largest sum. */
static double fan_in(const struct graph *g)
{
	size_t most = 1;

	for (size_t b = 0; b < g->nblobs; b++) {
		const struct blob *blob = &g->blobs[b];

		if (blob->rank > 1 && blob->count / (size_t)blob->shape[0] > most)
			most = blob->count / (size_t)blob->shape[0];
	}
	return (double)most;
}

static size_t check_rounding_pixels(const struct check *c)
{
	const struct shape s = c->graph->input;

	return c->n * (size_t)s.h * (size_t)s.w * (size_t)s.c;
}

/* y <- v, each value larger or smaller by the part `size`. */
static void check_rounding_nudge(const struct draws *d, uint32_t stream, const float *v, size_t n,
				 float *y)
{
	uint32_t bits = 0;
	struct rng r;

	rng_at(&r, d->c->seed, RNG_NOISE, stream, 3);
	for (size_t i = 0; i < n; i++) {
		bits = i % 32 ? bits >> 1 : rng_u32(&r);
		y[i] = (float)((double)v[i] * (1 + (bits & 1 ? d->size : -d->size)));
	}
}

/* The same values in double; frees v. */
static double *check_rounding_widen(float *v, size_t n)
{
	double *d = check_widen(v, n);

	free(v);
	return d;
}

/* Frees x and images, early, for the largest nets take gigabytes; the caller frees the gradient. */
static float *ask_reference(const struct check *c, float *x, float *images)
{
	const size_t dim = c->graph->dim;
	double *xd = check_rounding_widen(x, dim);
	double *imagesd = check_rounding_widen(images, check_rounding_pixels(c));
	double *g = xcalloc(dim, sizeof(*g));
	float *grad;

	reference_grad(c->graph, xd, c->n, imagesd, c->labels, c->seed, c->use, &c->memory, g);
	free(xd);
	free(imagesd);
	grad = vec_new(dim);
	check_narrow(g, dim, grad);
	free(g);
	return grad;
}

static void ask_backend(const struct draws *d, const float *x, const float *images, float *grad)
{
	const struct backend_conf conf = { .precision = PRECISION_F32 };
	const struct check *c = d->c;
	void *ctx = check_context(c, d->backend, &conf);

	if (!ctx)
		die("%s cannot run the net", d->backend->name);
	d->backend->grad(ctx, x, c->n, images, c->labels, c->seed, c->use, grad, NULL);
	if (backend_failed(d->backend, ctx))
		die("%s failed", d->backend->name);
	d->backend->close(ctx);
}

static void check_rounding_draw(struct draws *d, int i)
{
	const struct check *c = d->c;
	const size_t dim = c->graph->dim;
	float *x = vec_new(dim), *images = vec_new(check_rounding_pixels(c)), *grad;

	check_rounding_nudge(d, 1 + (uint32_t)i, c->x, dim, x);
	check_rounding_nudge(d, IMAGES + (uint32_t)i, c->images, check_rounding_pixels(c), images);
	if (d->backend) {
		grad = vec_new(dim);
		ask_backend(d, x, images, grad);
		free(x);
		free(images);
	} else {
		grad = ask_reference(c, x, images);
	}
	d->blobs[i] = xcalloc(c->graph->nblobs, sizeof(double));
	check_grads(c->graph, grad, d->unmoved, d->floor, d->blobs[i], &d->whole[i]);
	free(grad);
}

static void *draw_some(void *arg)
{
	struct draws *d = arg;
	int i;

	while ((i = atomic_fetch_add(&d->next, 1)) < DRAWS)
		check_rounding_draw(d, i);
	return NULL;
}

void check_rounding(struct check *c, const struct backend *backend, double floor,
		    struct comparison *k)
{
	struct draws d = { .c = c, .backend = backend, .unmoved = vec_new(c->graph->dim),
			   .floor = floor,
			   .size = fmax(roundings * sqrt(fan_in(c->graph)),
					larger * fmax(k->stats, k->logits)) };

	if (backend) {
		ask_backend(&d, c->x, c->images, d.unmoved);
		draw_some(&d);
	} else {
		check_narrow(c->grad, c->graph->dim, d.unmoved);
		c->more_passes += 3.0 * DRAWS;
		check_work(c, c->threads, draw_some, &d);
	}
	free(d.unmoved);
	for (int i = 0; i < DRAWS; i++) {
		k->rounding_whole = fmax(k->rounding_whole, d.whole[i]);
		for (size_t b = 0; b < c->graph->nblobs; b++)
			k->rounding[b] = fmax(k->rounding[b], d.blobs[i][b]);
		free(d.blobs[i]);
	}
}

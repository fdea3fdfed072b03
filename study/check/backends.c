/*
 * backends.c - every backend compared with the reference and the others, and bf16 with f32; the
 * part of a gradient that f32's rounding decides; verdicts.
 */
#include "study/check/check.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/math/rng.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * Errors are |a - b| / |b| in Euclidean norms; for a blob, |b| + floor |whole gradient|,
 * as some gradients are 0 but for rounding. Tolerances are for what the forward pass gives.
 *
 * An error e of the forward pass: about 0.8 e of the ReLUs stand on the other side, and each
 * takes its share of the gradient along: an error of about sqrt(0.8 e), so that the
 * gradient is allowed `flips` sqrt(e) and never less than the forward pass.
 *
 * bf16 rounds 2^15 times as coarsely as f32. Deep nets with normalisation over few values
 * magnify rounding, and bf16's as much as f32's: it is allowed so many times f32's error,
 * but where that is as much as a gradient of 0 would have, there is no verdict on it.
 */
static const double single = 1e-3, brain = 0.1, coarser = 32768, flips = 6;
static const double no_better_than_nothing = 0.99;
static const double single_floor = 1e-3, brain_floor = 0.1;

/* ---- verdicts ---- */

/* Rounding may do so many times what the draws below showed, but not nearly all. */
static const double draws_miss = 3, most_of_rounding = 0.5;

struct comparison *check_add(struct check *c, const char *who, const char *against,
			     double tolerance)
{
	struct comparison *k = &c->comparisons[c->ncomparisons++];

	if (c->ncomparisons > COMPARISONS)
		BUG("more than %d comparisons", COMPARISONS);
	*k = (struct comparison){ .tolerance = tolerance, .tolerance_grad = tolerance,
				  .whole = (double)NAN, .loss = (double)NAN,
				  .stats = (double)NAN, .logits = (double)NAN };
	snprintf(k->who, sizeof(k->who), "%s", who);
	snprintf(k->against, sizeof(k->against), "%s", against);
	k->blobs = xcalloc(c->graph->nblobs, sizeof(*k->blobs));
	k->rounding = xcalloc(c->graph->nblobs, sizeof(*k->rounding));
	for (size_t b = 0; b < c->graph->nblobs; b++)
		k->blobs[b] = (double)NAN;
	return k;
}

double comparison_other(const struct comparison *k, enum check_other i)
{
	const double errors[OTHERS] = { k->whole, k->loss, k->stats, k->logits };

	return errors[i];
}

static double with_rounding(double limit, double rounding)
{
	return fmax(limit, fmin(draws_miss * rounding, most_of_rounding));
}

double comparison_blob_tolerance(const struct comparison *k, size_t b)
{
	return with_rounding(k->tolerance_grad, k->rounding[b]);
}

double comparison_other_tolerance(const struct comparison *k, enum check_other i)
{
	return i == OTHER_WHOLE ? with_rounding(k->tolerance_grad, k->rounding_whole)
				: k->tolerance;
}

bool error_is_fine(double error, double tolerance)
{
	return isnan(error) || (!isinf(error) && error <= tolerance);
}

bool comparison_holds(const struct comparison *k, size_t nblobs)
{
	bool holds = true;

	for (size_t b = 0; b < nblobs; b++)
		holds &= error_is_fine(k->blobs[b], comparison_blob_tolerance(k, b));
	for (int i = 0; i < OTHERS; i++)
		holds &= error_is_fine(comparison_other(k, i), comparison_other_tolerance(k, i));
	return holds;
}

bool check_holds(const struct check *c)
{
	bool holds = true;

	for (int i = 0; i < c->ncomparisons; i++)
		holds &= comparison_holds(&c->comparisons[i], c->graph->nblobs);
	return holds;
}

/* ---- answers ---- */

size_t check_logits(const struct check *c)
{
	return c->n * (size_t)c->graph->targets * (size_t)c->graph->classes;
}

static struct net_answer net_answer_new(const struct check *c)
{
	return (struct net_answer){ .grad = vec_new(c->graph->dim),
				.stats = vec_new(c->graph->stats_dim),
				.logits = vec_new(check_logits(c)) };
}

void net_answer_release(struct net_answer *a)
{
	free_all(a->grad, a->stats, a->logits);
}

/* to[n] <- the values as floats. */
static void check_narrow(const double *from, size_t n, float *to)
{
	for (size_t i = 0; i < n; i++)
		to[i] = (float)from[i];
}

struct asked {                  /* of the reference */
	struct check *c;
	double *logits;
};

static void *reference_work(void *arg)
{
	const struct asked *a = arg;
	struct check *c = a->c;
	const struct graph *g = c->graph;

	c->reference.loss = reference_grad(g, c->xd, c->n, c->imagesd, c->labels, c->seed,
					   c->use, &c->memory, c->grad);
	if (g->stats_dim)
		reference_stats(g, c->xd, c->n, c->imagesd, c->stats);
	reference_logits(g, c->xd, c->stats, c->n, c->imagesd, &c->memory, a->logits);
	return NULL;
}

void check_reference(struct check *c)
{
	const struct graph *g = c->graph;
	const size_t nlogits = check_logits(c);
	scoped double *logits = xcalloc(nlogits, sizeof(*logits));
	struct asked asked = { c, logits };

	c->grad = xcalloc(g->dim, sizeof(*c->grad));
	c->stats = xcalloc(g->stats_dim, sizeof(*c->stats));
	c->reference = net_answer_new(c);
	check_work(c, 1, reference_work, &asked);
	check_narrow(c->grad, g->dim, c->reference.grad);
	check_narrow(c->stats, g->stats_dim, c->reference.stats);
	check_narrow(logits, nlogits, c->reference.logits);
	c->stats_used = c->reference.stats;
	c->has_reference = true;
}

/* 0, or -1 after error() when the backend cannot run the net. */
static int backend_ask(struct check *c, const struct backend *b, enum precision precision,
			      struct net_answer *a)
{
	const struct backend_conf conf = { .precision = precision };
	void *ctx = check_context(c, b, &conf);
	bool failed;

	if (!ctx)
		return -1;
	*a = net_answer_new(c);
	a->loss = b->grad(ctx, c->x, c->n, c->images, c->labels, c->seed, c->use, a->grad, NULL);
	if (c->graph->stats_dim)
		b->stats(ctx, c->x, c->n, c->images, a->stats);
	if (!c->stats_used)
		c->stats_used = a->stats;
	b->logits(ctx, c->x, c->stats_used, c->n, c->images, a->logits);
	failed = backend_failed(b, ctx);
	b->close(ctx);
	if (failed && c->stats_used == a->stats)
		c->stats_used = NULL;
	if (failed)
		net_answer_release(a);
	return failed ? -1 : 0;
}

/* ---- errors ---- */

double floats_norm(const float *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (double)v[i] * (double)v[i];
	return sqrt(sum);
}

/* NaN where there are no values, infinite where a value is no number. */
static double relative_error(const float *a, const float *b, size_t n, double floor)
{
	const double whole = floats_norm(b, n);
	double away = 0;

	for (size_t i = 0; i < n; i++)
		away += pow((double)a[i] - (double)b[i], 2);
	away = sqrt(away);
	if (!n)
		return (double)NAN;
	if (!isfinite(away) || !isfinite(whole))
		return (double)INFINITY;
	return away > 0 ? away / (whole + floor) : 0;
}

/* Errors of a gradient: of each blob, and of all as one vector. */
static void grads_compare(const struct graph *g, const float *grad, const float *against,
			  double floor, double *blobs, double *whole)
{
	const double all = floats_norm(against, g->dim);

	for (size_t i = 0; i < g->nblobs; i++) {
		const struct blob *blob = &g->blobs[i];

		blobs[i] = relative_error(grad + blob->offset, against + blob->offset,
						   blob->count, floor * all);
	}
	*whole = relative_error(grad, against, g->dim, 0);
}

/* ---- rounding ---- */

/*
 * A ReLU whose input is nearly 0, or a maximum of two nearly equal values, may stand on either side
 * after rounding, and each takes its share of the gradient along. So parameters and images move by
 * random parts of themselves, somewhat more than rounding may change a sum of products by, and what
 * the gradient against which a backend is compared then changes by is no fault of the backend.
 * Several draws find the units that are that close.
 */
/* The stream of the images is above those of draws. */
enum { ROUNDING_DRAWS = 8, IMAGES = 1 << 16 };

/*
 * A move is so many times the error of the forward pass, which for most is an average over units,
 * and at least so many roundings of each product in the largest sum, added up at random.
 */
static const double larger = 4, roundings = 0x1p-23;

struct rounding_draws {
	struct check *c;
	const struct backend *backend;  /* whose gradient; NULL: the reference's */
	float *unmoved;                 /* its gradient where nothing moved */
	double size, floor;
	double *blobs[ROUNDING_DRAWS], whole[ROUNDING_DRAWS];     /* changes, as errors are given */
	atomic_int next;
};

/* y <- v, each value larger or smaller by the part `size`. */
static void draw_nudge(const struct rounding_draws *d, uint32_t stream, const float *v, size_t n,
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

static void draw_ask_backend(const struct rounding_draws *d, const float *x, const float *images,
			     float *grad)
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

static void draw_make(struct rounding_draws *d, int i)
{
	const struct check *c = d->c;
	const struct shape s = c->graph->input;
	const size_t dim = c->graph->dim, pixels = c->n * (size_t)s.h * (size_t)s.w * (size_t)s.c;
	float *x = vec_new(dim), *images = vec_new(pixels), *grad;
	double *xd, *imagesd, *g;

	draw_nudge(d, 1 + (uint32_t)i, c->x, dim, x);
	draw_nudge(d, IMAGES + (uint32_t)i, c->images, pixels, images);
	if (d->backend) {
		grad = vec_new(dim);
		draw_ask_backend(d, x, images, grad);
		free_all(x, images);
	} else {
		/* each is freed early, for the largest nets take gigabytes */
		xd = check_widen(x, dim);
		free(x);
		imagesd = check_widen(images, pixels);
		free(images);
		g = xcalloc(dim, sizeof(*g));
		reference_grad(c->graph, xd, c->n, imagesd, c->labels, c->seed, c->use, &c->memory,
			       g);
		free_all(xd, imagesd);
		grad = vec_new(dim);
		check_narrow(g, dim, grad);
		free(g);
	}
	d->blobs[i] = xcalloc(c->graph->nblobs, sizeof(double));
	grads_compare(c->graph, grad, d->unmoved, d->floor, d->blobs[i], &d->whole[i]);
	free(grad);
}

static void *draws_work(void *arg)
{
	struct rounding_draws *d = arg;
	int i;

	while ((i = atomic_fetch_add(&d->next, 1)) < ROUNDING_DRAWS)
		draw_make(d, i);
	return NULL;
}

/* Fills k->rounding: of a backend's gradient, or with NULL the reference's. */
static void check_rounding(struct check *c, const struct backend *backend, double floor,
			   struct comparison *k)
{
	const struct graph *g = c->graph;
	struct rounding_draws d = { .c = c, .backend = backend, .unmoved = vec_new(g->dim),
				    .floor = floor };
	size_t products = 1;            /* of the largest sum */

	for (size_t b = 0; b < g->nblobs; b++) {
		const struct blob *blob = &g->blobs[b];

		if (blob->rank > 1 && blob->count / (size_t)blob->shape[0] > products)
			products = blob->count / (size_t)blob->shape[0];
	}
	d.size = fmax(roundings * sqrt((double)products), larger * fmax(k->stats, k->logits));
	if (backend) {
		draw_ask_backend(&d, c->x, c->images, d.unmoved);
		draws_work(&d);
	} else {
		check_narrow(c->grad, c->graph->dim, d.unmoved);
		c->more_passes += 3.0 * ROUNDING_DRAWS;
		check_work(c, c->threads, draws_work, &d);
	}
	free(d.unmoved);
	for (int i = 0; i < ROUNDING_DRAWS; i++) {
		k->rounding_whole = fmax(k->rounding_whole, d.whole[i]);
		for (size_t b = 0; b < c->graph->nblobs; b++)
			k->rounding[b] = fmax(k->rounding[b], d.blobs[i][b]);
		free(d.blobs[i]);
	}
}

static void answers_compare(struct check *c, const struct net_answer *a, const struct net_answer *b,
			    double floor, struct comparison *k)
{
	const struct graph *g = c->graph;

	grads_compare(g, a->grad, b->grad, floor, k->blobs, &k->whole);
	k->loss = fabs(a->loss - b->loss) / (fabs(b->loss) + floor);
	if (!(k->loss >= 0))
		k->loss = (double)INFINITY;
	k->stats = relative_error(a->stats, b->stats, g->stats_dim, 0);
	k->logits = relative_error(a->logits, b->logits, check_logits(c), 0);
	k->tolerance_grad = fmax(k->tolerance, flips * sqrt(fmin(fmax(k->stats, k->logits),
								 k->tolerance)));
	if (k->tolerance_grad > no_better_than_nothing)
		k->tolerance_grad = (double)INFINITY;
}

/* ---- what is compared with what ---- */

/* Compares two answers in f32; backend: that of the second, NULL: the reference. */
static void compare_single(struct check *c, const struct net_answer *a, const struct net_answer *b,
			   const struct backend *backend, struct comparison *k)
{
	bool only_grads;

	answers_compare(c, a, b, single_floor, k);
	/* all but the gradient is within its tolerance, and the gradient is made of numbers */
	only_grads = !isinf(k->whole);
	for (size_t i = 0; i < c->graph->nblobs; i++)
		only_grads &= !isinf(k->blobs[i]);
	for (int i = OTHER_WHOLE + 1; i < OTHERS; i++)
		only_grads &= error_is_fine(comparison_other(k, i), k->tolerance);
	if (only_grads && !comparison_holds(k, c->graph->nblobs))
		check_rounding(c, backend, single_floor, k);
}

int check_backend(struct check *c, const struct backend *b, const struct net_answer *first,
		  struct net_answer *a)
{
	char who[32], against[32];

	if (backend_ask(c, b, PRECISION_F32, a))
		return -1;
	snprintf(who, sizeof(who), "%s f32", b->name);
	if (c->has_reference)
		compare_single(c, a, &c->reference, NULL,
			       check_add(c, who, "reference", single));
	if (!first)
		return 0;
	snprintf(against, sizeof(against), "%s f32", backend_table[0]->name);
	compare_single(c, a, first, backend_table[0], check_add(c, who, against, 2 * single));
	return 0;
}

int check_backends(struct check *c)
{
	const struct backend *const *able = backend_table;
	struct net_answer answers[8], bf16;
	char who[32], against[32];
	double forward = 0, tolerance;
	int n = 0, ret = 0;

	while (able[n] && !ret) {
		ret = check_backend(c, able[n], n ? &answers[0] : NULL, &answers[n]);
		n += !ret;
	}
	/* the largest error of a forward pass */
	for (int i = 0; i < c->ncomparisons; i++)
		forward = fmax(forward, fmax(c->comparisons[i].stats, c->comparisons[i].logits));
	tolerance = fmax(brain, coarser * fmin(forward, 2 * single));
	for (int i = 0; i < n && !ret; i++) {
		if (able[i]->no_bf16())
			continue;
		ret = backend_ask(c, able[i], PRECISION_BF16, &bf16);
		if (ret)
			break;
		snprintf(who, sizeof(who), "%s bf16", able[i]->name);
		snprintf(against, sizeof(against), "%s f32", able[i]->name);
		answers_compare(c, &bf16, &answers[i], brain_floor,
				check_add(c, who, against, tolerance));
		net_answer_release(&bf16);
	}
	while (n)
		net_answer_release(&answers[--n]);
	return ret;
}

/*
 * backends.c - every backend compared with the reference and the others, and bf16
 * with f32.
 */
#include "study/check/check.h"

#include "core/base/mem.h"
#include "nets/reference/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Errors are |a - b| / |b| in Euclidean norms; for a blob, |b| + floor |whole gradient|,
 * as some gradients are 0 but for rounding. Tolerances are for what the forward pass gives.
 *
 * Where that is off by a part e, about 0.8 e of the ReLUs stand on the other side, and each
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

/* ---- answers ---- */

size_t check_logits(const struct check *c)
{
	return c->n * (size_t)c->graph->targets * (size_t)c->graph->classes;
}

static struct answer answer_new(const struct check *c)
{
	return (struct answer){ .grad = vec_new(c->graph->dim),
				.stats = vec_new(c->graph->stats_dim),
				.logits = vec_new(check_logits(c)) };
}

void answer_release(struct answer *a)
{
	free(a->grad);
	free(a->stats);
	free(a->logits);
}

void check_narrow(const double *from, size_t n, float *to)
{
	for (size_t i = 0; i < n; i++)
		to[i] = (float)from[i];
}

struct asked {                  /* of the reference */
	struct check *c;
	double *logits;
};

static void *ask_reference(void *arg)
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
	double *logits = xcalloc(nlogits, sizeof(*logits));
	struct asked asked = { c, logits };

	c->grad = xcalloc(g->dim, sizeof(*c->grad));
	c->stats = xcalloc(g->stats_dim, sizeof(*c->stats));
	c->reference = answer_new(c);
	check_work(c, 1, ask_reference, &asked);
	check_narrow(c->grad, g->dim, c->reference.grad);
	check_narrow(c->stats, g->stats_dim, c->reference.stats);
	check_narrow(logits, nlogits, c->reference.logits);
	c->stats_used = c->reference.stats;
	c->has_reference = true;
	free(logits);
}

/* 0, or -1 after error() when the backend cannot run the net. */
static int check_backends_ask(struct check *c, const struct backend *b, enum precision precision,
			      struct answer *a)
{
	const struct backend_conf conf = { .precision = precision };
	void *ctx = check_context(c, b, &conf);
	bool failed;

	if (!ctx)
		return -1;
	*a = answer_new(c);
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
		answer_release(a);
	return failed ? -1 : 0;
}

/* ---- errors ---- */

static double check_backends_norm(const float *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (double)v[i] * (double)v[i];
	return sqrt(sum);
}

static double check_backends_distance(const float *a, const float *b, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += pow((double)a[i] - (double)b[i], 2);
	return sqrt(sum);
}

/* NaN where there are no values, infinite where a value is no number. */
static double check_backends_relative(const float *a, const float *b, size_t n, double floor)
{
	double away = check_backends_distance(a, b, n), whole = check_backends_norm(b, n);

	if (!n)
		return (double)NAN;
	if (!isfinite(away) || !isfinite(whole))
		return (double)INFINITY;
	return away > 0 ? away / (whole + floor) : 0;
}

void check_grads(const struct graph *g, const float *grad, const float *against, double floor,
		 double *blobs, double *whole)
{
	const double all = check_backends_norm(against, g->dim);

	for (size_t i = 0; i < g->nblobs; i++) {
		const struct blob *blob = &g->blobs[i];

		blobs[i] = check_backends_relative(grad + blob->offset, against + blob->offset,
						   blob->count, floor * all);
	}
	*whole = check_backends_relative(grad, against, g->dim, 0);
}

static void check_backends_compare(struct check *c, const struct answer *a, const struct answer *b,
				   double floor, struct comparison *k)
{
	const struct graph *g = c->graph;

	check_grads(g, a->grad, b->grad, floor, k->blobs, &k->whole);
	k->loss = fabs(a->loss - b->loss) / (fabs(b->loss) + floor);
	if (!(k->loss >= 0))
		k->loss = (double)INFINITY;
	k->stats = check_backends_relative(a->stats, b->stats, g->stats_dim, 0);
	k->logits = check_backends_relative(a->logits, b->logits, check_logits(c), 0);
	k->tolerance_grad = fmax(k->tolerance, flips * sqrt(fmin(fmax(k->stats, k->logits),
								 k->tolerance)));
	if (k->tolerance_grad > no_better_than_nothing)
		k->tolerance_grad = (double)INFINITY;
}

/* ---- what is compared with what ---- */

/* The largest error of a forward pass so far. */
static double forward_error(const struct check *c)
{
	double most = 0;

	for (int i = 0; i < c->ncomparisons; i++)
		most = fmax(most, fmax(c->comparisons[i].stats, c->comparisons[i].logits));
	return most;
}

static int check_brain(struct check *c, const struct backend *b, const struct answer *f32,
		       double tolerance)
{
	char who[32], against[32];
	struct answer a;

	if (check_backends_ask(c, b, PRECISION_BF16, &a))
		return -1;
	snprintf(who, sizeof(who), "%s bf16", b->name);
	snprintf(against, sizeof(against), "%s f32", b->name);
	check_backends_compare(c, &a, f32, brain_floor, check_add(c, who, against, tolerance));
	answer_release(&a);
	return 0;
}

/* Of two answers in f32; backend: that of the second, NULL: the reference. */
static void compare_single(struct check *c, const struct answer *a, const struct answer *b,
			   const struct backend *backend, struct comparison *k)
{
	check_backends_compare(c, a, b, single_floor, k);
	if (!comparison_holds(k, c->graph->nblobs) && comparison_only_grads(k, c->graph->nblobs))
		check_rounding(c, backend, single_floor, k);
}

int check_backend(struct check *c, const struct backend *b, const struct answer *first,
		  struct answer *a)
{
	char who[32], against[32];

	if (check_backends_ask(c, b, PRECISION_F32, a))
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
	struct answer answers[8];
	double tolerance;
	int n = 0, ret = 0;

	for (; able[n] && !ret; n++) {
		ret = check_backend(c, able[n], n ? &answers[0] : NULL, &answers[n]);
		if (ret)
			break;
	}
	tolerance = fmax(brain, coarser * fmin(forward_error(c), 2 * single));
	for (int i = 0; i < n && !ret; i++)
		if (!able[i]->no_bf16())
			ret = check_brain(c, able[i], &answers[i], tolerance);
	while (n)
		answer_release(&answers[--n]);
	return ret;
}

/* gradient_check.c - see gradient_check.h. */
#include "tests/support/gradient_check.h"

#include "core/base/mem.h"
#include "core/math/rng.h"
#include "tests/support/check.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 2e-5
#define ROUNDINGS 8

double distance(size_t n, const float *got, const double *want)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += pow((got ? (double)got[i] : 0) - (want ? want[i] : 0), 2);
	return sqrt(sum);
}

void grad_check_vector(const struct grad_check *on, const char *what, size_t n, const float *got,
		const double *want, double more)
{
	const double scale = distance(n, got, NULL) + more, off = distance(n, got, want);

	if (!(off <= TOLERANCE * scale))
		fail_msg("%s, %s, %s: off by %.3g of %.3g", on->t->g->name, on->where, what,
			 off / scale, scale);
}

void grad_check_blobs(const struct grad_check *on, const float *got, const double *want)
{
	const struct graph *g = on->t->g;
	const double roundings = ROUNDINGS * (double)FLT_EPSILON / TOLERANCE;
	const double more = roundings * distance(g->dim, got, NULL);

	for (const struct blob *b = g->blobs; b < g->blobs + g->nblobs; b++)
		grad_check_vector(on, b->name, b->count, got + b->offset, want + b->offset, more);
}

static double grad_check_reference(const struct grad_check *on, const double *x,
				   const uint64_t *use, double *grad)
{
	const struct trial *t = on->t;

	return reference_grad(t->g, x, t->n, t->imagesd, t->labels, 3, use, on->memory, grad);
}

void grad_check_backend(const struct grad_check *on, void *ctx, const uint64_t *use, float *got)
{
	const struct trial *t = on->t;
	double *want = xcalloc(t->g->dim, sizeof(*want)), loss, expected;

	for (size_t k = 0; k < t->g->dim; k++)
		got[k] = NAN;
	loss = on->b->grad(ctx, t->x, t->n, t->images, t->labels, 3, use, got, NULL);
	expected = grad_check_reference(on, t->xd, use, want);
	assert_near(loss, expected, TOLERANCE * fabs(expected));
	grad_check_blobs(on, got, want);
	free(want);
}

void grad_check_logits(const struct grad_check *on, void *ctx, const float *stats)
{
	const struct trial *t = on->t;
	const size_t n = t->n * (size_t)t->g->targets * (size_t)t->g->classes;
	float *got = vec_new(n);
	double *want = xcalloc(n, sizeof(*want));
	double *statsd = xcalloc(t->g->stats_dim, sizeof(*statsd));

	for (size_t k = 0; stats && k < t->g->stats_dim; k++)
		statsd[k] = (double)stats[k];
	on->b->logits(ctx, t->x, stats, t->n, t->images, got);
	reference_logits(t->g, t->xd, stats ? statsd : NULL, t->n, t->imagesd, on->memory,
			 want);
	grad_check_vector(on, "logits", n, got, want, 0);
	free(got);
	free(want);
	free(statsd);
}

/* (f(x + h d) - f(x - h d)) / 2h along a random direction d of a blob, against <g, d>. */
static void grad_check_slope(const struct grad_check *on, const double *g, const struct blob *b,
			     uint64_t draw)
{
	const double h = 1e-6;
	const size_t dim = on->t->g->dim;
	double *up = xcalloc(dim, sizeof(*up)), *down = xcalloc(dim, sizeof(*down));
	double slope = 0, difference;
	struct rng r;

	memcpy(up, on->t->xd, dim * sizeof(*up));
	memcpy(down, on->t->xd, dim * sizeof(*down));
	rng_at(&r, 4, RNG_NOISE, 0, draw);
	for (size_t k = b->offset; k < b->offset + b->count; k++) {
		const double d = rng_normal(&r) / sqrt((double)b->count);

		up[k] += h * d;
		down[k] -= h * d;
		slope += g[k] * d;
	}
	difference = (grad_check_reference(on, up, on->t->use, NULL) -
		      grad_check_reference(on, down, on->t->use, NULL)) / (2 * h);
	if (fabs(difference - slope) > 1e-7 + 1e-5 * fabs(slope))
		fail_msg("%s, %s, %s: slope %.9g, difference %.9g", on->t->g->name, on->where,
			 b->name, slope, difference);
	free(up);
	free(down);
}

void grad_check_slopes(const struct grad_check *on, const struct blob *blob, size_t n)
{
	double *g = xcalloc(on->t->g->dim, sizeof(*g));

	grad_check_reference(on, on->t->xd, on->t->use, g);
	for (size_t b = 0; b < n; b++)
		grad_check_slope(on, g, &blob[b], b);
	free(g);
}

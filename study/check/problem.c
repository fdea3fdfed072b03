/*
 * problem.c - gradients of an external problem compared with differences of its loss.
 *
 * Along d, (f(x + h d) - f(x - h d)) / 2h is compared with <g, d>, for the best of several h. Each
 * blob moves along its gradient, which shows a wrong factor, and along random signs, which shows a
 * wrong direction. Losses are taken to be rounded to float32, so a difference may be off by
 * `rounding` (1 + |f|) / h: only steps h for which that is little count.
 */
#include "study/check/problem.h"

#include "core/base/mem.h"
#include "core/math/rng.h"
#include "core/math/vec.h"
#include "study/check/check.h"

#include <math.h>
#include <string.h>

enum { STEPS = 4, SIGNS = 1 << 16 };
static const double steps[STEPS] = { 1e-3, 1e-2, 1e-4, 0.1 };
static const double rounding = 1e-6, least_scale = 0.1;

struct differences {
	struct problem_check *c;
	void *scratch;
	struct batch batch;
	float *y, *d, *unused;          /* [dim] */
};

static double loss_at(const struct differences *w, double h, size_t from, size_t count)
{
	const struct problem *p = w->c->problem;

	for (size_t i = from; i < from + count; i++)
		w->y[i] = (float)((double)w->c->x[i] + h * (double)w->d[i]);
	return p->ops->grad(p, w->scratch, w->y, &w->batch, w->unused, NULL);
}

/* Error of g along d, which is not 0 in [from, from + count) alone; relative to the terms. */
static double difference_error(const struct differences *w, size_t from, size_t count)
{
	const struct problem_check *c = w->c;
	double sum = 0.0, squares = 0.0, terms, least = (double)INFINITY;

	for (size_t i = from; i < from + count; i++) {
		const double term = (double)c->g[i] * (double)w->d[i];

		sum += term;
		squares += term * term;
	}
	terms = fmax(fabs(sum), sqrt(squares));
	for (size_t i = 0; i < STEPS && least > PROBLEM_TOLERANCE / 10.0; i++) {
		const double h = steps[i], allowed = rounding * (1.0 + fabs(c->loss)) / h;
		double away;

		/* left out: steps at which rounding would decide, but for the largest */
		if (allowed > 0.25 * PROBLEM_TOLERANCE * terms && i < STEPS - 1)
			continue;
		away = loss_at(w, h, from, count);
		away -= loss_at(w, -h, from, count);
		away = fabs(away / (2.0 * h) - sum);
		least = fmin(least, allowed > 0.25 * PROBLEM_TOLERANCE * terms && away <= allowed
					    ? 0.0 : away / terms);
	}
	memcpy(w->y + from, c->x + from, count * sizeof(*w->y));
	return least;
}

/* Root mean square, or least_scale for a vector of zeros. */
static double scale_of(const float *x, size_t n)
{
	double squares = 0.0;

	for (size_t i = 0; i < n; i++)
		squares += (double)x[i] * (double)x[i];
	return squares > 0.0 ? sqrt(squares / (double)n) : least_scale;
}

/* d <- plus or minus each blob's scale, at random. */
static void draw_signs(const struct differences *w)
{
	const struct problem *p = w->c->problem;

	for (size_t b = 0; b < p->nblobs; b++) {
		const struct blob *blob = &p->blobs[b];
		const float scale = (float)scale_of(w->c->x + blob->offset, blob->count);
		struct rng r;

		for (size_t k = 0; k < blob->count; k++) {
			if (k % SIGNS == 0)
				rng_at(&r, w->c->seed, RNG_NOISE, (uint32_t)b, k / SIGNS);
			w->d[blob->offset + k] = rng_u32(&r) & 1 ? scale : -scale;
		}
	}
}

static void check_blob(const struct differences *w, size_t b)
{
	const struct blob *blob = &w->c->problem->blobs[b];
	struct problem_blob *result = &w->c->blobs[b];
	const float *g = w->c->g + blob->offset;
	const double scale = scale_of(w->c->x + blob->offset, blob->count);

	result->norm = floats_norm(g, blob->count);
	result->error = difference_error(w, blob->offset, blob->count);
	for (size_t k = 0; k < blob->count && result->norm > 0.0; k++)
		w->d[blob->offset + k] = (float)((double)g[k] / result->norm * scale *
						 sqrt((double)blob->count));
	if (result->norm > 0.0)
		result->error = fmax(result->error,
				     difference_error(w, blob->offset, blob->count));
}

/* The first model, moved a little so that no parameter is 0. */
static void draw_model(struct problem_check *c)
{
	const struct problem *p = c->problem;

	p->ops->init(p, c->seed, c->x);
	for (size_t b = 0; b < p->nblobs; b++) {
		const struct blob *blob = &p->blobs[b];
		const double scale = 0.1 * scale_of(c->x + blob->offset, blob->count);
		struct rng r;

		rng_at(&r, c->seed, RNG_DATA, (uint32_t)b, 0);
		for (size_t k = 0; k < blob->count; k++)
			c->x[blob->offset + k] += (float)(scale * rng_normal(&r));
	}
}

int problem_check(struct problem_check *c)
{
	const struct problem *p = c->problem;
	struct differences w = { .c = c, .scratch = p->ops->scratch_new(p, c->n, NULL),
				 .y = vec_new(p->dim), .d = vec_new(p->dim),
				 .unused = vec_new(p->dim) };
	int64_t *sample = xcalloc(c->n, sizeof(*sample));
	double again;

	c->x = vec_new(p->dim);
	c->g = vec_new(p->dim);
	c->blobs = xcalloc(p->nblobs, sizeof(*c->blobs));
	for (size_t i = 0; i < c->n; i++)
		sample[i] = (int64_t)i % p->n[SPLIT_TRAIN];
	w.batch = (struct batch){ .n = c->n, .sample = sample, .seed = c->seed };
	draw_model(c);
	c->loss = p->ops->grad(p, w.scratch, c->x, &w.batch, c->g, NULL);
	again = p->ops->grad(p, w.scratch, c->x, &w.batch, w.unused, NULL);
	c->repeats = !(again < c->loss) && !(again > c->loss) &&
		     vec_digest(p->dim, c->g) == vec_digest(p->dim, w.unused);
	memcpy(w.y, c->x, p->dim * sizeof(*w.y));
	draw_signs(&w);
	c->whole = difference_error(&w, 0, p->dim);
	for (size_t b = 0; b < p->nblobs && !p->ops->failed(p); b++)
		check_blob(&w, b);
	c->holds = c->repeats && c->whole <= PROBLEM_TOLERANCE;
	for (size_t b = 0; b < p->nblobs; b++)
		c->holds &= c->blobs[b].error <= PROBLEM_TOLERANCE;
	p->ops->scratch_free(p, w.scratch);
	free_all(w.y, w.d, w.unused, sample);
	return p->ops->failed(p) ? -1 : 0;
}

void problem_check_release(struct problem_check *c)
{
	free_all(c->x, c->g, c->blobs);
}

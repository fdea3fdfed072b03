/*
 * differences.c - the reference's gradient compared with differences of its loss.
 *
 * Along d, (f(x + h d) - f(x - h d)) / 2h is held against <g, d>. Directions are plus
 * or minus the blob's root mean square at random, so that every blob moves by the same part
 * of itself; one that is all 0 moves as if that were 0.1. An error is relative to the norm of
 * the terms of <g, d>, and below 1e-4 (1 + |f|), where the rounding of f shows, to that. ReLUs and
 * maxima stay on the sides where x has them, as one that changed sides within h would spoil the
 * difference; of a deep net on large images some always would. A difference that is off is taken
 * again with other h; a wrong gradient is off with all of them.
 */
#include "study/check/check.h"

#include "core/base/mem.h"
#include "core/math/rng.h"
#include "nets/nets.h"
#include "nets/reference/reference.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Directions of all; tries at a coordinate; coordinates of a stream of random words. */
enum { WHOLE_DIRECTIONS = 2, COORDINATE_DRAWS = 16, SIGN_BLOCK = 1 << 16 };
enum { STEPS = 4 };
static const double steps[STEPS] = { 1e-7, 1e-8, 1e-6, 1e-9 };
static const double difference_tolerance = 1e-4, rounding = 1e-4, scale_of_zero = 0.1;

/* Forward multiply-accumulates of all differences together, unless full: some seconds. */
static const double macs_of_differences = 1.5e10;

/* A direction: in all blobs (blob -1) or one; coordinate -1: all of it, else that one. */
struct difference {
	int blob;
	int64_t coordinate;
	uint64_t id;                    /* address of its random numbers */
	double error;                   /* result */
};

struct differences {
	struct check *c;
	struct difference *probes;           /* [n] */
	size_t n;
	double *scale;                  /* [nblobs] root mean square, never 0 */
	struct reference_kept *kept;    /* the loss where nothing moved */
	atomic_size_t next;
};

/* d of blob b at index k of a direction: plus or minus the scale, by a bit of a random word. */
struct signs {
	struct rng r;
	uint32_t bits;
};

static double sign_next(struct signs *s, const struct differences *w, const struct difference *p,
			size_t b, size_t k)
{
	if (k % SIGN_BLOCK == 0)
		rng_at(&s->r, w->c->seed, RNG_NOISE, (uint32_t)(p->id << 16 | b), k);
	s->bits = k % 32 ? s->bits >> 1 : rng_u32(&s->r);
	return s->bits & 1 ? w->scale[b] : -w->scale[b];
}

/* y of the blobs that move <- x + h d; sums <- <g, d> and the square of its terms' norm. */
static double loss_at(const struct differences *w, const struct difference *p, double h, double *y,
		      double sums[2])
{
	const struct check *c = w->c;
	const size_t begin = p->blob < 0 ? 0 : (size_t)p->blob;
	const size_t blobs = p->blob < 0 ? c->graph->nblobs : begin + 1;

	sums[0] = sums[1] = 0;
	for (size_t b = begin; b < blobs; b++) {
		const struct blob *blob = &c->graph->blobs[b];
		const size_t first = p->coordinate < 0 ? 0 : (size_t)p->coordinate;
		const size_t end = p->coordinate < 0 ? blob->count : first + 1;
		struct signs signs = { .bits = 0 };

		for (size_t k = first; k < end; k++) {
			const size_t i = blob->offset + k;
			const double d = p->coordinate < 0 ? sign_next(&signs, w, p, b, k)
							   : w->scale[b];

			y[i] = c->xd[i] + h * d;
			sums[0] += c->grad[i] * d;
			sums[1] += pow(c->grad[i] * d, 2);
		}
	}
	return reference_loss_at(w->kept, p->blob < 0 ? NULL : &c->graph->blobs[p->blob], y);
}

/* y: a copy of x, and is one again afterwards. */
static void difference_take(const struct differences *w, struct difference *p, double *y)
{
	const struct graph *g = w->c->graph;
	const size_t from = p->blob < 0 ? 0 : g->blobs[p->blob].offset;
	const size_t count = p->blob < 0 ? g->dim : g->blobs[p->blob].count;

	p->error = (double)INFINITY;
	for (size_t i = 0; i < STEPS && p->error > difference_tolerance; i++) {
		const double h = steps[i];
		double sums[2], above = loss_at(w, p, h, y, sums);
		double below = loss_at(w, p, -h, y, sums);
		double away = fabs((above - below) / (2 * h) - sums[0]);

		p->error = fmin(p->error, away / (sqrt(sums[1]) +
						  rounding * (1 + fabs(w->c->reference.loss))));
	}
	memcpy(y + from, w->c->xd + from, count * sizeof(*y));
}

static void *run_probes(void *arg)
{
	struct differences *w = arg;
	const size_t bytes = w->c->graph->dim * sizeof(double);
	scoped double *y = xcalloc(w->c->graph->dim, sizeof(*y));
	size_t i;

	memcpy(y, w->c->xd, bytes);
	while ((i = atomic_fetch_add(&w->next, 1)) < w->n)
		difference_take(w, &w->probes[i], y);
	return NULL;
}

/* Chooses of a few coordinates of the blob the one whose gradient is the largest. */
static int64_t coordinate_choose(const struct check *c, size_t b)
{
	const struct blob *blob = &c->graph->blobs[b];
	int64_t best = 0;
	struct rng r;

	rng_at(&r, c->seed, RNG_NOISE, 1, b);
	for (int i = 0; i < COORDINATE_DRAWS; i++) {
		int64_t k = (int64_t)rng_below(&r, blob->count);

		if (!i || fabs(c->grad[blob->offset + (size_t)k]) >
			  fabs(c->grad[blob->offset + (size_t)best]))
			best = k;
	}
	return best;
}

/* Blobs that are looked at, evenly spaced: as many as the time allows. */
static size_t blobs_looked_at(const struct check *c)
{
	double cost = (double)graph_macs(c->graph) * (double)c->n + 4 * (double)c->graph->dim;
	double most = macs_of_differences / cost;
	double blobs = (most - 2 * WHOLE_DIRECTIONS) / 4;

	if (c->full || blobs >= (double)c->graph->nblobs)
		return c->graph->nblobs;
	blobs = blobs > 2 ? blobs : 2;
	return blobs < (double)c->graph->nblobs ? (size_t)blobs : c->graph->nblobs;
}

/* The i-th of the blobs that are looked at. */
static size_t blob_looked_at(const struct check *c, size_t i)
{
	const size_t blobs = blobs_looked_at(c), all = c->graph->nblobs;

	return blobs == all || blobs < 2 ? i : i * (all - 1) / (blobs - 1);
}

double check_difference_passes(const struct check *c)
{
	double passes = 1 + 2 * WHOLE_DIRECTIONS;

	for (size_t i = 0; i < blobs_looked_at(c); i++)
		passes += 4 * reference_share(c->graph, &c->graph->blobs[blob_looked_at(c, i)]);
	return passes;
}

static void differences_plan(struct differences *w)
{
	const struct check *c = w->c;
	const size_t blobs = blobs_looked_at(c), all = c->graph->nblobs;

	w->probes = xcalloc(WHOLE_DIRECTIONS + 2 * blobs, sizeof(*w->probes));
	for (; w->n < WHOLE_DIRECTIONS; w->n++)
		w->probes[w->n] = (struct difference){ -1, -1, 2 + w->n, 0 };
	for (size_t i = 0; i < blobs; i++) {
		const size_t b = blob_looked_at(c, i);

		w->probes[w->n++] = (struct difference){ (int)b, -1, 1, 0 };
		w->probes[w->n++] = (struct difference){ (int)b, coordinate_choose(c, b), 1, 0 };
	}
	w->scale = xcalloc(all, sizeof(*w->scale));
	for (size_t b = 0; b < all; b++) {
		const struct blob *blob = &c->graph->blobs[b];

		for (size_t k = 0; k < blob->count; k++)
			w->scale[b] += pow(c->xd[blob->offset + k], 2) / (double)blob->count;
		w->scale[b] = w->scale[b] > 0 ? sqrt(w->scale[b]) : scale_of_zero;
	}
}

void check_differences(struct check *c)
{
	struct differences w = { .c = c };
	struct comparison *k;

	differences_plan(&w);
	w.kept = reference_keep(c->graph, c->xd, c->n, c->imagesd, c->labels, c->seed, c->use,
				&c->memory);
	check_work(c, c->threads, run_probes, &w);
	progress_end(&c->progress);
	/* the worst of a blob's probes is its error */
	k = check_add(c, "differences", "reference", difference_tolerance);
	for (size_t i = 0; i < w.n; i++) {
		const struct difference *p = &w.probes[i];
		double *error = p->blob < 0 ? &k->whole : &k->blobs[p->blob];

		if (!(*error >= p->error))
			*error = p->error;
	}
	reference_kept_free(w.kept);
	free_all(w.probes, w.scale);
}

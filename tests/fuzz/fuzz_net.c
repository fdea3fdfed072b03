/*
 * Loads any text as a net; one that loads and is small also runs, on every backend.
 *
 * Backends must agree on the gradient, loosely, where it is well determined: some
 * nets blow rounding up, and those show it when the parameters move by as little.
 */
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/math/rng.h"
#include "nets/nets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { N = 3, SMALL = 1 << 16 };

/* A net, where its gradient is asked for, and what each backend answers. */
struct trial {
	const struct graph *g;
	float *x, *nudged, *images, *grad, *other;
};

static size_t activations(const struct graph *g)
{
	size_t n = 0;

	for (int i = 0; i < g->n; i++)
		n += (size_t)g->layers[i].os.h * (size_t)g->layers[i].os.w
		     * (size_t)g->layers[i].os.c;
	return n;
}

static void check_blobs(const struct graph *g)
{
	size_t at = 0;

	for (size_t b = 0; b < g->nblobs; b++) {
		if (g->blobs[b].offset != at)
			BUG("blob %s has a wrong offset", g->blobs[b].name);
		at += g->blobs[b].count;
	}
	if (at != g->dim)
		BUG("blobs do not cover x");
}

static void trial_open(struct trial *t, const struct graph *g)
{
	size_t pixels = N * (size_t)g->input.h * (size_t)g->input.w * (size_t)g->input.c;
	struct rng r;

	*t = (struct trial){ g, vec_new(g->dim), vec_new(g->dim), vec_new(pixels),
			     vec_new(g->dim), vec_new(g->dim) };
	rng_at(&r, 1, RNG_DATA, 0, 0);
	graph_init(g, 1, t->x);
	for (size_t i = 0; i < pixels; i++)
		t->images[i] = (float)rng_normal(&r);
	for (size_t k = 0; k < g->dim; k++) {
		t->x[k] += 0.1f * (float)rng_normal(&r);
		t->nudged[k] = t->x[k] * (k % 2 ? 1 + 1e-5f : 1 - 1e-5f);
	}
}

static void trial_close(struct trial *t)
{
	free(t->x);
	free(t->nudged);
	free(t->images);
	free(t->grad);
	free(t->other);
}

/* g <- the gradient at x; false: the backend cannot run the net. */
static bool gradient(const struct trial *t, const struct backend *b, const float *x, float *g)
{
	const int32_t labels[N] = { 0, t->g->classes - 1, t->g->classes / 2 };
	const uint64_t use[N] = { 1, 2, 3 };
	void *ctx = b->open(t->g, NULL, N, NULL);

	if (!ctx)
		return false;
	b->grad(ctx, x, N, t->images, labels, 1, use, g, NULL);
	b->close(ctx);
	return true;
}

/* Of t->other from t->grad, relative to the norm of the latter. */
static double distance(const struct trial *t)
{
	double off = 0, norm = 0;

	for (size_t k = 0; k < t->g->dim; k++) {
		double a = (double)t->grad[k], b = (double)t->other[k];

		off += (a - b) * (a - b);
		norm += a * a;
	}
	return sqrt(off / (norm + 1e-8));
}

static void run(const struct graph *g)
{
	const struct backend *plain = &backend_openblas;
	struct trial t;
	bool sharp;

	trial_open(&t, g);
	sharp = gradient(&t, plain, t.x, t.grad) && gradient(&t, plain, t.nudged, t.other)
		&& distance(&t) < 1e-3;
	for (int i = 0; backend_table[i]; i++)
		if (backend_table[i] != plain && gradient(&t, backend_table[i], t.x, t.other)
		    && sharp && !(distance(&t) < 1e-2))
			BUG("%s is off by %g of the gradient", backend_table[i]->name,
			    distance(&t));
	trial_close(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = xcalloc(size + 1, 1);
	struct graph *g;

	if (size)
		memcpy(text, data, size);
	g = graph_parse(text, "input", (struct shape){ 0, 0, 0 }, 0);
	if (g)
		check_blobs(g);
	if (g && g->dim < SMALL && activations(g) < SMALL && graph_macs(g) < SMALL)
		run(g);
	graph_free(g);
	free(text);
	return 0;
}

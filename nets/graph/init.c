/* Initial parameters, drawn at (seed, RNG_INIT, chunk, blob). */
#include "core/math/rng.h"
#include "nets/layers.h"
#include "nets/nets.h"

#include <math.h>

/* A blob is drawn in chunks, since one address yields a bounded number of draws. */
enum { CHUNK = 1 << 20 };

static void draw_normal(struct rng *r, size_t n, double dev, float *x)
{
	for (size_t i = 0; i < n; i++)
		x[i] = (float)(dev * rng_normal(r));
}

static void draw_uniform(struct rng *r, size_t n, double bound, float *x)
{
	for (size_t i = 0; i < n; i++)
		x[i] = (float)(bound * (2 * rng_uniform(r) - 1));
}

static void graph_init_fill(size_t n, float value, float *x)
{
	for (size_t i = 0; i < n; i++)
		x[i] = value;
}

static void graph_init_draw(const struct layer *l, enum init init, double value, struct rng *r,
			    size_t n, float *x)
{
	double in = (double)layer_fan_in(l), out = (double)layer_fan_out(l);

	switch (init) {
	case INIT_ZERO:
		graph_init_fill(n, 0, x);
		return;
	case INIT_HE_OUT:
		draw_normal(r, n, sqrt(2 / out), x);
		return;
	case INIT_HE_IN:
		draw_normal(r, n, sqrt(2 / in), x);
		return;
	case INIT_XAVIER:
		draw_uniform(r, n, sqrt(3 / in), x);
		return;
	case INIT_TORCH:
		draw_uniform(r, n, 1 / sqrt(in), x);
		return;
	case INIT_NORMAL:
		draw_normal(r, n, value, x);
		return;
	case INIT_CONSTANT:
		graph_init_fill(n, (float)value, x);
		return;
	}
}

static void init_blob(const struct layer *l, enum init init, double value, uint64_t seed,
		      uint64_t blob, size_t n, float *x)
{
	for (size_t at = 0; at < n; at += CHUNK) {
		struct rng r;

		rng_at(&r, seed, RNG_INIT, (uint32_t)(at / CHUNK), blob);
		graph_init_draw(l, init, value, &r, n - at < CHUNK ? n - at : CHUNK, x + at);
	}
}

/* Around 1. */
static void init_scales(const struct layer *l, uint64_t seed, uint64_t blob, size_t n, float *x)
{
	init_blob(l, l->init_value > 0 ? INIT_NORMAL : INIT_ZERO, l->init_value, seed, blob, n, x);
	for (size_t k = 0; k < n; k++)
		x[k] += 1.0f;
}

void graph_draw_batch(const struct graph *g, uint64_t seed, size_t n, float *images,
		      int32_t *labels)
{
	const size_t values = shape_count(g->input), targets = (size_t)g->targets;
	const uint64_t classes = (uint64_t)g->classes;
	struct rng r;

	for (size_t i = 0; i < n; i++) {
		rng_at(&r, seed, RNG_DATA, 0, i);
		for (size_t k = 0; k < values; k++)
			images[i * values + k] = g->tokens ? (float)rng_below(&r, classes)
							   : (float)rng_normal(&r);
		for (size_t k = 0; k < targets; k++)
			labels[i * targets + k] = (int32_t)rng_below(&r, classes);
	}
}

void graph_init(const struct graph *g, uint64_t seed, float *x)
{
	uint64_t blob = 0;

	for (int i = 0; i < g->n; i++) {
		const struct layer *l = &g->layers[i];
		const size_t biases = layer_biases(l), projections = layer_projections(l);
		const size_t weights = layer_weights(l) - projections;

		if (l->kind == LAYER_BN || l->kind == LAYER_LAYERNORM) {
			init_scales(l, seed, blob, weights, x + l->weight);
			graph_init_fill(biases, 0, x + l->beta);
		} else if (weights || biases) {
			init_blob(l, l->init, l->init_value, seed, blob, weights, x + l->weight);
			init_blob(l, l->bias_init, l->bias_value, seed, blob + 1, biases,
				  x + l->beta);
		}
		blob += !!weights + !!biases;
		init_blob(l, INIT_NORMAL, l->projection_value, seed, blob, projections,
			  x + l->weight + weights);
		blob += !!projections;
	}
}

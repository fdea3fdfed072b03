/* Initial parameters of a net, drawn at (seed, RNG_INIT, chunk, blob), and random samples. */
#include "nets/layers/layers.h"

#include "core/math/rng.h"
#include "nets/nets.h"

#include <math.h>

/*
 * Floats that are drawn at one address: a blob is drawn in chunks, as an address has limited draws.
 */
enum { CHUNK = 1 << 20 };

static void floats_draw_normal(struct rng *r, size_t n, double dev, float *x)
{
	for (size_t i = 0; i < n; i++)
		x[i] = (float)(dev * rng_normal(r));
}

static void floats_draw_uniform(struct rng *r, size_t n, double bound, float *x)
{
	for (size_t i = 0; i < n; i++)
		x[i] = (float)(bound * (2 * rng_uniform(r) - 1));
}

static void floats_fill(size_t n, float value, float *x)
{
	for (size_t i = 0; i < n; i++)
		x[i] = value;
}

static void blob_draw(const struct layer *l, enum init init, double value, struct rng *r,
			    size_t n, float *x)
{
	const double in = (double)l->fan_in, out = (double)l->fan_out;

	switch (init) {
	case INIT_ZERO:
		floats_fill(n, 0, x);
		return;
	case INIT_HE_OUT:
		floats_draw_normal(r, n, sqrt(2 / out), x);
		return;
	case INIT_HE_IN:
		floats_draw_normal(r, n, sqrt(2 / in), x);
		return;
	case INIT_XAVIER:
		floats_draw_uniform(r, n, sqrt(3 / in), x);
		return;
	case INIT_TORCH:
		floats_draw_uniform(r, n, 1 / sqrt(in), x);
		return;
	case INIT_NORMAL:
		floats_draw_normal(r, n, value, x);
		return;
	case INIT_CONSTANT:
		floats_fill(n, (float)value, x);
		return;
	}
}

static void blob_init(const struct layer *l, enum init init, double value, uint64_t seed,
		      uint64_t blob, size_t n, float *x)
{
	for (size_t at = 0; at < n; at += CHUNK) {
		struct rng r;

		rng_at(&r, seed, RNG_INIT, (uint32_t)(at / CHUNK), blob);
		blob_draw(l, init, value, &r, n - at < CHUNK ? n - at : CHUNK, x + at);
	}
}

void graph_init(const struct graph *g, uint64_t seed, float *x)
{
	uint64_t blob = 0;

	for (int i = 0; i < g->n; i++) {
		const struct layer *l = &g->layers[i];
		const size_t weights = l->weights - l->projections;
		float *weight = x + l->weight, *bias = x + l->beta;

		if (layer_types[l->kind]->scales) {
			blob_init(l, l->init_value > 0 ? INIT_NORMAL : INIT_ZERO, l->init_value,
				  seed, blob, weights, weight);
			for (size_t k = 0; k < weights; k++)
				weight[k] += 1.0f;
			floats_fill(l->biases, 0, bias);
		} else if (weights || l->biases) {
			blob_init(l, (enum init)l->init, l->init_value, seed, blob, weights,
				  weight);
			blob_init(l, (enum init)l->bias_init, l->bias_value, seed, blob + 1,
				  l->biases, bias);
		}
		blob += !!weights + !!l->biases;
		blob_init(l, INIT_NORMAL, l->projection_value, seed, blob, l->projections,
			  weight + weights);
		blob += !!l->projections;
	}
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

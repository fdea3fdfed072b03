/*
 * embed.c - y = scale tokens[token] + positions[position]; scale is 1, or sqrt(channels).
 *
 * A stage of its own, in panels of columns: each adds the rows' gradients to its columns of the
 * tables in the order of the batch.
 */
#include "nets/layers.h"
#include "nets/openblas/openblas.h"

#include "core/math/wide.h"

#include <math.h>
#include <string.h>

enum { PANELS = 4 };

static int embed_panels(const struct layer *l)
{
	return l->os.c < PANELS ? 1 : PANELS;
}

struct columns {
	size_t first, n;
};

static struct columns embed_columns(const struct ob_part *p, size_t all)
{
	const size_t first = all * (size_t)p->k / (size_t)p->of;

	return (struct columns){ first, all * ((size_t)p->k + 1) / (size_t)p->of - first };
}

WIDE static void embed_add_scaled(size_t n, float scale, const float *x, float *y)
{
	for (size_t k = 0; k < n; k++)
		y[k] += scale * x[k];
}

static float embed_scale(const struct layer *l)
{
	return l->scaled ? sqrtf((float)l->os.c) : 1.0f;
}

static void embed_forward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	const size_t width = (size_t)l->os.c;
	const struct columns k = embed_columns(p, width);
	const float *token = c->y[0];

	for (size_t r = 0; r < c->n * c->rows; r++) {
		float *y = c->y[i] + r * width + k.first;

		memset(y, 0, k.n * sizeof(*y));
		embed_add_scaled(k.n, embed_scale(l),
				 c->x + l->weight + (size_t)token[r] * width + k.first, y);
		if (l->positions)
			ob_add_into(k.n, c->x + l->beta + r % c->rows * width + k.first, y);
	}
}

/* A tied table has a term already, that of the layer that shares it. */
static void embed_clear(struct ob *c, const struct layer *l, struct columns k)
{
	const size_t width = (size_t)l->os.c;

	for (size_t r = 0; !l->tied && r < (size_t)l->vocabulary; r++)
		memset(c->grad + l->weight + r * width + k.first, 0, k.n * sizeof(float));
	for (size_t r = 0; r < (size_t)l->positions; r++)
		memset(c->grad + l->beta + r * width + k.first, 0, k.n * sizeof(float));
}

static void embed_backward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	const size_t width = (size_t)l->os.c;
	const struct columns k = embed_columns(p, width);
	const float *token = c->y[0];

	embed_clear(c, l, k);
	for (size_t r = 0; r < c->n * c->rows; r++) {
		const float *dy = c->dy[i].whole + r * width + k.first;

		embed_add_scaled(k.n, embed_scale(l), dy,
				 c->grad + l->weight + (size_t)token[r] * width + k.first);
		if (l->positions)
			ob_add_into(k.n, dy, c->grad + l->beta + r % c->rows * width + k.first);
	}
}

const struct ob_op ob_embed = {
	.panels = embed_panels, .forward = embed_forward, .backward = embed_backward,
};

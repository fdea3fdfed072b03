/*
 * relative_back.c - attention by distance with a memory, backward; see relative.h.
 *
 * With dS as in attention.c and dB its rows moved back, dB_i(j + T-1-i) = dS_ij:
 *
 *     d(q + u) = dS k;  d(q + w) = dB R;  dk = dS^T (q + u);  dv = P^T dO;  dR = dB^T (q + w)
 *
 * dq is the sum of both, du and dw the sums over rows. What is kept has no gradient; its
 * keys and values have, for their weights. A task has a head of all samples, in their order.
 */
#include "nets/openblas/tokens/relative.h"

#include "core/math/wide.h"

#include <math.h>
#include <string.h>

/* ---- heads ---- */

/* b[r][j + rows - 1 - r] <- p[r][j], 0 before. */
static void relative_unshift(size_t rows, size_t keys, const float *p, float *b)
{
	for (size_t r = 0; r < rows; r++, p += keys, b += keys) {
		const size_t by = rows - 1 - r;

		memset(b, 0, by * sizeof(*b));
		memcpy(b + by, p, (keys - by) * sizeof(*b));
	}
}

/* sum[size] += the rows of x. */
WIDE static void relative_sum(size_t rows, size_t size, const float *x, float *sum)
{
	for (size_t r = 0; r < rows; r++, x += size)
		for (size_t k = 0; k < size; k++)
			sum[k] += x[k];
}

/* to <- (or +=) rows of x, in rows of `width`. */
WIDE static void relative_put(size_t rows, size_t size, const float *x, bool add, size_t width,
			      float *to)
{
	for (size_t r = 0; r < rows; r++, x += size, to += width)
		for (size_t k = 0; k < size; k++)
			to[k] = add ? to[k] + x[k] : x[k];
}

/* Where a head of a sample is, and goes. */
struct head_view {
	size_t head, sample;
	const float *lse, *out; /* [T], [T] in rows of all channels */
	float *dx;              /* [T] in rows of queries, keys and values ... */
	bool add;               /* ... to what is there */
};

/* a->p <- probabilities with their dropout, a->dp <- dS / sqrt(size) of a tile. */
static void relative_slopes(struct ob *c, int i, const struct relative *a,
			    const struct head_view *at, size_t first, size_t rows)
{
	const struct relative_size s = a->s;
	const size_t keys = s.memory + first + rows;
	const float scale = 1.0f / sqrtf((float)s.size);
	const float *dout = a->dout + first * s.size;
	float d[TILE];

	relative_scores(c, i, a, first, rows);
	tile_again(rows, keys, s.memory + first, scale, at->lse + first, a->p);
	tile_dots(rows, s.size, dout, s.size, at->out + first * s.channels, s.channels, d);
	tile_products(rows, keys, s.size, dout, s.size, a->vt, s.keys, a->dp);
	if (relative_drops(c, i)) {
		relative_mask(c, i, a, at->head, at->sample, first, rows);
		tile_multiply(rows * keys, a->mask, a->dp);
	}
	tile_slope(rows, keys, scale, a->p, d, a->dp);
	if (relative_drops(c, i))
		tile_multiply(rows * keys, a->mask, a->p);
}

/* A tile's terms; the last tile, which has all keys, comes first and sets dk and dv. */
static void relative_tile_back(struct ob *c, int i, const struct relative *a,
			       const struct head_view *at, size_t first)
{
	const struct relative_size s = a->s;
	const size_t rows = relative_rows(a, first), keys = s.memory + first + rows;
	const size_t from = relative_from(a, first, rows) * s.size;
	const int add = keys < s.keys;
	float *dq = at->dx + first * 3 * s.channels;

	relative_slopes(c, i, a, at, first, rows);
	tile_spread(rows, keys, s.size, a->p, a->dout + first * s.size, s.size, add, a->dv,
		    s.size);
	tile_spread(rows, keys, s.size, a->dp, a->qu + first * s.size, s.size, add, a->dk, s.size);
	tile_mix(rows, keys, s.size, a->dp, a->k, s.size, 0, a->dqu, s.size);
	relative_unshift(rows, keys, a->dp, a->b);
	tile_spread(rows, keys, s.size, a->b, a->qw + first * s.size, s.size, 1, a->dr + from,
		    s.size);
	tile_mix(rows, keys, s.size, a->b, a->r + from, s.size, 0, a->dqw, s.size);
	relative_sum(rows, s.size, a->dqu, a->du);
	relative_sum(rows, s.size, a->dqw, a->dw);
	relative_put(rows, s.size, a->dqu, at->add, 3 * s.channels, dq);
	relative_put(rows, s.size, a->dqw, true, 3 * s.channels, dq);
}

/* Keys' and values' gradients: those of the memory, then those of the window. */
static void relative_put_keys(const struct ob *c, int i, const struct relative *a,
			      const struct head_view *at)
{
	const struct relative_size s = a->s;
	const size_t own = s.memory * s.size;
	float *dkv = relative_kept_of(c, i).dkv + at->sample * s.memory * 2 * s.channels +
		     at->head * s.size;

	relative_put(s.memory, s.size, a->dk, false, 2 * s.channels, dkv);
	relative_put(s.memory, s.size, a->dv, false, 2 * s.channels, dkv + s.channels);
	relative_put(s.window, s.size, a->dk + own, at->add, 3 * s.channels, at->dx + s.channels);
	relative_put(s.window, s.size, a->dv + own, at->add, 3 * s.channels,
		     at->dx + 2 * s.channels);
}

static void relative_sample_back(struct ob *c, int i, const struct ob_part *part,
				 const struct relative *a, size_t head, size_t sample)
{
	const struct relative_size s = a->s;
	const size_t row = sample * s.window, last = (s.window - 1) / TILE * TILE;
	const float *dy = c->dy[i].whole + row * s.channels + head * s.size;
	struct head_view at = {
		.head = head, .sample = sample,
		.lse = relative_kept_of(c, i).lse + (sample * s.heads + head) * s.window,
		.out = c->y[i] + row * s.channels + head * s.size,
	};

	at.dx = ob_dx(c, i, 0, part, &at.add) + row * 3 * s.channels + head * s.size;
	relative_load(c, i, a, head, sample);
	tile_turn(a->s.keys, a->s.size, a->v, a->s.size, a->vt);
	for (size_t r = 0; r < s.window; r++)
		memcpy(a->dout + r * s.size, dy + r * s.channels, s.size * sizeof(*a->dout));
	for (size_t first = last + TILE; first >= TILE; first -= TILE)
		relative_tile_back(c, i, a, &at, first - TILE);
	relative_put_keys(c, i, a, &at);
}

/* Layers after this one that share its u and w have been here before. */
static bool relative_adds_biases(const struct graph *g, int i)
{
	for (int k = i + 1; k < g->n; k++)
		if (g->layers[k].kind == LAYER_RELATIVE &&
		    g->layers[k].beta == g->layers[i].beta)
			return true;
	return false;
}

void relative_heads_back(struct ob *c, int i, const struct ob_part *part)
{
	const struct relative a = relative_of(c, i, part);
	const struct relative_size s = a.s;
	const bool add = relative_adds_biases(c->g, i);
	const size_t to = s.heads * ((size_t)part->k + 1) / (size_t)part->of;

	for (size_t h = s.heads * (size_t)part->k / (size_t)part->of; h < to; h++) {
		float *du = c->grad + c->g->layers[i].beta + h * s.size;

		relative_load_codes(c, i, &a, h);
		memset(a.dr, 0, s.keys * s.size * sizeof(*a.dr));
		memset(a.du, 0, s.size * sizeof(*a.du));
		memset(a.dw, 0, s.size * sizeof(*a.dw));
		for (size_t k = 0; k < c->n; k++)
			relative_sample_back(c, i, part, &a, h, k);
		relative_put(s.keys, s.size, a.dr, false, s.channels,
			     relative_kept_of(c, i).dr + h * s.size);
		relative_put(1, s.size, a.du, add, s.size, du);
		relative_put(1, s.size, a.dw, add, s.size, du + s.channels);
	}
}

/* ---- weights ---- */

/* Rows of the linear layer's weights that make keys and values, from the memory; 0 for queries. */
static void relative_memory_weights(struct ob *c, int i, const struct ob_part *part, size_t first,
				    size_t n)
{
	const struct layer *l = &c->g->layers[i];
	const struct relative_size s = relative_size_of(c, i);
	const float *dkv = relative_kept_of(c, i).dkv;
	float *grad = c->grad + c->g->layers[l->tied].weight + first * s.width;

	memset(grad, 0, n * s.width * sizeof(*grad));
	for (size_t k = 0; k < c->n && s.memory && first >= s.channels; k++)
		ob_multiply(c, part, true, false, n, s.width, s.memory,
			    dkv + k * s.memory * 2 * s.channels + first - s.channels,
			    2 * s.channels, relative_memory(c, i, k), s.width, 1.0f, grad, s.width);
}

void relative_weights_back(struct ob *c, int i, const struct ob_part *part)
{
	const struct layer *l = &c->g->layers[i];
	const struct relative_size s = relative_size_of(c, i);
	const struct relative_kept kept = relative_kept_of(c, i);
	const size_t k = (size_t)part->k, of = (size_t)part->of;
	const size_t first = s.channels * k / of, n = s.channels * (k + 1) / of - first;

	ob_multiply(c, part, true, false, n, s.width, s.keys, kept.dr + first, s.channels,
		    kept.codes, s.width, 0.0f, c->grad + l->weight + first * s.width, s.width);
	for (size_t third = 0; third < 3; third++)
		relative_memory_weights(c, i, part, third * s.channels + first, n);
}

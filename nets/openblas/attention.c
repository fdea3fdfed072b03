/*
 * attention.c - causal attention: y_i = sum over j <= i of P_ij v_j, P = softmax(s q k^T), s = 1 /
 * sqrt(size of a head).
 *
 * A task takes some heads of some samples. A head's queries are taken TILE at a time, with all
 * keys up to their own: so no more than TILE x window probabilities exist at a time. Forward keeps
 * the logarithm of each row's sum; backward computes the probabilities again from it. With
 * D = dO . O = sum of P dP in a row:
 *
 *     dS = s P (dP - D),  dP = dO v^T;  dq = dS k;  dk = dS^T q;  dv = P^T dO
 */
#include "nets/layers.h"
#include "nets/openblas/openblas.h"
#include "nets/openblas/tile.h"

#include <math.h>
#include <string.h>

enum { PANELS = 16 };

/* A head's rows, each [window][size], and a tile's, each [TILE][window]; in the lane's cols. */
struct attention {
	size_t window, size;
	float *q, *k, *v, *dout, *dq, *dk, *dv;
	float *kt, *vt;         /* [size][window] */
	float *p, *dp, *mask;
};

static size_t attention_cols(const struct layer *l)
{
	const size_t window = (size_t)l->os.h * (size_t)l->os.w;
	const size_t size = (size_t)(l->os.c / l->heads);

	return 9 * window * size + 3 * TILE * window;
}

static struct attention attention_of(struct ob *c, int i, const struct ob_part *part)
{
	const struct layer *l = &c->g->layers[i];
	struct attention a = { .window = c->rows, .size = (size_t)(l->os.c / l->heads) };
	const size_t rows = a.window * a.size, tile = TILE * a.window;
	float *at = ob_lane(c, part)->cols;

	a.q = at;
	a.k = a.q + rows;
	a.v = a.k + rows;
	a.dout = a.v + rows;
	a.dq = a.dout + rows;
	a.dk = a.dq + rows;
	a.dv = a.dk + rows;
	a.kt = a.dv + rows;
	a.vt = a.kt + rows;
	a.p = a.vt + rows;
	a.dp = a.p + tile;
	a.mask = a.dp + tile;
	return a;
}

static size_t attention_save(const struct layer *l, size_t n)
{
	return n * (size_t)(l->heads * l->os.h * l->os.w);
}

static int attention_panels(const struct layer *l)
{
	(void)l;
	return PANELS;
}

/* One head of one sample. */
struct head {
	size_t sample, k;
};

/* to[window][size] <- columns of rows of `width` floats. */
static void attention_gather(const struct attention *a, const float *from, size_t width, float *to)
{
	for (size_t r = 0; r < a->window; r++)
		memcpy(to + r * a->size, from + r * width, a->size * sizeof(*to));
}

static void attention_scatter(const struct attention *a, const float *from, bool add,
			      size_t width, float *to)
{
	for (size_t r = 0; r < a->window; r++)
		if (add)
			ob_add_into(a->size, from + r * a->size, to + r * width);
		else
			memcpy(to + r * width, from + r * a->size, a->size * sizeof(*to));
}

static void attention_turn(const struct attention *a, const float *from, float *to)
{
	for (size_t k = 0; k < a->size; k++)
		for (size_t r = 0; r < a->window; r++)
			to[k * a->window + r] = from[r * a->size + k];
}

static void attention_load(const struct ob *c, int i, struct head h, const struct attention *a)
{
	const struct layer *l = &c->g->layers[i];
	const size_t width = (size_t)l->is.c, channels = (size_t)l->os.c;
	const float *x = c->y[l->in[0]] + h.sample * a->window * width + h.k * a->size;

	attention_gather(a, x, width, a->q);
	attention_gather(a, x + channels, width, a->k);
	attention_gather(a, x + 2 * channels, width, a->v);
	attention_turn(a, a->k, a->kt);
	attention_turn(a, a->v, a->vt);
}

static bool attention_drops(const struct ob *c, int i)
{
	return c->pass == PASS_TRAIN && c->use && c->g->layers[i].rate > 0.0;
}

/* mask[rows][keys], 0 after each query's own key. */
static void attention_mask(const struct ob *c, int i, struct head h, const struct attention *a,
			   size_t first, size_t rows, size_t keys)
{
	const struct layer *l = &c->g->layers[i];

	memset(a->mask, 0, rows * keys * sizeof(*a->mask));
	for (size_t r = 0; r < rows; r++)
		dropout_units(0, first + r + 1, l->rate, c->seed,
			      attention_address(l, i, (int)h.k, (int)(first + r)),
			      c->use[h.sample], a->mask + r * keys);
}

static size_t attention_rows(const struct attention *a, size_t first)
{
	return a->window - first < TILE ? a->window - first : TILE;
}

static void attention_head(struct ob *c, int i, struct head h, const struct attention *a)
{
	const struct layer *l = &c->g->layers[i];
	const size_t width = (size_t)l->os.c;
	const float scale = 1.0f / sqrtf((float)a->size);
	float *lse = (float *)c->save[i] + (h.sample * (size_t)l->heads + h.k) * a->window;
	float *y = c->y[i] + h.sample * a->window * width + h.k * a->size;

	attention_load(c, i, h, a);
	for (size_t first = 0; first < a->window; first += TILE) {
		const size_t rows = attention_rows(a, first), keys = first + rows;

		tile_products(rows, keys, a->size, a->q + first * a->size, a->kt, a->window,
				   a->p);
		tile_softmax(rows, keys, first, scale, a->p, lse + first);
		if (attention_drops(c, i)) {
			attention_mask(c, i, h, a, first, rows, keys);
			tile_multiply(rows * keys, a->mask, a->p);
		}
		tile_mix(rows, keys, a->size, a->p, a->v, y + first * width, width);
	}
}

/* A tile's terms; the last tile, which has all keys, comes first and sets dk and dv. */
static void attention_tile_back(struct ob *c, int i, struct head h, const struct attention *a,
				size_t first, const float *lse, const float *out)
{
	const size_t rows = attention_rows(a, first), keys = first + rows, size = a->size;
	const size_t width = (size_t)c->g->layers[i].os.c;
	const float scale = 1.0f / sqrtf((float)size);
	const int add = keys < a->window;
	const float *dout = a->dout + first * size;
	float d[TILE];

	tile_products(rows, keys, size, a->q + first * size, a->kt, a->window, a->p);
	tile_again(rows, keys, first, scale, lse + first, a->p);
	tile_dots(rows, size, dout, out + first * width, width, d);
	tile_products(rows, keys, size, dout, a->vt, a->window, a->dp);
	if (attention_drops(c, i)) {
		attention_mask(c, i, h, a, first, rows, keys);
		tile_multiply(rows * keys, a->mask, a->dp);
	}
	tile_slope(rows, keys, scale, a->p, d, a->dp);
	if (attention_drops(c, i))
		tile_multiply(rows * keys, a->mask, a->p);
	tile_spread(rows, keys, size, a->p, dout, add, a->dv);
	tile_spread(rows, keys, size, a->dp, a->q + first * size, add, a->dk);
	tile_mix(rows, keys, size, a->dp, a->k, a->dq + first * size, size);
}

static void attention_head_back(struct ob *c, int i, struct head h, const struct ob_part *part,
				const struct attention *a)
{
	const struct layer *l = &c->g->layers[i];
	const size_t channels = (size_t)l->os.c, width = (size_t)l->is.c;
	const size_t row = h.sample * a->window, last = (a->window - 1) / TILE * TILE;
	const float *lse = (float *)c->save[i] + (h.sample * (size_t)l->heads + h.k) * a->window;
	const float *out = c->y[i] + row * channels + h.k * a->size;
	bool add;
	float *dx = ob_dx(c, i, 0, part, &add) + row * width + h.k * a->size;

	attention_load(c, i, h, a);
	attention_gather(a, c->dy[i].whole + row * channels + h.k * a->size, channels, a->dout);
	for (size_t first = last + TILE; first >= TILE; first -= TILE)
		attention_tile_back(c, i, h, a, first - TILE, lse, out);
	attention_scatter(a, a->dq, add, width, dx);
	attention_scatter(a, a->dk, add, width, dx + channels);
	attention_scatter(a, a->dv, add, width, dx + 2 * channels);
}

/* The heads of a task: those of all samples, one after the other, in equal parts. */
static void attention_each(struct ob *c, int i, const struct ob_part *p, bool back)
{
	const size_t heads = (size_t)c->g->layers[i].heads, all = c->n * heads;
	const size_t k = (size_t)p->k, of = (size_t)p->of;
	const struct attention a = attention_of(c, i, p);

	for (size_t n = all * k / of; n < all * (k + 1) / of; n++) {
		const struct head h = { n / heads, n % heads };

		if (back)
			attention_head_back(c, i, h, p, &a);
		else
			attention_head(c, i, h, &a);
	}
}

static void attention_forward(struct ob *c, int i, const struct ob_part *p)
{
	attention_each(c, i, p, false);
}

static void attention_backward(struct ob *c, int i, const struct ob_part *p)
{
	attention_each(c, i, p, true);
}

const struct ob_op ob_attention = {
	.save = attention_save, .cols = attention_cols, .panels = attention_panels,
	.forward = attention_forward, .backward = attention_backward, .reads_output = true,
};

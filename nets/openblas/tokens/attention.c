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
#include "nets/openblas/openblas.h"
#include "nets/openblas/tokens/tile.h"

#include <math.h>
#include <string.h>

enum { PANELS = 16 };

/* A head's transposed keys and values, and a tile's, each [TILE][window]; in the lane's cols. */
struct attention {
	size_t window, size;
	float *kt, *vt;         /* [size][window] */
	float *p, *dp, *mask;
};

static size_t attention_cols(const struct layer *l)
{
	const size_t window = (size_t)l->os.h * (size_t)l->os.w;
	const size_t size = (size_t)(l->os.c / l->heads);

	return 2 * window * size + 3 * TILE * window;
}

static struct attention attention_of(struct ob *c, int i, const struct ob_part *part)
{
	const struct layer *l = &c->g->layers[i];
	struct attention a = { .window = c->rows, .size = (size_t)(l->os.c / l->heads) };
	const size_t rows = a.window * a.size, tile = TILE * a.window;
	float *at = ob_lane(c, part)->cols;

	a.kt = at;
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

/* Where a head's queries begin; its keys follow a layer's channels later, then its values. */
static size_t attention_at(const struct layer *l, struct head h, const struct attention *a)
{
	return h.sample * a->window * (size_t)l->is.c + h.k * a->size;
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
	const size_t width = (size_t)l->os.c, in = (size_t)l->is.c;
	const float scale = 1.0f / sqrtf((float)a->size);
	const float *x = c->y[l->in[0]] + attention_at(l, h, a);
	float *lse = (float *)c->save[i] + (h.sample * (size_t)l->heads + h.k) * a->window;
	float *y = c->y[i] + h.sample * a->window * width + h.k * a->size;

	tile_turn(a->window, a->size, x + width, in, a->kt);
	for (size_t first = 0; first < a->window; first += TILE) {
		const size_t rows = attention_rows(a, first), keys = first + rows;

		tile_products(rows, keys, a->size, x + first * in, in, a->kt, a->window, a->p);
		tile_softmax(rows, keys, first, scale, a->p, lse + first);
		if (attention_drops(c, i)) {
			attention_mask(c, i, h, a, first, rows, keys);
			tile_multiply(rows * keys, a->mask, a->p);
		}
		tile_mix(rows, keys, a->size, a->p, x + 2 * width, in, 0, y + first * width,
			 width);
	}
}

/* What a head's backward pass reads and writes, from the head's first column on. */
struct attention_back {
	const float *x, *out, *dout, *lse;      /* [window] rows of is.c, of os.c; lse [window] */
	float *dx;                              /* ... of is.c */
	bool add;                               /* dx has terms already */
};

/* A tile's terms; the last tile, which has all keys, comes first and sets dk and dv. */
static void attention_tile_back(struct ob *c, int i, struct head h, const struct attention *a,
				const struct attention_back *b, size_t first)
{
	const struct layer *l = &c->g->layers[i];
	const size_t rows = attention_rows(a, first), keys = first + rows, size = a->size;
	const size_t width = (size_t)l->os.c, in = (size_t)l->is.c;
	const float scale = 1.0f / sqrtf((float)size);
	const int add = b->add || keys < a->window;
	const float *dout = b->dout + first * width, *q = b->x + first * in;
	float d[TILE];

	tile_products(rows, keys, size, q, in, a->kt, a->window, a->p);
	tile_again(rows, keys, first, scale, b->lse + first, a->p);
	tile_dots(rows, size, dout, width, b->out + first * width, width, d);
	tile_products(rows, keys, size, dout, width, a->vt, a->window, a->dp);
	if (attention_drops(c, i)) {
		attention_mask(c, i, h, a, first, rows, keys);
		tile_multiply(rows * keys, a->mask, a->dp);
	}
	tile_slope(rows, keys, scale, a->p, d, a->dp);
	if (attention_drops(c, i))
		tile_multiply(rows * keys, a->mask, a->p);
	tile_spread(rows, keys, size, a->p, dout, width, add, b->dx + 2 * width, in);
	tile_spread(rows, keys, size, a->dp, q, in, add, b->dx + width, in);
	tile_mix(rows, keys, size, a->dp, b->x + width, in, b->add, b->dx + first * in, in);
}

static void attention_head_back(struct ob *c, int i, struct head h, const struct ob_part *part,
				const struct attention *a)
{
	const struct layer *l = &c->g->layers[i];
	const size_t width = (size_t)l->os.c, in = (size_t)l->is.c;
	const size_t at = attention_at(l, h, a), out = h.sample * a->window * width + h.k * a->size;
	const size_t last = (a->window - 1) / TILE * TILE;
	struct attention_back b = {
		.x = c->y[l->in[0]] + at, .out = c->y[i] + out, .dout = c->dy[i].whole + out,
		.lse = (float *)c->save[i] + (h.sample * (size_t)l->heads + h.k) * a->window,
	};

	b.dx = ob_dx(c, i, 0, part, &b.add) + at;
	tile_turn(a->window, a->size, b.x + width, in, a->kt);
	tile_turn(a->window, a->size, b.x + 2 * width, in, a->vt);
	for (size_t first = last + TILE; first >= TILE; first -= TILE)
		attention_tile_back(c, i, h, a, &b, first - TILE);
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

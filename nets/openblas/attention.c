/* attention.c - tiles, which all kinds of attention use, and causal attention. */
#include "nets/openblas/openblas.h"

#include "core/math/wide.h"
#include "nets/openblas/lanes/table.h"

#include <math.h>
#include <string.h>

enum { SIDE = 4, TURN = 16 };   /* of a block; keys at a time, whose rows are cached */

typedef float side __attribute__((vector_size(4 * SIDE)));
typedef float side_at __attribute__((vector_size(4 * SIDE), aligned(4), may_alias));

#ifdef __clang__
#define PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
typedef int32_t side_bits __attribute__((vector_size(4 * SIDE)));
#define PICK(a, b, ...) __builtin_shuffle(a, b, (side_bits){ __VA_ARGS__ })
#endif

/* Transposes a block of SIDE x SIDE; rows of `to` have `keys` floats. */
static inline void tile_turn_block(const float *from, size_t width, size_t keys, float *to)
{
	const side a = *(const side_at *)from, b = *(const side_at *)(from + width);
	const side c = *(const side_at *)(from + 2 * width);
	const side d = *(const side_at *)(from + 3 * width);
	const side ab = PICK(a, b, 0, 4, 1, 5), cd = PICK(c, d, 0, 4, 1, 5);
	const side ab2 = PICK(a, b, 2, 6, 3, 7), cd2 = PICK(c, d, 2, 6, 3, 7);

	*(side_at *)to = PICK(ab, cd, 0, 1, 4, 5);
	*(side_at *)(to + keys) = PICK(ab, cd, 2, 3, 6, 7);
	*(side_at *)(to + 2 * keys) = PICK(ab2, cd2, 0, 1, 4, 5);
	*(side_at *)(to + 3 * keys) = PICK(ab2, cd2, 2, 3, 6, 7);
}

/* Transposes rows first to end. */
static void tile_turn_rows(size_t first, size_t end, size_t keys, size_t size, const float *from,
			   size_t width, float *to)
{
	const size_t whole = size / SIDE * SIDE;
	size_t r = first;

	for (; r + SIDE <= end; r += SIDE)
		for (size_t k = 0; k < whole; k += SIDE)
			tile_turn_block(from + r * width + k, width, keys, to + k * keys + r);
	for (size_t k = 0; k < size; k++)
		for (size_t j = k < whole ? r : first; j < end; j++)
			to[k * keys + j] = from[j * width + k];
}

void tile_turn(size_t keys, size_t size, const float *from, size_t width, float *to)
{
	for (size_t first = 0; first < keys; first += TURN)
		tile_turn_rows(first, first + TURN < keys ? first + TURN : keys, keys, size, from,
			       width, to);
}

WIDE void tile_multiply(size_t n, const float *mask, float *p)
{
	for (size_t k = 0; k < n; k++)
		p[k] *= mask[k];
}

WIDE void tile_slope(size_t rows, size_t keys, float scale, const float *p,
				 const float *d, float *dp)
{
	for (size_t r = 0; r < rows; r++, p += keys, dp += keys)
		for (size_t k = 0; k < keys; k++)
			dp[k] = scale * (p[k] * (dp[k] - d[r]));
}

/* ---- causal attention ---- */

/*
 * Causal attention: y_i = sum over j <= i of P_ij v_j, P = softmax(s q k^T), s = 1 /
 * sqrt(size of a head).
 *
 * A task has some heads of some samples. A head's queries are processed TILE at a time, with all
 * keys up to their own: so at most TILE x window probabilities exist at a time. Forward keeps the
 * logarithm of each row's sum, from which backward computes the probabilities again. With D = dO .
 * O = sum of P dP in a row:
 *
 *     dS = s P (dP - D),  dP = dO v^T;  dq = dS k;  dk = dS^T q;  dv = P^T dO
 */

enum { ATTENTION_PANELS = 16 };

/*
 * The right factor of a tile's products: in f32 a matrix, with `apart` floats from row to row; in
 * bf16 packed, with `apart` pairs of rows.
 */
struct right {
	const float *at;
	size_t apart;
};

/*
 * Buffers of a head and of a tile, in the lane's cols. In f32 keys and values are transposed, and
 * read where they are. In bf16 they are packed both ways, and a tile's queries and dO too.
 */
struct attention {
	size_t window, size;
	const struct ob_packed *packed; /* NULL: in f32 */
	float *kt, *vt;         /* [size][window] */
	float *k, *v;           /* in bf16: [window][size] */
	float *q, *dout;        /* in bf16: [TILE][size] */
	float *p, *dp, *mask;   /* [TILE][window] */
	float *work;            /* in bf16: of products */
};

static const struct ob_packed *attention_packed(const struct ob *c)
{
	return c->products ? c->products->packed : NULL;
}

/* Sets the buffers from `at` on; returns their floats. */
static size_t attention_buffers(struct attention *a, float *at)
{
	const struct ob_packed *by = a->packed;
	const size_t half = (a->window + 1) / 2, tile = TILE * a->window;
	const size_t turned = by ? by->floats(a->window, (a->size + 1) / 2) : a->window * a->size;
	const size_t plain = by ? by->floats(a->size, half) : 0;
	const size_t rows = by ? by->floats(a->size, TILE / 2) : 0;
	const struct {
		float **to;
		size_t n;
	} all[] = {
		{ &a->kt, turned }, { &a->vt, turned }, { &a->k, plain }, { &a->v, plain },
		{ &a->q, rows }, { &a->dout, rows }, { &a->p, tile }, { &a->dp, tile },
		{ &a->mask, tile }, { &a->work, by ? by->work : 0 },
	};
	size_t n = 0;

	for (size_t k = 0; k < sizeof(all) / sizeof(*all); n += all[k++].n)
		*all[k].to = at ? at + n : NULL;
	return n;
}

static size_t attention_cols(const struct ob *c, const struct layer *l)
{
	struct attention a = {
		.window = (size_t)l->os.h * (size_t)l->os.w, .size = (size_t)(l->os.c / l->heads),
		.packed = attention_packed(c),
	};

	return attention_buffers(&a, NULL);
}

static struct attention attention_of(struct ob *c, int i, const struct ob_part *part)
{
	const struct layer *l = &c->g->layers[i];
	struct attention a = { .window = c->rows, .size = (size_t)(l->os.c / l->heads),
			       .packed = attention_packed(c) };

	attention_buffers(&a, ob_lane(c, part)->cols);
	return a;
}

/* The factor from^T of from[rows][size], made in `to`. */
static struct right attention_turn(const struct attention *a, size_t rows, const float *from,
				   size_t width, float *to)
{
	const size_t pairs = (a->size + 1) / 2;

	if (!a->packed) {
		tile_turn(rows, a->size, from, width, to);
		return (struct right){ to, rows };
	}
	a->packed->make(true, rows, a->size, from, width, pairs, to);
	return (struct right){ to, pairs };
}

/* The factor from[rows][size]; in bf16 it is packed in `to`. */
static struct right attention_keep(const struct attention *a, size_t rows, const float *from,
				   size_t width, float *to)
{
	if (!a->packed)
		return (struct right){ from, width };
	a->packed->make(false, a->size, rows, from, width, (rows + 1) / 2, to);
	return (struct right){ to, (rows + 1) / 2 };
}

/* tile_products(), tile_mix() and tile_spread(), or the same in bf16. */
static void attention_products(const struct attention *a, size_t rows, size_t keys, const float *x,
			       size_t ldx, struct right yt, float *c)
{
	if (a->packed)
		a->packed->multiply(&(struct ob_product){ .m = rows, .n = keys, .k = a->size,
			.a = x, .lda = ldx, .b = yt.at, .ldb = yt.apart, .c = c, .ldc = keys },
			a->work);
	else
		lanes_best()->products(rows, keys, a->size, x, ldx, yt.at, yt.apart, c);
}

static void attention_mix(const struct attention *a, size_t rows, size_t first, const float *p,
			  struct right y, bool add, float *c, size_t ldc)
{
	const size_t keys = first + rows;

	if (a->packed)
		a->packed->multiply(&(struct ob_product){ .m = rows, .n = a->size, .k = keys,
			.a = p, .lda = keys, .b = y.at, .ldb = y.apart, .beta = add ? 1.0f : 0.0f,
			.c = c, .ldc = ldc }, a->work);
	else
		lanes_best()->mix(rows, keys, first, a->size, p, y.at, y.apart, add, c, ldc);
}

static void attention_spread(const struct attention *a, size_t rows, size_t first, const float *p,
			     struct right x, bool add, float *c, size_t ldc)
{
	const size_t keys = first + rows;

	if (a->packed)
		a->packed->multiply(&(struct ob_product){ .ta = true, .m = keys, .n = a->size,
			.k = rows, .a = p, .lda = keys, .b = x.at, .ldb = x.apart,
			.beta = add ? 1.0f : 0.0f, .c = c, .ldc = ldc }, a->work);
	else
		lanes_best()->spread(rows, keys, first, a->size, p, x.at, x.apart, add, c, ldc);
}

static size_t attention_save(const struct layer *l, size_t n)
{
	return n * (size_t)(l->heads * l->os.h * l->os.w);
}

static int attention_panels(const struct layer *l)
{
	(void)l;
	return ATTENTION_PANELS;
}

/*
 * One head of one sample: offsets of its queries (keys and values: os.c further each), and of its
 * output.
 */
struct head {
	size_t sample, k;
	size_t x, y;
};

/* mask[rows][keys] of dropout; 0 after each query's own key. */
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
	const float *x = c->y[l->in[0]] + h.x;
	float *lse = (float *)c->save[i] + (h.sample * (size_t)l->heads + h.k) * a->window;
	float *y = c->y[i] + h.y;
	const struct right kt = attention_turn(a, a->window, x + width, in, a->kt);
	const struct right v = attention_keep(a, a->window, x + 2 * width, in, a->v);

	for (size_t first = 0; first < a->window; first += TILE) {
		const size_t rows = attention_rows(a, first), keys = first + rows;

		attention_products(a, rows, keys, x + first * in, in, kt, a->p);
		lanes_best()->softmax(rows, keys, first, scale, a->p, lse + first);
		if (ob_drops(c, i)) {
			attention_mask(c, i, h, a, first, rows, keys);
			tile_multiply(rows * keys, a->mask, a->p);
		}
		attention_mix(a, rows, first, a->p, v, false, y + first * width, width);
	}
}

/* Input and output of a head's backward pass, from the head's first column on. */
struct attention_back {
	const float *x, *out, *dout, *lse;      /* [window] rows of is.c, of os.c; lse [window] */
	float *dx;                              /* ... of is.c */
	bool add;                               /* dx already has terms */
	struct right kt, vt, k;                 /* keys and values */
};

/* Adds a tile's terms; the last tile, which has all keys, comes first and sets dk and dv. */
static void attention_tile_back(struct ob *c, int i, struct head h, const struct attention *a,
				const struct attention_back *b, size_t first)
{
	const struct layer *l = &c->g->layers[i];
	const size_t rows = attention_rows(a, first), keys = first + rows, size = a->size;
	const size_t width = (size_t)l->os.c, in = (size_t)l->is.c;
	const float scale = 1.0f / sqrtf((float)size);
	const bool add = b->add || keys < a->window;
	const float *dout = b->dout + first * width, *q = b->x + first * in;
	const struct right queries = attention_keep(a, rows, q, in, a->q);
	const struct right slopes = attention_keep(a, rows, dout, width, a->dout);
	float d[TILE];

	attention_products(a, rows, keys, q, in, b->kt, a->p);
	lanes_best()->again(rows, keys, first, scale, b->lse + first, a->p);
	lanes_best()->dots(rows, size, dout, width, b->out + first * width, width, d);
	attention_products(a, rows, keys, dout, width, b->vt, a->dp);
	if (ob_drops(c, i)) {
		attention_mask(c, i, h, a, first, rows, keys);
		tile_multiply(rows * keys, a->mask, a->dp);
	}
	tile_slope(rows, keys, scale, a->p, d, a->dp);
	if (ob_drops(c, i))
		tile_multiply(rows * keys, a->mask, a->p);
	attention_spread(a, rows, first, a->p, slopes, add, b->dx + 2 * width, in);
	attention_spread(a, rows, first, a->dp, queries, add, b->dx + width, in);
	attention_mix(a, rows, first, a->dp, b->k, b->add, b->dx + first * in, in);
}

static void attention_head_back(struct ob *c, int i, struct head h, const struct ob_part *part,
				const struct attention *a)
{
	const struct layer *l = &c->g->layers[i];
	const size_t width = (size_t)l->os.c, in = (size_t)l->is.c;
	const size_t last = (a->window - 1) / TILE * TILE;
	struct attention_back b = {
		.x = c->y[l->in[0]] + h.x, .out = c->y[i] + h.y, .dout = c->dy[i].whole + h.y,
		.lse = (float *)c->save[i] + (h.sample * (size_t)l->heads + h.k) * a->window,
	};

	b.dx = ob_dx(c, i, 0, part, &b.add) + h.x;
	b.kt = attention_turn(a, a->window, b.x + width, in, a->kt);
	b.vt = attention_turn(a, a->window, b.x + 2 * width, in, a->vt);
	b.k = attention_keep(a, a->window, b.x + width, in, a->k);
	for (size_t first = last + TILE; first >= TILE; first -= TILE)
		attention_tile_back(c, i, h, a, &b, first - TILE);
}

/* Calls forward or backward for the heads of a task: an equal part of all samples' heads. */
static void attention_each(struct ob *c, int i, const struct ob_part *p, bool back)
{
	const struct layer *l = &c->g->layers[i];
	const size_t heads = (size_t)l->heads;
	const struct ob_share all = ob_share(p, c->n * heads);
	const struct attention a = attention_of(c, i, p);

	for (size_t n = all.first; n < all.first + all.n; n++) {
		const size_t sample = n / heads, k = n % heads, row = sample * a.window;
		const struct head h = { sample, k, row * (size_t)l->is.c + k * a.size,
					row * (size_t)l->os.c + k * a.size };

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

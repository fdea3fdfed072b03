/*
 * relative.c - attention by distance with a memory (Transformer-XL).
 *
 * Query i of a window of T tokens has the keys of the m rows in memory and those of its window
 * up to its own, j = 0 .. m + i of K = m + T. With u and w of the head, and R_j = weight p(K-1-j),
 * p the code of a distance (sines, then cosines):
 *
 *     S_ij = ((q_i + u) k_j + (q_i + w) R_(j + T-1-i)) / sqrt(size of a head)
 *
 * A tile of queries is multiplied with the rows of R that it needs. Row i of the product, read
 * T-1-i columns further on, is the second term of row i of S (relative_add_shifted()). Keys and
 * values of the memory are made by the weights of the linear layer (`tied`) that made those of the
 * window: its weight[3 channels][width] has the rows of queries, keys, values.
 *
 * Stages: relative_gather() makes R and the keys and values of the memory, relative_heads()
 * computes the heads; backward, relative_heads_back() comes first, then relative_weights_back().
 */
#include "nets/openblas/openblas.h"

#include "core/math/wide.h"
#include "nets/openblas/lanes/table.h"

#include <math.h>
#include <string.h>

/* Sizes of a call. */
struct relative_size {
	size_t window, memory, keys;    /* T, m, K */
	size_t size, heads, channels;   /* channels of a head; heads; channels of all heads */
	size_t width;                   /* floats of a row in memory, and of a code */
};

/* Values kept for the whole batch from forward to backward, in c->save[i]. */
struct relative_kept {
	float *lse;             /* [n][heads][T] */
	float *codes;           /* [K][width] p(K-1-j), after dropout by position_rate */
	float *r, *dr;          /* [K][channels] R and its gradient */
	float *kv, *dkv;        /* [n][m][2][channels] keys and values of the memory; gradient */
};

/* Matrices of one head of one sample, and of one tile of its queries; in the lane's cols. */
struct relative {
	struct relative_size s;
	float *qu, *qw;         /* [T][size] q + u, q + w */
	float *k, *v, *r;       /* [K][size] keys, values, R */
	float *kt, *vt, *rt;    /* [size][K] their transposes */
	float *dout;            /* [T][size] gradient of the output */
	float *dk, *dv, *dr;    /* [K][size] */
	float *dqu, *dqw;       /* [TILE][size] */
	float *du, *dw;         /* [size] */
	/* [TILE][K] scores, then probabilities; (q + w) R, or dB; gradient of p; dropout */
	float *p, *b, *dp, *mask;
};

/* Queries of the tile that begins with `first`. */
static inline size_t relative_rows(const struct relative *a, size_t first)
{
	return a->s.window - first < TILE ? a->s.window - first : TILE;
}

/* The first row of r that a tile needs, T-1-i of its last query i. */
static inline size_t relative_from(const struct relative *a, size_t first, size_t rows)
{
	return a->s.window - first - rows;
}

/* A sample's rows in memory, [m][width]. */
static inline const float *relative_memory(const struct ob *c, int i, size_t sample)
{
	return c->carried.in + sample * c->g->carry.floats + c->g->layers[i].carried;
}

/* ---- sizes and offsets ---- */

static struct relative_size relative_size_of(const struct ob *c, int i)
{
	const struct layer *l = &c->g->layers[i];
	const size_t most = (size_t)l->memory, rows = c->carried.rows;
	const size_t memory = rows < most ? rows : most;

	return (struct relative_size){
		.window = c->rows, .memory = memory, .keys = memory + c->rows,
		.size = (size_t)(l->os.c / l->heads), .heads = (size_t)l->heads,
		.channels = (size_t)l->os.c, .width = (size_t)l->width,
	};
}

/* K for a full memory. */
static size_t relative_most_keys(const struct layer *l)
{
	return (size_t)l->memory + (size_t)l->is.h;
}

/* Floats of struct relative_kept for n samples. */
static size_t relative_save(const struct layer *l, size_t n)
{
	const size_t keys = relative_most_keys(l), channels = (size_t)l->os.c;

	return n * (size_t)l->heads * (size_t)l->is.h + keys * (size_t)l->width +
	       2 * keys * channels + 4 * n * (size_t)l->memory * channels;
}

static struct relative_kept relative_kept_of(const struct ob *c, int i)
{
	const struct relative_size s = relative_size_of(c, i);
	struct relative_kept k = { .lse = c->save[i] };

	k.codes = k.lse + c->n * s.heads * s.window;
	k.r = k.codes + s.keys * s.width;
	k.dr = k.r + s.keys * s.channels;
	k.kv = k.dr + s.keys * s.channels;
	k.dkv = k.kv + 2 * c->n * s.memory * s.channels;
	return k;
}

/* Floats of struct relative's matrices; the last term is relative_codes()'s mask. */
static size_t relative_cols(const struct ob *c, const struct layer *l)
{
	const size_t keys = relative_most_keys(l), window = (size_t)l->is.h;
	const size_t size = (size_t)(l->os.c / l->heads);

	(void)c;
	return (3 * window + 9 * keys + 2 * TILE + 2) * size + 4 * TILE * keys +
	       (size_t)l->width;
}

static struct relative relative_of(struct ob *c, int i, const struct ob_part *part)
{
	struct relative a = { .s = relative_size_of(c, i) };
	const size_t window = a.s.window * a.s.size, keys = a.s.keys * a.s.size;
	const size_t rows = TILE * a.s.size, tile = TILE * a.s.keys;
	float *at = ob_lane(c, part)->cols;
	const struct {
		float **to;
		size_t n;
	} all[] = {
		{ &a.qu, window }, { &a.qw, window }, { &a.dout, window }, { &a.k, keys },
		{ &a.v, keys }, { &a.r, keys }, { &a.kt, keys }, { &a.vt, keys }, { &a.rt, keys },
		{ &a.dk, keys }, { &a.dv, keys }, { &a.dr, keys }, { &a.dqu, rows },
		{ &a.dqw, rows }, { &a.du, a.s.size }, { &a.dw, a.s.size }, { &a.p, tile },
		{ &a.b, tile }, { &a.dp, tile }, { &a.mask, tile },
	};

	for (size_t k = 0; k < sizeof(all) / sizeof(*all); at += all[k++].n)
		*all[k].to = at;
	return a;
}

static int relative_panels(const struct layer *l)
{
	return l->heads;
}

/* ---- before the heads: R, keys and values of the memory ---- */

/* code[width] <- sines, then cosines, of t 10000^(-2k / width). */
static void relative_code(size_t width, double t, float *code)
{
	for (size_t k = 0; k < width / 2; k++) {
		const double w = t * pow(10000.0, -2.0 * (double)k / (double)width);

		code[k] = (float)sin(w);
		code[width / 2 + k] = (float)cos(w);
	}
}

/* Rows of the codes of distances, and of R, their product with the layer's own weights. */
static void relative_codes(struct ob *c, int i, const struct ob_part *part, struct ob_share rows)
{
	const struct layer *l = &c->g->layers[i];
	const struct relative_size s = relative_size_of(c, i);
	const struct relative_kept kept = relative_kept_of(c, i);
	const size_t clamp = c->pass == PASS_EVAL ? (size_t)l->test_clamp : 0;
	float *mask = ob_lane(c, part)->cols;

	for (size_t j = rows.first; j < rows.first + rows.n; j++) {
		const size_t distance = s.keys - 1 - j;
		float *code = kept.codes + j * s.width;

		relative_code(s.width, (double)(clamp && distance > clamp ? clamp : distance),
			      code);
		/* all such layers drop the same values, those of the first, for all samples */
		if (c->pass == PASS_TRAIN && c->use && l->position_rate > 0.0) {
			dropout_units(distance * s.width, s.width, l->position_rate, c->seed,
				      (uint32_t)l->first, c->use[0], mask);
			tile_multiply(s.width, mask, code);
		}
	}
	ob_multiply(c, part, false, true, rows.n, s.channels, s.width,
		    kept.codes + rows.first * s.width, s.width, c->x + l->weight, s.width, 0.0f,
		    kept.r + rows.first * s.channels, s.channels);
}

/* A sample's memory for the next call: the last `memory` rows of its memory and its window. */
static void relative_carry(struct ob *c, int i, size_t sample)
{
	const struct layer *l = &c->g->layers[i];
	const struct relative_size s = relative_size_of(c, i);
	const size_t most = (size_t)l->memory, left = s.keys < most ? s.keys : most;
	const size_t window = s.window < left ? s.window : left, old = left - window;
	const float *x = c->y[l->in[1]] + sample * s.window * s.width;
	float *out = c->carried.out + sample * c->g->carry.floats + l->carried;

	if (old)
		memcpy(out, relative_memory(c, i, sample) + (s.memory - old) * s.width,
		       old * s.width * sizeof(*out));
	memcpy(out + old * s.width, x + (s.window - window) * s.width,
	       window * s.width * sizeof(*out));
}

/* Computes R, the keys and values of the samples' memory, and their memory for the next call. */
static void relative_gather(struct ob *c, int i, const struct ob_part *part)
{
	const struct layer *l = &c->g->layers[i];
	const struct relative_size s = relative_size_of(c, i);
	const struct ob_share samples = ob_share(part, c->n);
	/* the linear layer's rows of keys and values, which follow those of queries */
	const float *weight = c->x + c->g->layers[l->tied].weight + s.channels * s.width;

	relative_codes(c, i, part, ob_share(part, s.keys));
	for (size_t k = samples.first; k < samples.first + samples.n; k++) {
		if (s.memory)
			ob_multiply(c, part, false, true, s.memory, 2 * s.channels, s.width,
				    relative_memory(c, i, k), s.width, weight, s.width, 0.0f,
				    relative_kept_of(c, i).kv + k * s.memory * 2 * s.channels,
				    2 * s.channels);
		if (c->carried.out)
			relative_carry(c, i, k);
	}
}

/* ---- forward: heads ---- */

/* to[rows][size] <- from, whose rows are `width` floats apart */
WIDE static void relative_take(size_t rows, size_t size, const float *from, size_t width, float *to)
{
	for (size_t r = 0; r < rows; r++)
		for (size_t k = 0; k < size; k++)
			to[r * size + k] = from[r * width + k];
}

/* to[rows][size] <- from + bias[size], as relative_take() */
WIDE static void relative_take_plus(size_t rows, size_t size, const float *from, size_t width,
				    const float *bias, float *to)
{
	for (size_t r = 0; r < rows; r++)
		for (size_t k = 0; k < size; k++)
			to[r * size + k] = from[r * width + k] + bias[k];
}

/* a->r, a->rt <- a head's columns of R. */
static void relative_load_codes(const struct ob *c, int i, const struct relative *a, size_t head)
{
	const struct relative_size s = a->s;

	relative_take(s.keys, s.size, relative_kept_of(c, i).r + head * s.size, s.channels, a->r);
	tile_turn(s.keys, s.size, a->r, s.size, a->rt);
}

/* a's q + u, q + w, k, v and kt <- those of a head of a sample. */
static void relative_load(const struct ob *c, int i, const struct relative *a, size_t head,
		   size_t sample)
{
	const struct layer *l = &c->g->layers[i];
	const struct relative_size s = a->s;
	const size_t own = s.memory * s.size;
	const float *u = c->x + l->beta + head * s.size;
	const float *x = c->y[l->in[0]] + sample * s.window * 3 * s.channels + head * s.size;
	const float *kv = relative_kept_of(c, i).kv + sample * s.memory * 2 * s.channels +
			  head * s.size;

	relative_take_plus(s.window, s.size, x, 3 * s.channels, u, a->qu);
	relative_take_plus(s.window, s.size, x, 3 * s.channels, u + s.channels, a->qw);
	relative_take(s.memory, s.size, kv, 2 * s.channels, a->k);
	relative_take(s.memory, s.size, kv + s.channels, 2 * s.channels, a->v);
	relative_take(s.window, s.size, x + s.channels, 3 * s.channels, a->k + own);
	relative_take(s.window, s.size, x + 2 * s.channels, 3 * s.channels, a->v + own);
	tile_turn(s.keys, s.size, a->k, s.size, a->kt);
}

/* p[r][j] += b[r][j + rows - 1 - r], for the keys j of query r: adds the second term of S. */
WIDE static void relative_add_shifted(size_t rows, size_t keys, const float *b, float *p)
{
	for (size_t r = 0; r < rows; r++, p += keys, b += keys)
		for (size_t j = 0; j < keys - (rows - 1 - r); j++)
			p[j] += b[j + rows - 1 - r];
}

/* In evaluation with test_same_length: p <- -1e30 for keys `memory` tokens away or more. */
static void relative_hide_far(const struct ob *c, const struct layer *l, const struct relative *a,
			    size_t first, size_t rows)
{
	const size_t keys = a->s.memory + first + rows, most = (size_t)l->memory;

	if (c->pass != PASS_EVAL || !l->test_same_length)
		return;
	for (size_t r = 0; r < rows; r++)
		for (size_t j = 0; j + most <= a->s.memory + first + r; j++)
			a->p[r * keys + j] = -1e30f;
}

/* a->p[rows][keys] <- sqrt(size) S of a tile. */
static void relative_scores(const struct ob *c, int i, const struct relative *a, size_t first,
		     size_t rows)
{
	const struct relative_size s = a->s;
	const size_t keys = s.memory + first + rows;

	lanes_best()->products(rows, keys, s.size, a->qu + first * s.size, s.size, a->kt, s.keys,
			       a->p);
	lanes_best()->products(rows, keys, s.size, a->qw + first * s.size, s.size,
			       a->rt + relative_from(a, first, rows), s.keys, a->b);
	relative_add_shifted(rows, keys, a->b, a->p);
	relative_hide_far(c, &c->g->layers[i], a, first, rows);
}

/* a->mask <- the dropout of a tile's probabilities: call it if there is one. */
static void relative_mask(const struct ob *c, int i, const struct relative *a, size_t head,
		   size_t sample, size_t first, size_t rows)
{
	const struct layer *l = &c->g->layers[i];
	const size_t own = a->s.memory + first + 1, keys = a->s.memory + first + rows;

	memset(a->mask, 0, rows * keys * sizeof(*a->mask));
	for (size_t r = 0; r < rows; r++)
		dropout_units(0, own + r, l->rate, c->seed,
			      attention_address(l, i, (int)head, (int)(first + r)),
			      c->use[sample], a->mask + r * keys);
}

/* y of one head of one sample. */
static void relative_head(struct ob *c, int i, const struct relative *a, size_t head,
			  size_t sample)
{
	const struct relative_size s = a->s;
	const float scale = 1.0f / sqrtf((float)s.size);
	float *lse = relative_kept_of(c, i).lse + (sample * s.heads + head) * s.window;
	float *y = c->y[i] + sample * s.window * s.channels + head * s.size;

	relative_load(c, i, a, head, sample);
	for (size_t first = 0; first < s.window; first += TILE) {
		const size_t rows = relative_rows(a, first), keys = s.memory + first + rows;

		relative_scores(c, i, a, first, rows);
		lanes_best()->softmax(rows, keys, s.memory + first, scale, a->p, lse + first);
		if (ob_drops(c, i)) {
			relative_mask(c, i, a, head, sample, first, rows);
			tile_multiply(rows * keys, a->mask, a->p);
		}
		lanes_best()->mix(rows, keys, s.memory + first, s.size, a->p, a->v, s.size, false,
				  y + first * s.channels, s.channels);
	}
}

static void relative_heads(struct ob *c, int i, const struct ob_part *part)
{
	const struct relative a = relative_of(c, i, part);
	const struct ob_share heads = ob_share(part, a.s.heads);

	for (size_t h = heads.first; h < heads.first + heads.n; h++) {
		relative_load_codes(c, i, &a, h);
		for (size_t k = 0; k < c->n; k++)
			relative_head(c, i, &a, h, k);
	}
}

/* ---- backward: heads ---- */

/*
 * With dS the gradient of S (tile_slope()) and dB its rows moved back, dB_i(j + T-1-i) = dS_ij:
 *
 *     d(q + u) = dS k;  d(q + w) = dB R;  dk = dS^T (q + u);  dv = P^T dO;  dR = dB^T (q + w)
 *
 * dq is the sum of both, du and dw are sums over rows. Rows of the memory have no gradient, but
 * their keys and values have, for the weights. A task has one head of all samples, in their order.
 */

/* b[r][j + rows - 1 - r] <- p[r][j], and 0 before: the reverse of relative_add_shifted(). */
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

/* to <- (add: +=) x[rows][size], with rows `width` floats apart: the reverse of relative_take(). */
WIDE static void relative_put(size_t rows, size_t size, const float *x, bool add, size_t width,
			      float *to)
{
	for (size_t r = 0; r < rows; r++, x += size, to += width)
		for (size_t k = 0; k < size; k++)
			to[k] = add ? to[k] + x[k] : x[k];
}

/* One head of a sample: its input and output in backward. */
struct head_view {
	size_t head, sample;
	const float *lse;       /* [T] */
	const float *out;       /* [T] rows of `channels` floats */
	float *dx;              /* [T] rows of 3 `channels`: queries, keys, values */
	bool add;               /* dx already has terms */
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
	lanes_best()->again(rows, keys, s.memory + first, scale, at->lse + first, a->p);
	lanes_best()->dots(rows, s.size, dout, s.size, at->out + first * s.channels, s.channels, d);
	lanes_best()->products(rows, keys, s.size, dout, s.size, a->vt, s.keys, a->dp);
	if (ob_drops(c, i)) {
		relative_mask(c, i, a, at->head, at->sample, first, rows);
		tile_multiply(rows * keys, a->mask, a->dp);
	}
	tile_slope(rows, keys, scale, a->p, d, a->dp);
	if (ob_drops(c, i))
		tile_multiply(rows * keys, a->mask, a->p);
}

/* Adds a tile's terms; the last tile, which has all keys, comes first and sets dk and dv. */
static void relative_tile_back(struct ob *c, int i, const struct relative *a,
			       const struct head_view *at, size_t first)
{
	const struct relative_size s = a->s;
	const size_t rows = relative_rows(a, first), own = s.memory + first, keys = own + rows;
	const size_t from = relative_from(a, first, rows) * s.size;
	const bool add = keys < s.keys;  /* not the last tile */
	const struct lanes_table *t = lanes_best();
	float *dq = at->dx + first * 3 * s.channels;

	relative_slopes(c, i, a, at, first, rows);
	t->spread(rows, keys, own, s.size, a->p, a->dout + first * s.size, s.size, add, a->dv,
		  s.size);
	t->spread(rows, keys, own, s.size, a->dp, a->qu + first * s.size, s.size, add, a->dk,
		  s.size);
	t->mix(rows, keys, own, s.size, a->dp, a->k, s.size, false, a->dqu, s.size);
	relative_unshift(rows, keys, a->dp, a->b);
	t->spread(rows, keys, keys, s.size, a->b, a->qw + first * s.size, s.size, true,
		  a->dr + from, s.size);
	t->mix(rows, keys, keys, s.size, a->b, a->r + from, s.size, false, a->dqw, s.size);
	relative_sum(rows, s.size, a->dqu, a->du);
	relative_sum(rows, s.size, a->dqw, a->dw);
	relative_put(rows, s.size, a->dqu, at->add, 3 * s.channels, dq);
	relative_put(rows, s.size, a->dqw, true, 3 * s.channels, dq);
}

/* Stores the gradients of keys and values: of the memory in dkv, of the window in dx. */
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

/* One head of one sample; its tiles from the last to the first. */
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

static void relative_heads_back(struct ob *c, int i, const struct ob_part *part)
{
	const struct relative a = relative_of(c, i, part);
	const struct relative_size s = a.s;
	const struct ob_share heads = ob_share(part, s.heads);
	const size_t beta = c->g->layers[i].beta;
	bool add = false;

	/* backward begins with the last layer: later layers that share u and w have added theirs */
	for (int k = i + 1; k < c->g->n; k++)
		add |= c->g->layers[k].kind == LAYER_RELATIVE && c->g->layers[k].beta == beta;
	for (size_t h = heads.first; h < heads.first + heads.n; h++) {
		float *du = c->grad + beta + h * s.size;

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

/* ---- backward: weights ---- */

/* Gradients of the layer's own weights, and the memory's part of the linear layer's. */
static void relative_weights_back(struct ob *c, int i, const struct ob_part *part)
{
	const struct layer *l = &c->g->layers[i];
	const struct relative_size s = relative_size_of(c, i);
	const struct relative_kept kept = relative_kept_of(c, i);
	const struct ob_share rows = ob_share(part, s.channels);

	ob_multiply(c, part, true, false, rows.n, s.width, s.keys, kept.dr + rows.first, s.channels,
		    kept.codes, s.width, 0.0f, c->grad + l->weight + rows.first * s.width, s.width);
	/*
	 * Thirds of the linear layer's rows: queries, which have no part (0), keys, values. Its own
	 * backward, which runs later, adds the window's part.
	 */
	for (size_t third = 0; third < 3; third++) {
		const size_t first = third * s.channels + rows.first;
		float *grad = c->grad + c->g->layers[l->tied].weight + first * s.width;

		memset(grad, 0, rows.n * s.width * sizeof(*grad));
		for (size_t k = 0; k < c->n && s.memory && third; k++)
			ob_multiply(c, part, true, false, rows.n, s.width, s.memory,
				    kept.dkv + k * s.memory * 2 * s.channels + first - s.channels,
				    2 * s.channels, relative_memory(c, i, k), s.width, 1.0f, grad,
				    s.width);
	}
}

const struct ob_op ob_relative = {
	.save = relative_save, .cols = relative_cols, .panels = relative_panels,
	.gather = relative_gather, .forward = relative_heads,
	.gather_back = relative_heads_back, .backward = relative_weights_back,
	.reads_output = true,
};

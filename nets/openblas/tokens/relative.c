/*
 * relative.c - attention by distance with a memory, forward; see relative.h.
 *
 * Two stages whose tasks are heads: codes of distances, keys and values of the memory, and the
 * memory that is left; then the heads themselves, each of all samples.
 */
#include "nets/openblas/tokens/relative.h"

#include "core/math/wide.h"

#include <math.h>
#include <string.h>

/* ---- sizes and offsets ---- */

struct relative_size relative_size_of(const struct ob *c, int i)
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

static size_t relative_most_keys(const struct layer *l)
{
	return (size_t)l->memory + (size_t)l->is.h;
}

static size_t relative_save(const struct layer *l, size_t n)
{
	const size_t keys = relative_most_keys(l), channels = (size_t)l->os.c;

	return n * (size_t)l->heads * (size_t)l->is.h + keys * (size_t)l->width +
	       2 * keys * channels + 4 * n * (size_t)l->memory * channels;
}

struct relative_kept relative_kept_of(const struct ob *c, int i)
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

static size_t relative_cols(const struct layer *l)
{
	const size_t keys = relative_most_keys(l), window = (size_t)l->is.h;
	const size_t size = (size_t)(l->os.c / l->heads);

	return (3 * window + 9 * keys + 2 * TILE + 2) * size + 4 * TILE * keys +
	       (size_t)l->width;
}

struct relative relative_of(struct ob *c, int i, const struct ob_part *part)
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

/* ---- before the heads ---- */

/* A task's share of `all`. */
struct share {
	size_t first, n;
};

static struct share relative_share(const struct ob_part *p, size_t all)
{
	const size_t k = (size_t)p->k, of = (size_t)p->of, first = all * k / of;

	return (struct share){ first, all * (k + 1) / of - first };
}

/* code[width] <- sines, then cosines, of t 10000^(-2k / width). */
static void relative_code(size_t width, double t, float *code)
{
	for (size_t k = 0; k < width / 2; k++) {
		const double w = t * pow(10000.0, -2.0 * (double)k / (double)width);

		code[k] = (float)sin(w);
		code[width / 2 + k] = (float)cos(w);
	}
}

/* All layers of the kind drop the same values, and all samples of a call. */
static void relative_drop_code(const struct ob *c, const struct layer *l, size_t distance,
			       float *mask, float *code)
{
	const size_t width = (size_t)l->width;

	dropout_units(distance * width, width, l->position_rate, c->seed, (uint32_t)l->first,
		      c->use[0], mask);
	tile_multiply(width, mask, code);
}

static void relative_codes(struct ob *c, int i, const struct ob_part *part, struct share rows)
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
		if (c->pass == PASS_TRAIN && c->use && l->position_rate > 0.0)
			relative_drop_code(c, l, distance, mask, code);
	}
	ob_multiply(c, part, false, true, rows.n, s.channels, s.width,
		    kept.codes + rows.first * s.width, s.width, c->x + l->weight, s.width, 0.0f,
		    kept.r + rows.first * s.channels, s.channels);
}

/* Keys and values of what a sample keeps. */
static void relative_recall(struct ob *c, int i, const struct ob_part *part, size_t sample)
{
	const struct layer *l = &c->g->layers[i];
	const struct relative_size s = relative_size_of(c, i);
	const float *weight = c->x + c->g->layers[l->tied].weight + s.channels * s.width;
	float *kv = relative_kept_of(c, i).kv + sample * s.memory * 2 * s.channels;

	if (s.memory)
		ob_multiply(c, part, false, true, s.memory, 2 * s.channels, s.width,
			    relative_memory(c, i, sample), s.width, weight, s.width, 0.0f, kv,
			    2 * s.channels);
}

/* The last `memory` rows of what the sample kept and of its window. */
static void relative_leave(struct ob *c, int i, size_t sample)
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

static void relative_gather(struct ob *c, int i, const struct ob_part *part)
{
	const struct share samples = relative_share(part, c->n);

	relative_codes(c, i, part, relative_share(part, relative_size_of(c, i).keys));
	for (size_t k = samples.first; k < samples.first + samples.n; k++) {
		relative_recall(c, i, part, k);
		if (c->carried.out)
			relative_leave(c, i, k);
	}
}

/* ---- a head ---- */

WIDE static void relative_take(size_t rows, size_t size, const float *from, size_t width, float *to)
{
	for (size_t r = 0; r < rows; r++)
		for (size_t k = 0; k < size; k++)
			to[r * size + k] = from[r * width + k];
}

/* to[rows][size] <- from + bias[size] */
WIDE static void relative_shift(size_t rows, size_t size, const float *from, size_t width,
			   const float *bias, float *to)
{
	for (size_t r = 0; r < rows; r++)
		for (size_t k = 0; k < size; k++)
			to[r * size + k] = from[r * width + k] + bias[k];
}

void relative_load_codes(const struct ob *c, int i, const struct relative *a, size_t head)
{
	const struct relative_size s = a->s;

	relative_take(s.keys, s.size, relative_kept_of(c, i).r + head * s.size, s.channels, a->r);
	tile_turn(s.keys, s.size, a->r, s.size, a->rt);
}

void relative_load(const struct ob *c, int i, const struct relative *a, size_t head,
		   size_t sample)
{
	const struct layer *l = &c->g->layers[i];
	const struct relative_size s = a->s;
	const size_t own = s.memory * s.size;
	const float *u = c->x + l->beta + head * s.size;
	const float *x = c->y[l->in[0]] + sample * s.window * 3 * s.channels + head * s.size;
	const float *kv = relative_kept_of(c, i).kv + sample * s.memory * 2 * s.channels +
			  head * s.size;

	relative_shift(s.window, s.size, x, 3 * s.channels, u, a->qu);
	relative_shift(s.window, s.size, x, 3 * s.channels, u + s.channels, a->qw);
	relative_take(s.memory, s.size, kv, 2 * s.channels, a->k);
	relative_take(s.memory, s.size, kv + s.channels, 2 * s.channels, a->v);
	relative_take(s.window, s.size, x + s.channels, 3 * s.channels, a->k + own);
	relative_take(s.window, s.size, x + 2 * s.channels, 3 * s.channels, a->v + own);
	tile_turn(s.keys, s.size, a->k, s.size, a->kt);
}

/* p[r][j] += b[r][j + rows - 1 - r], as far as the query's keys go. */
WIDE static void relative_add_shifted(size_t rows, size_t keys, const float *b, float *p)
{
	for (size_t r = 0; r < rows; r++, p += keys, b += keys)
		for (size_t j = 0; j < keys - (rows - 1 - r); j++)
			p[j] += b[j + rows - 1 - r];
}

/* In evaluation with test_same_length, keys `memory` tokens away or further are no keys. */
static void relative_forget(const struct ob *c, const struct layer *l, const struct relative *a,
			    size_t first, size_t rows)
{
	const size_t keys = a->s.memory + first + rows, most = (size_t)l->memory;

	if (c->pass != PASS_EVAL || !l->test_same_length)
		return;
	for (size_t r = 0; r < rows; r++)
		for (size_t j = 0; j + most <= a->s.memory + first + r; j++)
			a->p[r * keys + j] = -1e30f;
}

void relative_scores(const struct ob *c, int i, const struct relative *a, size_t first,
		     size_t rows)
{
	const struct relative_size s = a->s;
	const size_t keys = s.memory + first + rows;

	tile_products(rows, keys, s.size, a->qu + first * s.size, s.size, a->kt, s.keys, a->p);
	tile_products(rows, keys, s.size, a->qw + first * s.size, s.size,
		      a->rt + relative_from(a, first, rows), s.keys, a->b);
	relative_add_shifted(rows, keys, a->b, a->p);
	relative_forget(c, &c->g->layers[i], a, first, rows);
}

bool relative_drops(const struct ob *c, int i)
{
	return c->pass == PASS_TRAIN && c->use && c->g->layers[i].rate > 0.0;
}

void relative_mask(const struct ob *c, int i, const struct relative *a, size_t head,
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
		tile_softmax(rows, keys, s.memory + first, scale, a->p, lse + first);
		if (relative_drops(c, i)) {
			relative_mask(c, i, a, head, sample, first, rows);
			tile_multiply(rows * keys, a->mask, a->p);
		}
		tile_mix(rows, keys, s.size, a->p, a->v, s.size, 0, y + first * s.channels,
			 s.channels);
	}
}

static void relative_heads(struct ob *c, int i, const struct ob_part *part)
{
	const struct relative a = relative_of(c, i, part);
	const struct share heads = relative_share(part, a.s.heads);

	for (size_t h = heads.first; h < heads.first + heads.n; h++) {
		relative_load_codes(c, i, &a, h);
		for (size_t k = 0; k < c->n; k++)
			relative_head(c, i, &a, h, k);
	}
}

const struct ob_op ob_relative = {
	.save = relative_save, .cols = relative_cols, .panels = relative_panels,
	.gather = relative_gather, .forward = relative_heads,
	.gather_back = relative_heads_back, .backward = relative_weights_back,
	.reads_output = true,
};

/* Fetches samples of a data set: normalised, shifted within their padding, mirrored. */
#include "core/samples/dataset.h"

#include "core/base/mem.h"
#include "core/math/rng.h"

#include <stdlib.h>
#include <string.h>

enum { DATASET_LEVELS = 256 };

/* Shift and flip of one sample: source pixel = target pixel + (dy, dx), mirrored. */
struct view {
	int dy, dx;
	bool mirror;
};

/* level[channels][LEVELS] <- normalised value of each possible byte. */
static void fill_levels(const struct dataset *ds, float *mean, float *dev, float *level)
{
	ds->type->moments(ds, mean, dev);
	for (int c = 0; c < ds->channels; c++)
		for (int v = 0; v < DATASET_LEVELS; v++)
			level[c * DATASET_LEVELS + v] = ((float)v / 255.0f - mean[c]) / dev[c];
}

static int dataset_shift(struct rng *r, int pad)
{
	return pad ? (int)rng_below(r, 2 * (uint64_t)pad + 1) - pad : 0;
}

static struct view draw_view(const struct dataset *ds, uint64_t seed, uint64_t use)
{
	struct rng r;
	struct view v;

	rng_at(&r, seed, RNG_AUGMENT, 0, use);
	v.mirror = (rng_u32(&r) & 1) && ds->flip;
	v.dy = dataset_shift(&r, ds->pad);
	v.dx = dataset_shift(&r, ds->pad);
	return v;
}

/* Writes one pixel of c channels. */
static inline void lay_pixel(int c, const uint8_t *from, const float *level, float *to)
{
	for (int k = 0; k < c; k++)
		to[k] = level[k * DATASET_LEVELS + from[k]];
}

/* Copies columns [begin, end) of a row from the picture, and sets the others to 0. */
static inline void lay_row(int c, int width, struct view v, const uint8_t *row,
			   const float *level, float *out)
{
	int begin = v.dx < 0 ? -v.dx : 0, end = v.dx > 0 ? width - v.dx : width;

	memset(out, 0, (size_t)(width * c) * sizeof *out);
	for (int x = begin; x < end; x++) {
		int to = v.mirror ? width - 1 - x : x;
		lay_pixel(c, row + (x + v.dx) * c, level, out + to * c);
	}
}

static void lay_sample(const struct dataset *ds, struct view v, const uint8_t *pixels,
		       const float *level, float *out)
{
	const int w = ds->width, c = ds->channels;

	for (int y = 0; y < ds->height; y++, out += w * c) {
		int from = y + v.dy;
		if (from < 0 || from >= ds->height)
			memset(out, 0, (size_t)(w * c) * sizeof *out);
		else if (c == 3)        /* lets the compiler unroll the usual case */
			lay_row(3, w, v, pixels + from * w * 3, level, out);
		else
			lay_row(c, w, v, pixels + from * w * c, level, out);
	}
}

/* Table [channels][LEVELS] of fill_levels(); the caller frees. */
static float *make_levels(const struct dataset *ds)
{
	const size_t c = (size_t)ds->channels;
	float *level = vec_new(c * (DATASET_LEVELS + 2)), *mean = level + c * DATASET_LEVELS;

	fill_levels(ds, mean, mean + c, level);
	return level;
}

size_t dataset_sample_bytes(const struct dataset *ds)
{
	return (size_t)ds->height * (size_t)ds->width * (size_t)ds->channels;
}

int dataset_view(const struct dataset *ds, enum split split, const struct batch *b, size_t i,
		 uint8_t *pixels, int32_t *label)
{
	struct rng r;

	if (b->use)
		rng_at(&r, b->seed, RNG_AUGMENT, 0, b->use[i]);
	return ds->type->view(ds, split, b->sample[i],
			      b->use && split == SPLIT_TRAIN ? &r : NULL, pixels, label);
}

void dataset_normalise(const struct dataset *ds, size_t n, const uint8_t *pixels, float *images)
{
	const size_t size = dataset_sample_bytes(ds);
	float *level = make_levels(ds);

	for (size_t i = 0; i < n; i++)
		lay_sample(ds, (struct view){ 0 }, pixels + i * size, level, images + i * size);
	free(level);
}

static void fetch_windows(const struct dataset *ds, enum split split, const struct batch *b,
			  float *tokens, int32_t *labels)
{
	const size_t window = (size_t)ds->height;

	for (size_t i = 0; i < b->n; i++) {
		struct rng r;

		if (b->use)
			rng_at(&r, b->seed, RNG_AUGMENT, 0, b->use[i]);
		ds->type->window(ds, split, b->sample[i],
				 b->use && split == SPLIT_TRAIN ? &r : NULL, tokens + i * window,
				 labels + i * window);
	}
}

static void fetch_vectors(const struct dataset *ds, enum split split, const struct batch *b,
			  float *numbers, int32_t *labels)
{
	const size_t size = dataset_sample_bytes(ds);

	for (size_t i = 0; i < b->n; i++)
		ds->type->vector(ds, split, b->sample[i], numbers + i * size, &labels[i]);
}

int dataset_fetch(const struct dataset *ds, enum split split, const struct batch *b,
		  float *images, int32_t *labels)
{
	const size_t size = dataset_sample_bytes(ds);
	const bool augment = b->use && split == SPLIT_TRAIN && (ds->pad || ds->flip);
	float *level;
	uint8_t *pixels;
	int ret = 0;

	if (ds->tokens) {
		fetch_windows(ds, split, b, images, labels);
		return 0;
	}
	if (ds->type->vector) {
		fetch_vectors(ds, split, b, images, labels);
		return 0;
	}
	level = make_levels(ds);
	pixels = xcalloc(size, 1);
	for (size_t i = 0; i < b->n && ret == 0; i++) {
		struct view v = { 0 };
		if (augment)
			v = draw_view(ds, b->seed, b->use[i]);
		if (ds->type->view)
			ret = dataset_view(ds, split, b, i, pixels, &labels[i]);
		else
			ds->type->sample(ds, split, b->sample[i], pixels, &labels[i]);
		lay_sample(ds, v, pixels, level, images + i * size);
	}
	free(pixels);
	free(level);
	return ret;
}

int dataset_shape(const struct dataset_type *type, const void *conf, struct dataset_shape *shape)
{
	*shape = (struct dataset_shape){ type->height, type->width, type->channels,
					 type->classes, type->tokens };
	return type->shape ? type->shape(conf, shape) : 0;
}

int dataset_count(const struct dataset_type *type, const void *conf, int64_t n[2])
{
	return type->count ? type->count(conf, n) : 1;
}

int dataset_look(const struct dataset_type *type, const void *conf)
{
	return type->look ? type->look(conf) : 0;
}

int dataset_complete(const struct dataset_type *type, void *conf)
{
	return type->complete ? type->complete(conf) : 0;
}

uint64_t dataset_contents(const struct dataset_type *type, const void *conf)
{
	return type->contents ? type->contents(conf) : 0;
}

int dataset_parts(const struct dataset *ds, int workers, struct sample_part *part)
{
	return ds && ds->type->parts ? ds->type->parts(ds, workers, part) : 1;
}

void dataset_close(struct dataset *ds)
{
	if (!ds)
		return;
	ds->type->close(ds);
	free(ds->path);
	free(ds);
}

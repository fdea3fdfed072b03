/* Fetches samples of a data set: images normalised, cropped and mirrored; tokens; vectors. */
#include "core/samples/dataset.h"

#include "core/base/mem.h"
#include "core/math/rng.h"

#include <stdlib.h>

enum { DATASET_LEVELS = 256 };

/* [channels][DATASET_LEVELS] the normalised value of each possible byte; the caller frees. */
static float *make_levels(const struct dataset *ds)
{
	const size_t c = (size_t)ds->channels;
	float *level = vec_new(c * (DATASET_LEVELS + 2));
	float *mean = level + c * DATASET_LEVELS, *dev = mean + c;      /* [channels] each */

	ds->type->moments(ds, mean, dev);
	for (size_t k = 0; k < c; k++)
		for (size_t v = 0; v < DATASET_LEVELS; v++)
			level[k * DATASET_LEVELS + v] = ((float)v / 255.0f - mean[k]) / dev[k];
	return level;
}

/*
 * Random crop and flip of one sample: pixel (y, x) of the crop is the picture's (y + dy, x + dx), 0
 * outside of the picture; then the columns are mirrored.
 */
struct shift {
	int dy, dx;
	bool mirror;
};

static int draw_offset(struct rng *r, int pad)
{
	return pad ? (int)rng_below(r, 2 * (uint64_t)pad + 1) - pad : 0;
}

static struct shift draw_shift(const struct dataset *ds, uint64_t seed, uint64_t use)
{
	struct rng r;
	struct shift s;

	rng_at(&r, seed, RNG_AUGMENT, 0, use);
	s.mirror = (rng_u32(&r) & 1) && ds->flip;
	s.dy = draw_offset(&r, ds->pad);
	s.dx = draw_offset(&r, ds->pad);
	return s;
}

/* Normalises one pixel of c channels, by the table of make_levels(). */
static inline void normalise_pixel(int c, const uint8_t *from, const float *level, float *to)
{
	for (int k = 0; k < c; k++)
		to[k] = level[k * DATASET_LEVELS + from[k]];
}

/*
 * Normalises and shifts a row of the picture: columns [begin, end) of the crop lie in the picture,
 * the others are 0.
 */
static inline void normalise_row(int c, int width, struct shift s, const uint8_t *row,
				 const float *level, float *out)
{
	int begin = s.dx < 0 ? -s.dx : 0, end = s.dx > 0 ? width - s.dx : width;

	memset(out, 0, (size_t)(width * c) * sizeof *out);
	for (int x = begin; x < end; x++) {
		int to = s.mirror ? width - 1 - x : x;
		normalise_pixel(c, row + (x + s.dx) * c, level, out + to * c);
	}
}

/* out[height][width][channels] <- the picture, normalised and shifted. */
static void normalise_sample(const struct dataset *ds, struct shift s, const uint8_t *pixels,
			     const float *level, float *out)
{
	const int w = ds->width, c = ds->channels;

	for (int y = 0; y < ds->height; y++, out += w * c) {
		int from = y + s.dy;
		if (from < 0 || from >= ds->height)
			memset(out, 0, (size_t)(w * c) * sizeof *out);
		else if (c == 3)        /* lets the compiler unroll the usual case */
			normalise_row(3, w, s, pixels + from * w * 3, level, out);
		else
			normalise_row(c, w, s, pixels + from * w * c, level, out);
	}
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
	const struct shift none = { 0 };
	scoped float *level = make_levels(ds);

	for (size_t i = 0; i < n; i++)
		normalise_sample(ds, none, pixels + i * size, level, images + i * size);
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
	const size_t size = dataset_sample_bytes(ds), targets = dataset_labels(ds);

	for (size_t i = 0; i < b->n; i++)
		ds->type->vector(ds, split, b->sample[i], numbers + i * size,
				 labels + i * targets);
}

int dataset_fetch(const struct dataset *ds, enum split split, const struct batch *b,
		  float *images, int32_t *labels)
{
	const size_t size = dataset_sample_bytes(ds), targets = dataset_labels(ds);
	const bool augment = b->use && split == SPLIT_TRAIN && (ds->pad || ds->flip);
	scoped float *level = NULL;
	scoped uint8_t *pixels = NULL;
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
		struct shift s = { 0 };
		if (augment)
			s = draw_shift(ds, b->seed, b->use[i]);
		if (ds->type->view)
			ret = dataset_view(ds, split, b, i, pixels, &labels[i]);
		else
			ds->type->sample(ds, split, b->sample[i], pixels, labels + i * targets);
		normalise_sample(ds, s, pixels, level, images + i * size);
	}
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

int dataset_parts(const struct dataset *ds, int workers, enum parts_by by, struct sample_part *part)
{
	return ds && ds->type->parts ? ds->type->parts(ds, workers, by, part) : 1;
}

void dataset_close(struct dataset *ds)
{
	if (!ds)
		return;
	ds->type->close(ds);
	free_all(ds->path, ds);
}

/* The table of data sets, and data sets held in memory. */
#include "data/store.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "data/data.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DATASET(name) extern const struct dataset_type dataset_##name;
#include "data/list.h"
#undef DATASET

const struct plugin *const dataset_table[] = {
#define DATASET(name) &dataset_##name.plugin,
#include "data/list.h"
#undef DATASET
	NULL
};

struct dataset *dataset_open(const struct choice *c)
{
	/* A plug-in of the table is the first member of a struct dataset_type. */
	const struct dataset_type *type = (const struct dataset_type *)c->plugin;

	return type->open(c->conf);
}

struct dataset *dataset_open_text(const char *text)
{
	scoped_by(choice_release) struct choice c = { 0 };
	struct dataset *ds = NULL;

	if (choice_parse(&c, dataset_table, "data set", text) == 0)
		ds = dataset_open(&c);
	return ds;
}

/* ---- samples and labels in memory ---- */

struct store {
	uint8_t *pixels[2], *labels[2];         /* [n][height][width][channels]; [n] */
};

static size_t sample_bytes(const struct dataset *ds)
{
	return (size_t)ds->height * (size_t)ds->width * (size_t)ds->channels;
}

struct dataset *store_new(const struct dataset_type *type)
{
	struct dataset *ds = xcalloc(1, sizeof *ds);

	*ds = (struct dataset){
		.type = type, .height = type->height, .width = type->width,
		.channels = type->channels, .classes = type->classes,
	};
	ds->priv = xcalloc(1, sizeof(struct store));
	return ds;
}

void store_extend(struct dataset *ds, enum split split, int64_t n, uint8_t **pixels,
		  uint8_t **labels)
{
	struct store *s = ds->priv;
	size_t had = (size_t)ds->n[split], now = had + (size_t)n, size = sample_bytes(ds);

	s->pixels[split] = xrealloc(s->pixels[split], now, size);
	s->labels[split] = xrealloc(s->labels[split], now, 1);
	*pixels = s->pixels[split] + had * size;
	*labels = s->labels[split] + had;
	ds->n[split] = (int64_t)now;
}

void store_sample(const struct dataset *ds, enum split split, int64_t i, uint8_t *pixels,
		  int32_t *label)
{
	const struct store *s = ds->priv;
	size_t size = sample_bytes(ds);

	memcpy(pixels, s->pixels[split] + (size_t)i * size, size);
	*label = s->labels[split][i];
}

int32_t store_label(const struct dataset *ds, enum split split, int64_t i)
{
	const struct store *s = ds->priv;

	return s->labels[split][i];
}

bool holdout_count(const struct holdout *h, int64_t n[2])
{
	const int64_t rest = n[SPLIT_TRAIN] - h->n;

	n[SPLIT_TRAIN] = h->train ? h->train : rest;
	n[SPLIT_TEST] = h->test ? h->test : h->n;
	return rest > 0 && n[SPLIT_TRAIN] <= rest && n[SPLIT_TEST] <= h->n;
}

int store_hold_out(struct dataset *ds, const struct holdout *h)
{
	const struct store *s = ds->priv;
	const size_t size = sample_bytes(ds);
	const int64_t all = ds->n[SPLIT_TRAIN];
	int64_t n[2] = { all };
	uint8_t *pixels, *labels;

	if (h->test > h->n)
		return error("data set %s: test=%" PRId64 " is more than the %" PRId64
			     " images of holdout", ds->type->plugin.name, h->test, h->n);
	if (!holdout_count(h, n))
		return error("data set %s: holdout=%" PRId64 " leaves %" PRId64 " of %" PRId64
			     " training images, fewer than %" PRId64, ds->type->plugin.name, h->n,
			     all > h->n ? all - h->n : 0, all, h->train ? h->train : 1);
	store_extend(ds, SPLIT_TEST, n[SPLIT_TEST], &pixels, &labels);
	memcpy(pixels, s->pixels[SPLIT_TRAIN] + (size_t)(all - h->n) * size,
	       (size_t)n[SPLIT_TEST] * size);
	memcpy(labels, s->labels[SPLIT_TRAIN] + (all - h->n), (size_t)n[SPLIT_TEST]);
	ds->n[SPLIT_TRAIN] = n[SPLIT_TRAIN];
	return 0;
}

void store_folder(struct dataset *ds, const char *path)
{
	if (!ds->path)
		ds->path = path_folder(path);
}

void store_close(struct dataset *ds)
{
	struct store *s = ds->priv;

	for (int k = 0; k < 2; k++)
		free_all(s->pixels[k], s->labels[k]);
	free(s);
}

static uint64_t store_mix(uint64_t h, uint64_t word)
{
	h = (h ^ word) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

uint64_t little_endian(const uint8_t *at, size_t width)
{
	uint64_t word = 0;

	for (size_t i = 0; i < width; i++)
		word |= (uint64_t)at[i] << 8 * i;
	return word;
}

uint64_t big_endian(const uint8_t *at, size_t width)
{
	uint64_t word = 0;

	for (size_t i = 0; i < width; i++)
		word = word << 8 | at[i];
	return word;
}

uint64_t digest_bytes(uint64_t h, const uint8_t *at, size_t n)
{
	h = store_mix(h, n);
	for (; n >= 8; at += 8, n -= 8)
		h = store_mix(h, little_endian(at, 8));
	return n ? store_mix(h, little_endian(at, n)) : h;
}

void store_seal(struct dataset *ds, bool whole, uint64_t official)
{
	const struct store *s = ds->priv;
	uint64_t h = 0;

	for (int k = 0; k < 2; k++) {
		h = digest_bytes(h, s->pixels[k], (size_t)ds->n[k] * sample_bytes(ds));
		h = digest_bytes(h, s->labels[k], (size_t)ds->n[k]);
	}
	ds->digest = h;
	ds->standing = !whole ? SET_PART : h == official ? SET_PUBLISHED : SET_OTHER;
	if (whole && h != official)
		warning("%s: %" PRId64 " + %" PRId64 " images with digest %016" PRIx64
			", not the published set (%016" PRIx64 ")", ds->type->plugin.name,
			ds->n[SPLIT_TRAIN], ds->n[SPLIT_TEST], h, official);
}

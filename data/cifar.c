#include "data/cifar.h"

#include "core/base/error.h"
#include "data/read.h"
#include "data/store.h"

#include <inttypes.h>
#include <stdlib.h>

/* More than the largest published file holds, 50,000. */
enum { MOST_RECORDS = 200000 };

#define AT(type, field) OPT_AT(type, struct cifar_conf, field)

const struct opt cifar_opts[] = {
	{ "dir", AT(STRING, dir), NULL, "folder of the files; else $CONVOY_DATA",
	  "PATH", 0, 0, NULL, OPT_NOHASH },
	{ "train", AT(INT, train), "0", "use the first N training images; 0: all", "N",
	  0, 1e9, NULL, 0 },
	{ "test", AT(INT, test), "0", "use the first N test images; 0: all", "N",
	  0, 1e9, NULL, 0 },
	{ "crop", AT(BOOL, crop), "true", "pad with 4 zeros and crop at random", NULL,
	  0, 0, NULL, 0 },
	{ "flip", AT(BOOL, flip), "true", "mirror half of the training images", NULL,
	  0, 0, NULL, 0 },
	{ "any", AT(BOOL, any), "false", "take files of any length: tests, extracts", NULL,
	  0, 0, NULL, 0 },
	{ NULL, OPT_BOOL, 0, NULL, NULL, NULL, 0, 0, NULL, 0 }
};

/* planes[3][1024] -> pixels[1024][3] */
static void interleave(const uint8_t *planes, uint8_t *pixels)
{
	const size_t plane = CIFAR_SIDE * CIFAR_SIDE;

	for (size_t i = 0; i < plane; i++)
		for (size_t c = 0; c < 3; c++)
			pixels[3 * i + c] = planes[c * plane + i];
}

static int check_labels(const struct cifar_format *f, const char *path, const uint8_t *at,
			size_t records)
{
	const size_t size = f->label_bytes + CIFAR_PIXELS;
	const int classes = f->type->classes;

	for (size_t i = 0; i < records; i++) {
		int label = at[i * size + f->label_bytes - 1];
		if (label >= classes)
			return error("%s: record %zu (from 0) has the label %d, expected 0 to %d",
				     path, i, label, classes - 1);
	}
	return 0;
}

int cifar_parse(const struct cifar_format *f, const char *path, const uint8_t *at, size_t n,
		struct dataset *ds, enum split split, int64_t limit)
{
	const size_t size = f->label_bytes + CIFAR_PIXELS;
	size_t records = n / size;
	uint8_t *pixels, *labels;

	if (n == 0 || n % size)
		return error("%s: %zu bytes, expected records of %zu bytes each: "
			     "truncated, or not %s", path, n, size, f->type->plugin.name);
	if (limit && (int64_t)records > limit - ds->n[split])
		records = (size_t)(limit - ds->n[split]);
	if (check_labels(f, path, at, records) < 0)
		return -1;
	store_extend(ds, split, (int64_t)records, &pixels, &labels);
	for (size_t i = 0; i < records; i++, at += size, pixels += CIFAR_PIXELS) {
		labels[i] = at[f->label_bytes - 1];
		interleave(at + f->label_bytes, pixels);
	}
	return 0;
}

/* A file of another length than the published one would shift all samples behind it. */
static int check_length(const struct cifar_format *f, const char *path, size_t n, enum split split)
{
	const size_t size = f->label_bytes + CIFAR_PIXELS, whole = (size_t)f->records[split] * size;

	if (n == whole)
		return 0;
	return error("%s: %zu bytes, expected %" PRId64 " records of %zu bytes each: %s; "
		     "any=true takes files of any length", path, n, f->records[split], size,
		     n < whole ? "truncated" : "too long");
}

static int load_file(const struct cifar_format *f, const struct cifar_conf *conf,
		     const char *name, struct dataset *ds, enum split split, int64_t limit)
{
	const size_t most = MOST_RECORDS * (f->label_bytes + CIFAR_PIXELS);
	char *path = data_find(f->type->plugin.name, conf->dir, f->subdirs, name);
	struct bytes b;
	int r = -1;

	if (path && data_read(path, most, &b) == 0) {
		store_place(ds, path);
		if (conf->any || check_length(f, path, b.n, split) == 0)
			r = cifar_parse(f, path, b.at, b.n, ds, split, limit);
		free(b.at);
	}
	free(path);
	return r;
}

static int load_split(const struct cifar_format *f, const struct cifar_conf *conf,
		      struct dataset *ds, enum split split)
{
	const int64_t limit = split == SPLIT_TRAIN ? conf->train : conf->test;

	for (const char *const *file = f->files[split]; *file; file++) {
		if (limit && ds->n[split] >= limit)
			break;
		if (load_file(f, conf, *file, ds, split, limit) < 0)
			return -1;
	}
	if (ds->n[split] < limit)
		return error("data set %s: %s=%" PRId64 " is more than the %" PRId64
			     " images there are", f->type->plugin.name,
			     split == SPLIT_TRAIN ? "train" : "test", limit, ds->n[split]);
	return 0;
}

struct dataset *cifar_open(const struct cifar_format *f, const struct cifar_conf *conf)
{
	struct dataset *ds = store_new(f->type);

	ds->pad = conf->crop ? 4 : 0;
	ds->flip = conf->flip;
	if (load_split(f, conf, ds, SPLIT_TRAIN) < 0 ||
	    load_split(f, conf, ds, SPLIT_TEST) < 0) {
		dataset_close(ds);
		return NULL;
	}
	store_seal(ds, conf->train == 0 && conf->test == 0, f->digest);
	return ds;
}

/* Records of a file of any length, by its size. 0, 1 when it is packed, or -1 after error(). */
static int count_file(const struct cifar_format *f, const struct cifar_conf *conf,
		      const char *name, int64_t *records)
{
	char *path = data_find(f->type->plugin.name, conf->dir, f->subdirs, name);
	int64_t size;
	int ret = -1;

	if (path)
		ret = data_size(path, &size);
	if (!ret)
		*records = size / (int64_t)(f->label_bytes + CIFAR_PIXELS);
	free(path);
	return ret;
}

static int count_split(const struct cifar_format *f, const struct cifar_conf *conf, int64_t limit,
		       enum split split, int64_t *n)
{
	*n = 0;
	for (const char *const *file = f->files[split]; *file; file++) {
		int64_t records = f->records[split];
		int ret = conf->any ? count_file(f, conf, *file, &records) : 0;

		if (ret)
			return ret;
		*n += records;
	}
	if (limit > *n)
		return 1;
	*n = limit ? limit : *n;
	return 0;
}

int cifar_count(const struct cifar_format *f, const struct cifar_conf *conf, int64_t n[2])
{
	int ret = count_split(f, conf, conf->train, SPLIT_TRAIN, &n[SPLIT_TRAIN]);

	return ret ? ret : count_split(f, conf, conf->test, SPLIT_TEST, &n[SPLIT_TEST]);
}

/* Files of any length are taken to be as long as the published ones. */
static int look_split(const struct cifar_format *f, const struct cifar_conf *conf, int64_t limit,
		      enum split split)
{
	int64_t seen = 0;

	for (const char *const *file = f->files[split]; *file; file++) {
		char *path;

		if (limit && seen >= limit)
			break;
		path = data_find(f->type->plugin.name, conf->dir, f->subdirs, *file);
		if (!path)
			return -1;
		free(path);
		seen += f->records[split];
	}
	return 0;
}

int cifar_look(const struct cifar_format *f, const struct cifar_conf *conf)
{
	return look_split(f, conf, conf->train, SPLIT_TRAIN) < 0 ||
	       look_split(f, conf, conf->test, SPLIT_TEST) < 0 ? -1 : 0;
}

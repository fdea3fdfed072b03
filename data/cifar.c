/*
 * cifar.c - CIFAR-10 and CIFAR-100 in their binary format: 50,000 + 10,000 photographs of 32 x 32
 * pixels in 10 or 100 classes.
 */
#include "data/cifar.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "data/read.h"
#include "data/store.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Limit of records in a file; the largest published file has 50,000. */
enum { MOST_RECORDS = 200000 };

struct cifar_conf {
	char *dir;
	int64_t train, test, holdout;
	bool crop, flip;
	bool any;                       /* files of any length */
};

static const struct opt cifar_opts[] = {
	STORE_DIR_OPT(struct cifar_conf),
	OPT_NUMBER(struct cifar_conf, train, "0", "use the first N training images; 0: all", "N", 0,
		   1e9),
	OPT_NUMBER(struct cifar_conf, test, "0", "use the first N test images; 0: all", "N", 0,
		   1e9),
	STORE_HOLDOUT_OPT(struct cifar_conf),
	STORE_AUGMENT_OPTS(struct cifar_conf),
	OPT_FLAG(struct cifar_conf, any, "take files of any length: tests, extracts"),
	{ 0 }
};

static int cifar_check_labels(const struct cifar_format *f, const char *path, const uint8_t *at,
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
	const size_t size = f->label_bytes + CIFAR_PIXELS, plane = CIFAR_SIDE * CIFAR_SIDE;
	size_t records = n / size;
	uint8_t *pixels, *labels;

	if (n == 0 || n % size)
		return error("%s: %zu bytes, expected records of %zu bytes each: "
			     "truncated, or not %s", path, n, size, f->type->plugin.name);
	if (limit && (int64_t)records > limit - ds->n[split])
		records = (size_t)(limit - ds->n[split]);
	if (cifar_check_labels(f, path, at, records) < 0)
		return -1;
	store_extend(ds, split, (int64_t)records, &pixels, &labels);
	for (size_t i = 0; i < records; i++, at += size, pixels += CIFAR_PIXELS) {
		labels[i] = at[f->label_bytes - 1];
		for (size_t k = 0; k < plane; k++)      /* planes[3][1024] -> pixels[1024][3] */
			for (size_t c = 0; c < 3; c++)
				pixels[3 * k + c] = at[f->label_bytes + c * plane + k];
	}
	return 0;
}

/*
 * Reads a file. Its length must be the published one: otherwise all later samples would be shifted.
 */
static int load_file(const struct cifar_format *f, const struct cifar_conf *conf,
		     const char *name, struct dataset *ds, enum split split, int64_t limit)
{
	const size_t size = f->label_bytes + CIFAR_PIXELS, whole = (size_t)f->records[split] * size;
	scoped char *path = data_find(f->type->plugin.name, conf->dir, f->subdirs, name);
	struct bytes b;
	int r = -1;

	if (path && data_read(path, MOST_RECORDS * size, &b) == 0) {
		store_folder(ds, path);
		if (conf->any || b.n == whole)
			r = cifar_parse(f, path, b.at, b.n, ds, split, limit);
		else
			error("%s: %zu bytes, expected %" PRId64 " records of %zu bytes each: %s; "
			      "any=true takes files of any length", path, b.n, f->records[split],
			      size, b.n < whole ? "truncated" : "too long");
		free(b.at);
	}
	return r;
}

static int cifar_load_split(const struct cifar_format *f, const struct cifar_conf *conf,
			    struct dataset *ds, enum split split, int64_t limit)
{
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

static struct dataset *cifar_open(const struct cifar_format *f, const struct cifar_conf *conf)
{
	const struct holdout h = { conf->holdout, conf->train, conf->test };
	struct dataset *ds = store_new(f->type);

	ds->pad = conf->crop ? 4 : 0;
	ds->flip = conf->flip;
	/* The held-out images are the last of all training images. */
	if (cifar_load_split(f, conf, ds, SPLIT_TRAIN, h.n ? 0 : conf->train) < 0 ||
	    (h.n ? store_hold_out(ds, &h)
		 : cifar_load_split(f, conf, ds, SPLIT_TEST, conf->test)) < 0) {
		dataset_close(ds);
		return NULL;
	}
	store_seal(ds, !conf->train && !conf->test && !conf->holdout, f->digest);
	return ds;
}

/*
 * Counts a split. 0; 1 if files must be read for it: they are packed, or have too few images; -1
 * after error().
 */
static int cifar_count_split(const struct cifar_format *f, const struct cifar_conf *conf,
			     int64_t limit, enum split split, int64_t *n)
{
	*n = 0;
	for (const char *const *file = f->files[split]; *file; file++) {
		int64_t size = f->records[split] * (int64_t)(f->label_bytes + CIFAR_PIXELS);
		int ret = 0;

		if (conf->any) {
			scoped char *path =
				data_find(f->type->plugin.name, conf->dir, f->subdirs, *file);

			ret = path ? data_size(path, &size) : -1;
		}
		if (ret)
			return ret;
		*n += size / (int64_t)(f->label_bytes + CIFAR_PIXELS);
	}
	if (limit > *n)
		return 1;
	*n = limit ? limit : *n;
	return 0;
}

static int cifar_count(const struct cifar_format *f, const struct cifar_conf *conf, int64_t n[2])
{
	const struct holdout h = { conf->holdout, conf->train, conf->test };
	int ret = cifar_count_split(f, conf, h.n ? 0 : conf->train, SPLIT_TRAIN, &n[SPLIT_TRAIN]);

	if (!ret && h.n)
		return holdout_count(&h, n) ? 0 : 1;
	return ret ? ret : cifar_count_split(f, conf, conf->test, SPLIT_TEST, &n[SPLIT_TEST]);
}

/* Checks that files exist. With `any`, files are assumed to have the published length. */
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

static int cifar_look(const struct cifar_format *f, const struct cifar_conf *conf)
{
	if (conf->holdout)
		return look_split(f, conf, 0, SPLIT_TRAIN);
	return look_split(f, conf, conf->train, SPLIT_TRAIN) < 0 ||
	       look_split(f, conf, conf->test, SPLIT_TEST) < 0 ? -1 : 0;
}

/* Adds the files that are read of a split. False if one is missing. */
static bool contents_add_split(const struct cifar_format *f, const struct cifar_conf *conf,
			       int64_t limit, enum split split, struct contents *c)
{
	const int64_t size = (int64_t)(f->label_bytes + CIFAR_PIXELS);
	int64_t seen = 0, bytes;

	for (size_t i = 0; f->files[split][i] && (!limit || seen < limit); i++) {
		if (!contents_add(c, conf->dir, f->subdirs, f->files[split][i],
				  f->contents[split][i], &bytes))
			return false;
		seen += bytes / size;
	}
	return true;
}

static uint64_t cifar_contents(const struct cifar_format *f, const struct cifar_conf *conf)
{
	struct contents c = { 0 };
	const bool there =
		conf->holdout ? contents_add_split(f, conf, 0, SPLIT_TRAIN, &c)
			      : contents_add_split(f, conf, conf->train, SPLIT_TRAIN, &c) &&
				contents_add_split(f, conf, conf->test, SPLIT_TEST, &c);

	return there ? contents_digest(&c) : 0;
}

/* ---- CIFAR-10 ---- */

extern const struct dataset_type dataset_cifar10, dataset_cifar100;

static const struct cifar_format cifar10 = {
	.type = &dataset_cifar10,
	.label_bytes = 1,
	.files = {
		(const char *const[]){ "data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
				       "data_batch_4.bin", "data_batch_5.bin", NULL },
		(const char *const[]){ "test_batch.bin", NULL },
	},
	.subdirs = (const char *const[]){ "cifar-10-batches-bin", NULL },
	.records = { 10000, 10000 },
	.digest = 0x150d9942ab0fef93,
	.contents = {
		(const uint64_t[]){ 0xb3220c1f01d4e710, 0xc439a34801d4e710, 0x8c6f54f001d4e710,
				    0x6a83637e01d4e710, 0x2f355afd01d4e710 },
		(const uint64_t[]){ 0x19777d4901d4e710 },
	},
};

static struct dataset *cifar10_open(const void *conf)
{
	return cifar_open(&cifar10, conf);
}

static int cifar10_count(const void *conf, int64_t n[2])
{
	return cifar_count(&cifar10, conf, n);
}

static int cifar10_look(const void *conf)
{
	return cifar_look(&cifar10, conf);
}

static uint64_t cifar10_contents(const void *conf)
{
	return cifar_contents(&cifar10, conf);
}

static void cifar10_moments(const struct dataset *ds, float *mean, float *dev)
{
	(void)ds;
	memcpy(mean, (const float[]){ 0.4914f, 0.4822f, 0.4465f }, 3 * sizeof *mean);
	memcpy(dev, (const float[]){ 0.2470f, 0.2435f, 0.2616f }, 3 * sizeof *dev);
}

#define CIFAR_PLUGIN(name_, brief_) {                                                              \
	.name = name_, .brief = brief_,                                                            \
	.cite = "Krizhevsky, Learning Multiple Layers of Features from Tiny Images, 2009",         \
	.opts = cifar_opts, .conf_size = sizeof(struct cifar_conf),                                \
}

const struct dataset_type dataset_cifar10 = {
	.plugin = CIFAR_PLUGIN("cifar10",
			       "CIFAR-10 in its binary form: ten classes of small photographs"),
	.height = CIFAR_SIDE, .width = CIFAR_SIDE, .channels = 3, .classes = 10,
	.count = cifar10_count, .look = cifar10_look, .open = cifar10_open,
	.contents = cifar10_contents,
	.sample = store_sample, .label = store_label, .moments = cifar10_moments,
	.close = store_close,
};

/* ---- CIFAR-100: a record begins with the coarse label, of twenty, and the fine one ---- */

static const struct cifar_format cifar100 = {
	.type = &dataset_cifar100,
	.label_bytes = 2,
	.files = { (const char *const[]){ "train.bin", NULL },
		   (const char *const[]){ "test.bin", NULL } },
	.subdirs = (const char *const[]){ "cifar-100-binary", NULL },
	.records = { 50000, 10000 },
	.digest = 0xa12e2e714c151afe,
	.contents = { (const uint64_t[]){ 0xa4685bbf092946a0 },
		      (const uint64_t[]){ 0x456d334f01d50e20 } },
};

static struct dataset *cifar100_open(const void *conf)
{
	return cifar_open(&cifar100, conf);
}

static int cifar100_count(const void *conf, int64_t n[2])
{
	return cifar_count(&cifar100, conf, n);
}

static int cifar100_look(const void *conf)
{
	return cifar_look(&cifar100, conf);
}

static uint64_t cifar100_contents(const void *conf)
{
	return cifar_contents(&cifar100, conf);
}

static void cifar100_moments(const struct dataset *ds, float *mean, float *dev)
{
	(void)ds;
	memcpy(mean, (const float[]){ 0.5071f, 0.4865f, 0.4409f }, 3 * sizeof *mean);
	memcpy(dev, (const float[]){ 0.2673f, 0.2564f, 0.2762f }, 3 * sizeof *dev);
}

const struct dataset_type dataset_cifar100 = {
	.plugin = CIFAR_PLUGIN("cifar100", "CIFAR-100 in its binary form: a hundred classes of "
			       "small photographs"),
	.height = CIFAR_SIDE, .width = CIFAR_SIDE, .channels = 3, .classes = 100,
	.count = cifar100_count, .look = cifar100_look, .open = cifar100_open,
	.contents = cifar100_contents,
	.sample = store_sample, .label = store_label, .moments = cifar100_moments,
	.close = store_close,
};

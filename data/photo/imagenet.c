/*
 * imagenet: photographs in a folder for each WordNet id, decoded whenever they are asked for. If a
 * file cannot be decoded, a warning names it, and the next file of its split that can be decoded
 * replaces it, so that a batch stays a function of its address. A file that cannot be read is an
 * error: that is not a property of the set.
 */
#include "core/base/context.h"
#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/mem.h"
#include "data/photo/list.h"
#include "data/photo/photo.h"
#include "data/read.h"
#include "data/store.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Number of failures in a row that cannot be chance. */
enum { MOST_IN_A_ROW = 100, IMAGENET_CLASSES = 1000 };

/* Photographs of a split whose size a hash depends on: for all of ImageNet it takes minutes. */
enum { MOST_SIZES = 100000 };

/* ILSVRC-2012's training and validation images. */
static const int64_t imagenet_images[2] = { 1281167, 50000 };

struct conf {
	char *dir, *synsets, *labels;
	struct photo_conf photo;
};

struct folder {
	struct photo_list list[2];
	struct augment augment;
	float mean[3], dev[3];
	atomic_uchar *told[2];          /* [n] a warning has named the file */
	atomic_int bad;
};

extern const struct dataset_type dataset_imagenet;

/* Views one file. 0; 1 when it cannot be decoded; -1 after error(): it cannot be read. */
static int view_one(const struct folder *in, const char *path, const struct rng *r,
		    uint8_t *pixels, char why[JPEG_WHY])
{
	struct rng own;
	scoped uint8_t *at = NULL;
	size_t n;
	int ret = photo_load(path, &at, &n, why);

	if (r)
		own = *r;
	if (ret == 0)
		ret = photo_view(&in->augment, at, n, r ? &own : NULL, pixels, why) != 0;
	else if (ret < 0)
		error("%s: %s", path, why);
	return ret;
}

static void imagenet_tell(const struct dataset *ds, enum split split, size_t i, const char *path,
			  const char *why)
{
	struct folder *in = ds->priv;

	if (atomic_exchange(&in->told[split][i], 1))
		return;
	warning("%s: %s; the next image stands in for it (%d so far)", path, why,
		1 + atomic_fetch_add(&in->bad, 1));
}

static int imagenet_view(const struct dataset *ds, enum split split, int64_t i, struct rng *r,
			 uint8_t *pixels, int32_t *label)
{
	const struct folder *in = ds->priv;
	const struct photo_list *l = &in->list[split];
	char why[JPEG_WHY] = "";

	for (size_t k = 0; k < l->n && k < MOST_IN_A_ROW; k++) {
		size_t at = ((size_t)i + k) % l->n;
		char *path = photo_path(l, at);
		int bad = view_one(in, path, r, pixels, why);

		*label = l->label[at];
		if (bad > 0)
			imagenet_tell(ds, split, at, path, why);
		free(path);
		if (bad <= 0)
			return bad;
	}
	return error("%s: too many images in a row that cannot be decoded: %s", l->root, why);
}

static int32_t imagenet_label(const struct dataset *ds, enum split split, int64_t i)
{
	return ((const struct folder *)ds->priv)->list[split].label[i];
}

static void imagenet_moments(const struct dataset *ds, float *mean, float *dev)
{
	const struct folder *in = ds->priv;

	memcpy(mean, in->mean, sizeof in->mean);
	memcpy(dev, in->dev, sizeof in->dev);
}

/* Continues the hash h by names and labels only: reading every photograph would take hours. */
static uint64_t digest_list(uint64_t h, const struct photo_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		const char *name = l->names + l->name[i];

		h = digest_bytes(h, (const uint8_t *)name, strlen(name));
		h = digest_bytes(h, (const uint8_t[]){ (uint8_t)l->label[i],
						       (uint8_t)(l->label[i] >> 8),
						       (uint8_t)(l->label[i] >> 16) }, 3);
	}
	return h;
}

static int read_lists(struct dataset *ds, const char *root, const struct conf *conf,
		      const struct texts *classes)
{
	const int64_t keep[] = { conf->photo.train, conf->photo.test };
	static const char *const what[] = { "train", "test" };
	struct folder *in = ds->priv;

	for (int k = 0; k < 2; k++) {
		struct photo_list *l = &in->list[k];

		if (photo_list_read(l, root, (enum split)k, classes, conf->labels) < 0 ||
		    photo_list_thin(l, keep[k], what[k]) < 0)
			return -1;
		ds->n[k] = (int64_t)l->n;
		ds->digest = digest_list(ds->digest, l);
		in->told[k] = xcalloc(l->n, sizeof *in->told[k]);
	}
	return 0;
}

static int open_in(struct dataset *ds, const struct conf *conf)
{
	struct folder *in = ds->priv;
	char *root = photo_root(conf->dir, true);
	struct texts classes = { 0 };
	int r = -1;

	if (root && photo_augment(&conf->photo, "imagenet", &in->augment) == 0 &&
	    photo_classes(root, conf->synsets, &classes) == 0)
		r = read_lists(ds, root, conf, &classes);
	ds->height = ds->width = in->augment.crop;
	ds->channels = 3;
	ds->classes = (int)classes.n;
	ds->ahead = (int)conf->photo.ahead;
	photo_moments(&conf->photo, in->mean, in->dev);
	texts_release(&classes);
	ds->path = root;
	return r;
}

static struct dataset *imagenet_open(const void *conf)
{
	struct dataset *ds = xcalloc(1, sizeof *ds);

	ds->type = &dataset_imagenet;
	ds->priv = xcalloc(1, sizeof(struct folder));
	if (open_in(ds, conf) == 0)
		return ds;
	dataset_close(ds);
	return NULL;
}

static void folder_close(struct dataset *ds)
{
	struct folder *in = ds->priv;
	const int bad = atomic_load(&in->bad);

	if (bad)
		warning("imagenet: %d of %" PRId64 " images could not be decoded; the next ones "
			"stood in for them", bad, ds->n[SPLIT_TRAIN] + ds->n[SPLIT_TEST]);
	for (int k = 0; k < 2; k++) {
		photo_list_release(&in->list[k]);
		free(in->told[k]);
	}
	free(in);
}

/* Shape of the set; without a folder, ImageNet's 1000 classes. */
static int imagenet_shape(const void *p, struct dataset_shape *s)
{
	const struct conf *conf = p;
	scoped char *root = photo_root(conf->dir, conf->dir);
	scoped_by(texts_release) struct texts classes = { 0 };
	struct augment a;
	int r = conf->dir && !root ? -1 : photo_augment(&conf->photo, "imagenet", &a);

	if (r == 0 && (root || conf->synsets))
		r = photo_classes(root, conf->synsets, &classes);
	if (r == 0)
		*s = (struct dataset_shape){ a.crop, a.crop, 3,
			classes.n ? (int)classes.n : IMAGENET_CLASSES, false };
	return r;
}

/* Number of images; without a folder, that of ImageNet. */
static int imagenet_count(const void *p, int64_t n[2])
{
	const struct conf *conf = p;
	const int64_t keep[] = { conf->photo.train, conf->photo.test };
	char *root = photo_root(conf->dir, false);
	const bool known = !root && !conf->dir;

	free(root);
	for (int k = 0; known && k < 2; k++)
		n[k] = keep[k] > 0 && keep[k] < imagenet_images[k] ? keep[k] : imagenet_images[k];
	return known ? 0 : 1;
}

static int imagenet_look(const void *p)
{
	const struct conf *conf = p;
	char *root = photo_root(conf->dir, true);
	const bool there = root;

	free(root);
	if (!there && !conf->dir)
		note("data set imagenet: sizes and times of a plan without a folder are those of "
		     "ImageNet's %" PRId64 " images", imagenet_images[SPLIT_TRAIN]);
	return there ? 0 : -1;
}

/* Continues the hash h by sizes: of all photographs, or of some evenly spaced ones. */
static uint64_t digest_sizes(uint64_t h, const struct photo_list *l)
{
	const size_t n = l->n < MOST_SIZES ? l->n : MOST_SIZES;

	for (size_t k = 0; k < n; k++) {
		scoped char *path = photo_path(l, (size_t)photo_spread((int64_t)k, (int64_t)n,
								       (int64_t)l->n));
		struct stat st;

		h = fnv_step(h, stat(path, &st) == 0 ? (uint64_t)st.st_size : 0);
	}
	return h;
}

/* Names, labels and sizes; the folder is listed once. */
static uint64_t imagenet_contents(const void *p)
{
	const struct choice c = { &dataset_imagenet.plugin, (void *)(uintptr_t)p };
	scoped char *root = photo_root(((const struct conf *)p)->dir, false);
	scoped char *settings = choice_format(&c),
		    *key = xasprintf("%s %s", settings, root ? root : "");
	struct dataset *ds = NULL;
	uint64_t h = 0;

	if (root && !digest_kept(key, &h)) {
		context_mute();
		ds = imagenet_open(p);
		for (int k = 0; ds && k < 2; k++)
			h = digest_sizes(k ? h : ds->digest,
					 &((const struct folder *)ds->priv)->list[k]);
		dataset_close(ds);
		context_unmute();
		digest_keep(key, h);
	}
	return h;
}

static const struct opt opts[] = {
	OPT_TEXT(struct conf, dir, "folder that holds train/ and val/; else $CONVOY_DATA", "PATH"),
	OPT_TEXT(struct conf, synsets,
		 "file whose lines begin with the WordNet ids of classes 0, 1, ...; else the "
		 "folders", "PATH"),
	OPT_TEXT(struct conf, labels,
		 "file of \"NAME CLASS\" lines for a val/ without folders; else val.txt", "PATH"),
	PHOTO_OPTS(struct conf),
	{ 0 }
};

const struct dataset_type dataset_imagenet = {
	.plugin = {
		.name = "imagenet",
		.brief = "photographs in a folder for each class, as ImageNet (ILSVRC-2012) is",
		.also = "ilsvrc, imagefolder",
		.cite = "Russakovsky et al., ImageNet Large Scale Visual Recognition Challenge, "
			"2015",
		.opts = opts,
		.conf_size = sizeof(struct conf),
	},
	.height = 224, .width = 224, .channels = 3, .classes = IMAGENET_CLASSES,
	.shape = imagenet_shape,
	.count = imagenet_count,
	.look = imagenet_look,
	.contents = imagenet_contents,
	.open = imagenet_open,
	.view = imagenet_view,
	.label = imagenet_label,
	.moments = imagenet_moments,
	.close = folder_close,
};

/*
 * packed.c - photographs in one file, made by `convoy data pack` for quick random reads.
 *
 * Packed as JPEGs, they give the same batches as the folder of photographs. Packed as pixels, each
 * is a square already cut and resized: they give these batches only with the augmentations that
 * first make that square (check_square()).
 */
#include "core/base/error.h"
#include "core/base/mem.h"
#include "data/pack/reader.h"
#include "data/photo/photo.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct conf {
	char *file;
	struct photo_conf photo;
};

struct pack {                   /* priv of an opened set */
	struct packed *file;
	struct augment augment;
	float mean[3], dev[3];  /* of pixel / 255 */
};

extern const struct dataset_type dataset_packed;

/* Index in the file of sample i of the set, which may use a part of the file's photographs. */
static int64_t packed_index(const struct dataset *ds, enum split split, int64_t i)
{
	const struct pack *in = ds->priv;

	return photo_spread(i, ds->n[split], in->file->split[split].n);
}

/* Only undamaged images were packed: a fault in one is of the disk or the file. */
static int packed_view(const struct dataset *ds, enum split split, int64_t i, struct rng *r,
		       uint8_t *pixels, int32_t *label)
{
	const struct pack *in = ds->priv;
	const int64_t k = packed_index(ds, split, i);
	const size_t n = packed_size(in->file, split, k);
	uint8_t *bytes = xrealloc(NULL, n, 1);  /* of the JPEG, or [side][side][3] */
	const int side = in->file->side;
	char why[JPEG_WHY] = "";
	struct frame f;
	int ret = 0;

	*label = in->file->split[split].label[k];
	if (packed_read(in->file, split, k, bytes) < 0) {
		ret = error("%s: pack it again", in->file->path);
	} else if (!in->file->jpeg) {
		f = augment_draw(&in->augment, side, side, r);
		resize(&(struct picture){ side, side, bytes, n }, &f, pixels);
	} else if (photo_view(&in->augment, bytes, n, r, pixels, why) < 0) {
		ret = error("%s: image %" PRId64 ": %s", in->file->path, k, why);
	}
	free(bytes);
	return ret;
}

static int32_t packed_label(const struct dataset *ds, enum split split, int64_t i)
{
	const struct pack *in = ds->priv;

	return in->file->split[split].label[packed_index(ds, split, i)];
}

static void packed_moments(const struct dataset *ds, float *mean, float *dev)
{
	const struct pack *in = ds->priv;

	memcpy(mean, in->mean, sizeof in->mean);
	memcpy(dev, in->dev, sizeof in->dev);
}

/* 0 if the square that was packed suits the augmentation, else error(). */
static int check_square(const struct packed *p, const struct photo_conf *conf,
			const struct augment *a)
{
	if (conf->resize && conf->resize != p->side)
		return error("%s: packed with %d pixels a side: resize=%" PRId64 " needs another "
			     "packing", p->path, p->side, conf->resize);
	if (a->crop > p->side)
		return error("%s: packed with %d pixels a side, fewer than crop=%d", p->path,
			     p->side, a->crop);
	if (p->squeezed != (a->kind == AUGMENT_CAFFE))
		return error("%s: packed with --fit %s, which is for augment=%s; augment=%s needs "
			     "--fit %s, or --as jpeg", p->path, p->squeezed ? "squeeze" : "short",
			     p->squeezed ? "caffe" : "none, alexnet or resnet",
			     photo_augments[a->kind], p->squeezed ? "short" : "squeeze");
	return 0;
}

/* Fills in->augment from the settings. 0, or error() if the file was packed for another one. */
static int set_augment(struct pack *in, const struct photo_conf *conf)
{
	struct photo_conf own = *conf;

	/* the packed side, but at least crop: check_square() reports a crop that is too large */
	if (!in->file->jpeg)
		own.resize = conf->crop > in->file->side ? conf->crop : in->file->side;
	if (photo_augment(&own, "packed", &in->augment) < 0)
		return -1;
	return in->file->jpeg ? 0 : check_square(in->file, conf, &in->augment);
}

static int packed_fill(struct dataset *ds, const struct conf *conf)
{
	struct pack *in = ds->priv;

	in->file = conf->file ? packed_open(conf->file) : NULL;
	if (!conf->file)
		error("data set packed: no file given; set --data packed:file=FILE.h5");
	if (!in->file || set_augment(in, &conf->photo) < 0)
		return -1;
	photo_moments(&conf->photo, in->mean, in->dev);
	ds->path = xstrdup(conf->file);
	ds->height = ds->width = in->augment.crop;
	ds->channels = 3;
	ds->classes = in->file->classes;
	ds->ahead = (int)conf->photo.ahead;
	ds->digest = in->file->digest;
	for (int k = 0; k < 2; k++) {
		const int64_t keep = k == SPLIT_TRAIN ? conf->photo.train : conf->photo.test;
		const int64_t all = in->file->split[k].n;

		ds->n[k] = keep ? keep : all;
		if (keep > all)
			return error("%s: %s=%" PRId64 " is more than the %" PRId64
				     " photographs there are", in->file->path,
				     k == SPLIT_TRAIN ? "train" : "test", keep, all);
	}
	return 0;
}

static struct dataset *packed_open_set(const void *conf)
{
	struct dataset *ds = xcalloc(1, sizeof *ds);

	ds->type = &dataset_packed;
	ds->priv = xcalloc(1, sizeof(struct pack));
	if (packed_fill(ds, conf) == 0)
		return ds;
	dataset_close(ds);
	return NULL;
}

static void packed_close_set(struct dataset *ds)
{
	scoped struct pack *in = ds->priv;

	packed_close(in->file);
}

static int packed_shape(const void *conf, struct dataset_shape *s)
{
	struct dataset *ds = packed_open_set(conf);

	if (!ds)
		return -1;
	*s = (struct dataset_shape){ ds->height, ds->width, ds->channels, ds->classes,
				     false };
	dataset_close(ds);
	return 0;
}

static uint64_t packed_contents(const void *p)
{
	const struct conf *conf = p;

	return conf->file ? packed_page_digest(conf->file) : 0;
}

static const struct opt opts[] = {
	OPT_TEXT(struct conf, file, "file that 'convoy data pack' made", "PATH"),
	PHOTO_OPTS(struct conf),
	{ 0 }
};

const struct dataset_type dataset_packed = {
	.plugin = {
		.name = "packed",
		.brief = "photographs in one HDF5 file, made by 'convoy data pack'",
		.also = "*.h5=packed:file=*",
		.opts = opts,
		.conf_size = sizeof(struct conf),
	},
	.height = 224, .width = 224, .channels = 3, .classes = 1000,
	.shape = packed_shape,
	.contents = packed_contents,
	.open = packed_open_set,
	.view = packed_view,
	.label = packed_label,
	.moments = packed_moments,
	.close = packed_close_set,
};

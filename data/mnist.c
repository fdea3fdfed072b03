/*
 * MNIST: 60,000 + 10,000 handwritten digits, 28 x 28 grey pixels. They are neither cropped nor
 * mirrored: digits fill their frame, and a mirrored digit is no digit. Other sets in the same file
 * format may have images of another size, and more of them.
 */
#include "core/base/error.h"
#include "core/base/mem.h"
#include "data/read.h"
#include "data/store.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 28, CLASSES = 10, MOST_SIDE = 4096, IMAGES_RANK = 3, HEADER = 16 };

static const size_t most_bytes = (size_t)1 << 30;       /* of a file */

struct conf {
	char *dir;
	int64_t train, test, holdout;
};

static const char *const subdirs[] = { "mnist", "MNIST/raw", NULL };
static const char *const image_file[] = { "train-images-idx3-ubyte", "t10k-images-idx3-ubyte" };
static const char *const label_file[] = { "train-labels-idx1-ubyte", "t10k-labels-idx1-ubyte" };
static const uint64_t published_digest = 0x63db21fa1e6c13ea;
/* contents_add() of the published files */
static const uint64_t image_contents[] = { 0xe9f4d8b302cdc610, 0x91373bdf0077a110 };
static const uint64_t label_contents[] = { 0xe0cb4ad20000ea68, 0x4ab9eff900002718 };

extern const struct dataset_type dataset_mnist;

/* An IDX array, and the bytes of its file, which it borrows. */
struct array {
	char *path;
	struct bytes bytes;
	struct idx idx;
};

static int array_load(struct array *a, const char *dir, const char *name, int rank)
{
	*a = (struct array){ 0 };
	a->path = data_find("mnist", dir, subdirs, name);
	if (!a->path || data_read(a->path, most_bytes, &a->bytes) < 0)
		return -1;
	return idx_parse(a->path, a->bytes.at, a->bytes.n, rank, &a->idx);
}

static void array_free(struct array *a)
{
	free(a->path);
	free(a->bytes.at);
}

static int mnist_check(const struct array *images, const struct array *labels,
		       const struct dataset_shape *shape, int64_t limit)
{
	const size_t *dim = images->idx.dim, n = labels->idx.dim[0];

	if (dim[1] != (size_t)shape->height || dim[2] != (size_t)shape->width)
		return error("%s: images of %zu x %zu, expected %d x %d, as the training images "
			     "are", images->path, dim[1], dim[2], shape->height, shape->width);
	if (n == 0 || dim[0] != n)
		return error("%s: %zu images, but %zu labels in %s", images->path, dim[0], n,
			     labels->path);
	if (limit > (int64_t)n)
		return error("%s: %zu images, fewer than the %" PRId64 " asked for", images->path,
			     n, limit);
	for (size_t i = 0; i < n; i++)
		if (labels->idx.at[i] >= CLASSES)
			return error("%s: record %zu (from 0) has the label %d, expected 0 to 9",
				     labels->path, i, labels->idx.at[i]);
	return 0;
}

static int mnist_load(struct dataset *ds, enum split split, const struct dataset_shape *shape,
		      const char *dir, int64_t limit)
{
	struct array images, labels = { 0 };
	uint8_t *pixels, *label;
	int r = -1;

	if (array_load(&images, dir, image_file[split], IMAGES_RANK) == 0 &&
	    array_load(&labels, dir, label_file[split], 1) == 0 &&
	    mnist_check(&images, &labels, shape, limit) == 0) {
		size_t n = limit ? (size_t)limit : labels.idx.dim[0];
		store_folder(ds, images.path);
		store_extend(ds, split, (int64_t)n, &pixels, &label);
		memcpy(pixels, images.idx.at, n * images.idx.dim[1] * images.idx.dim[2]);
		memcpy(label, labels.idx.at, n);
		r = 0;
	}
	array_free(&images);
	array_free(&labels);
	return r;
}

/* Reads the first bytes of a file; 0 or error(). */
static int header_read(const char *path, uint8_t at[HEADER])
{
	struct bytes all;
	int ret = data_peek(path, at, HEADER);

	if (ret <= 0)
		return ret;
	ret = data_read(path, most_bytes, &all);
	if (ret == 0 && all.n < HEADER)
		ret = error("%s: truncated, or no file of this kind", path);
	if (ret == 0)
		memcpy(at, all.at, HEADER);
	free(all.at);
	return ret;
}

/* Image size from the header of the training images; if there is no file, the published one. */
static int mnist_shape(const void *p, struct dataset_shape *shape)
{
	scoped char *path =
		data_seek(((const struct conf *)p)->dir, subdirs, image_file[SPLIT_TRAIN]);
	uint8_t at[HEADER];
	struct idx idx;
	int ret = path ? header_read(path, at) : 0;

	if (path && ret == 0)
		ret = idx_header(path, at, HEADER, IMAGES_RANK, &idx);
	if (path && ret == 0) {
		if (idx.dim[1] < 1 || idx.dim[1] > MOST_SIDE || idx.dim[2] < 1 ||
		    idx.dim[2] > MOST_SIDE)
			ret = error("%s: images of %zu x %zu (expected 1 to %d a side)", path,
				    idx.dim[1], idx.dim[2], MOST_SIDE);
		shape->height = (int)idx.dim[1];
		shape->width = (int)idx.dim[2];
	}
	return ret;
}

static struct dataset *mnist_open(const void *p)
{
	const struct conf *conf = p;
	const struct holdout h = { conf->holdout, conf->train, conf->test };
	struct dataset *ds = store_new(&dataset_mnist);
	struct dataset_shape shape;

	if (dataset_shape(&dataset_mnist, conf, &shape) == 0) {
		ds->height = shape.height;
		ds->width = shape.width;
		if (mnist_load(ds, SPLIT_TRAIN, &shape, conf->dir, h.n ? 0 : conf->train) == 0 &&
		    (h.n ? store_hold_out(ds, &h)
			 : mnist_load(ds, SPLIT_TEST, &shape, conf->dir, conf->test)) == 0) {
			store_seal(ds, !conf->train && !conf->test && !h.n, published_digest);
			return ds;
		}
	}
	dataset_close(ds);
	return NULL;
}

static int mnist_look(const void *p)
{
	const struct conf *conf = p;

	for (int split = 0; split < (conf->holdout ? 1 : 2); split++) {
		char *images = data_find("mnist", conf->dir, subdirs, image_file[split]);
		char *labels = images ? data_find("mnist", conf->dir, subdirs, label_file[split])
				      : NULL;
		const bool there = labels;

		free(images);
		free(labels);
		if (!there)
			return -1;
	}
	return 0;
}

static uint64_t mnist_contents(const void *p)
{
	const struct conf *conf = p;
	struct contents c = { 0 };

	for (int k = 0; k < (conf->holdout ? 1 : 2); k++)
		if (!contents_add(&c, conf->dir, subdirs, image_file[k], image_contents[k], NULL) ||
		    !contents_add(&c, conf->dir, subdirs, label_file[k], label_contents[k], NULL))
			return 0;
	return contents_digest(&c);
}

/*
 * Number of samples from the header of the label file, which is magic and count; if there is no
 * file, the published one.
 */
static int mnist_count_split(const struct conf *conf, int64_t limit, enum split split, int64_t *n)
{
	static const int64_t published[2] = { 60000, 10000 };
	uint8_t at[8] = { 0 };
	char *path = limit ? NULL : data_seek(conf->dir, subdirs, label_file[split]);
	int ret;

	*n = limit ? limit : published[split];
	if (!path)
		return 0;
	ret = data_peek(path, at, sizeof at);
	free(path);
	*n = (int64_t)big_endian(at + 4, 4);
	return ret || *n > 0 ? ret : 1;
}

static int mnist_count(const void *p, int64_t n[2])
{
	const struct conf *conf = p;
	const struct holdout h = { conf->holdout, conf->train, conf->test };
	int ret = mnist_count_split(conf, h.n ? 0 : conf->train, SPLIT_TRAIN, &n[SPLIT_TRAIN]);

	if (!ret && h.n)
		return holdout_count(&h, n) ? 0 : 1;
	return ret ? ret : mnist_count_split(conf, conf->test, SPLIT_TEST, &n[SPLIT_TEST]);
}

static void mnist_moments(const struct dataset *ds, float *mean, float *dev)
{
	(void)ds;
	*mean = 0.1307f;
	*dev = 0.3081f;
}

static const struct opt opts[] = {
	STORE_DIR_OPT(struct conf),
	OPT_NUMBER(struct conf, train, "0", "use the first N training images; 0: all", "N", 0, 1e9),
	OPT_NUMBER(struct conf, test, "0", "use the first N test images; 0: all", "N", 0, 1e9),
	STORE_HOLDOUT_OPT(struct conf),
	{ 0 }
};

const struct dataset_type dataset_mnist = {
	.plugin = {
		.name = "mnist",
		.brief = "MNIST in IDX form: handwritten digits, grey, 28 x 28 or as the files say",
		.cite = "LeCun, Bottou, Bengio, Haffner, Gradient-Based Learning Applied to "
			"Document Recognition, 1998",
		.opts = opts,
		.conf_size = sizeof(struct conf),
	},
	.height = SIDE, .width = SIDE, .channels = 1, .classes = CLASSES,
	.shape = mnist_shape,
	.count = mnist_count,
	.look = mnist_look,
	.contents = mnist_contents,
	.open = mnist_open,
	.sample = store_sample,
	.label = store_label,
	.moments = mnist_moments,
	.close = store_close,
};

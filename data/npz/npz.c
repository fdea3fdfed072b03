/*
 * npz.c - the user's own arrays, in a file of numpy.savez().
 *
 * Floats and integers are seen as they are, images of bytes as those of the other sets: (pixel /
 * 255 - mean) / deviation, with those of each channel's training pixels.
 */
#include "core/base/error.h"
#include "core/file/paths.h"
#include "data/npz/arrays.h"
#include "data/samples_file.h"

#include <unistd.h>

struct conf {
	struct samples_file of;
	int channels;           /* enum npz_channels */
};

static int npz_read(const char *path, const void *p, struct samples_raw *raw)
{
	const struct conf *conf = p;
	const int fd = file_open_fd(path);
	int ret;

	if (fd < 0)
		return error("%s: cannot open: %s", path, file_why());
	ret = arrays_read(path, fd, !conf->of.samples.holdout, (enum npz_channels)conf->channels,
			  raw);
	close(fd);
	return ret;
}

extern const struct dataset_type dataset_npz;
static const struct dataset_type images;

static const struct samples_format npz = {
	.numbers = &dataset_npz, .pixels = &images,
	.expected = "arrays that numpy.savez() wrote", .read = npz_read,
};

static struct dataset *npz_open(const void *conf)
{
	return samples_file_open(&npz, conf);
}

static int npz_shape(const void *conf, struct dataset_shape *shape)
{
	return samples_file_shape(&npz, conf, shape);
}

static int npz_count(const void *conf, int64_t n[2])
{
	return samples_file_count(&npz, conf, n);
}

static int npz_look(const void *conf)
{
	return samples_file_look(&npz, conf);
}

static int npz_complete(void *conf)
{
	return samples_file_complete(&npz, conf);
}

static const char *const channel_orders[] = { "last", "first", NULL };

static const struct opt opts[] = {
	SAMPLES_FILE_OPT(struct conf, "arrays x_train, y_train, x_test and y_test"),
	SAMPLES_OPTS(struct conf),
	{ "holdout", OPT_AT(INT, struct conf, of.samples.holdout), "0",
	  "the last N training samples are the test samples, and x_test is not read; 0: the "
	  "file's own", "N", 0, 1e9, NULL, 0 },
	OPT_CHOICE(struct conf, channels, "last",
		   "dimension of the channels in arrays of four: n x height x width x channels, "
		   "or n x channels x height x width, as PyTorch has them", "WHERE",
		   channel_orders),
	{ "crop", OPT_AT(BOOL, struct conf, of.samples.crop), "false",
	  "bytes: pad with 4 zeros and crop at random", NULL, 0, 0, NULL, 0 },
	{ "flip", OPT_AT(BOOL, struct conf, of.samples.flip), "false",
	  "bytes: mirror half of the training images", NULL, 0, 0, NULL, 0 },
	SAMPLES_CONTENTS_OPT(struct conf),
	{ 0 }
};

#define NPZ_MEMBERS                                                                                \
	.plugin = {                                                                                \
		.name = "npz",                                                                     \
		.brief = "arrays of your own, in a file of numpy.savez()",                         \
		.also = "*.npz=npz:file=*",                                                        \
		.opts = opts,                                                                      \
		.conf_size = sizeof(struct conf),                                                  \
	},                                                                                         \
	.shape = npz_shape, .count = npz_count, .look = npz_look, .complete = npz_complete,        \
	.contents = samples_file_contents, .open = npz_open, .label = samples_label,               \
	.close = samples_close

const struct dataset_type dataset_npz = { NPZ_MEMBERS, .vector = samples_vector };

/* Type of an opened set of bytes. */
static const struct dataset_type images = { NPZ_MEMBERS, .sample = samples_sample,
					    .moments = samples_moments };

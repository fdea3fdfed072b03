/*
 * npz.c - the user's own arrays, in a file of numpy.savez().
 *
 * Floats and integers are seen as they are, images of bytes as those of the other sets: (pixel /
 * 255 - mean) / deviation, with those of each channel's training pixels.
 */
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "data/npz/arrays.h"
#include "data/read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct conf {
	char *file, *contents;
	int channels;           /* enum npz_channels */
	struct samples_conf samples;
};

extern const struct dataset_type dataset_npz;
static const struct dataset_type images;

/* ---- the file ---- */

/* Its path, here or below $CONVOY_DATA; the caller frees. NULL after error(). */
static char *npz_find(const struct conf *conf)
{
	static const char *const subdirs[] = { NULL };
	char *path = NULL;

	if (!conf->file)
		error("data set npz: no file is named. Give its path: --data npz:file=PATH");
	else if (file_is_regular(conf->file))
		path = xstrdup(conf->file);
	else if (!(path = data_seek(NULL, subdirs, conf->file)))
		error("%s: no such file, here or below CONVOY_DATA (expected arrays that "
		      "numpy.savez() wrote); set --data npz:file=PATH", conf->file);
	return path;
}

static int npz_read(const char *path, const struct conf *conf, struct samples_raw *raw)
{
	FILE *f = file_open(path);
	int ret;

	*raw = (struct samples_raw){ 0 };
	if (!f)
		return error("%s: cannot open: %s", path, file_why());
	ret = arrays_read(path, f, !conf->samples.holdout, (enum npz_channels)conf->channels, raw);
	fclose(f);
	return ret;
}

/* 0, or error() if the contents do not have the digest in the settings. */
static int npz_agrees(const struct conf *conf, const char *path, uint64_t digest)
{
	char own[17];

	snprintf(own, sizeof own, "%016" PRIx64, digest);
	if (!conf->contents || !strcmp(conf->contents, own))
		return 0;
	return error("%s: its arrays have the digest %s (expected %s, by contents=%s). Use the "
		     "same file, or leave contents out.", path, own, conf->contents,
		     conf->contents);
}

/* Opens the set; *digest <- of its arrays. NULL after error(). */
static struct dataset *npz_load(const struct conf *conf, const char *path, uint64_t *digest)
{
	struct dataset *ds = NULL;
	struct samples_raw raw;

	if (npz_read(path, conf, &raw) == 0) {
		*digest = samples_digest(&raw);
		if (npz_agrees(conf, path, *digest) == 0)
			ds = samples_open(raw.pixels[0] ? &images : &dataset_npz, &raw,
					  &conf->samples, path);
	}
	samples_release(&raw);
	if (ds)
		ds->digest = *digest;
	return ds;
}

static struct dataset *npz_open(const void *p)
{
	char *path = npz_find(p);
	uint64_t digest;
	struct dataset *ds = path ? npz_load(p, path, &digest) : NULL;

	free(path);
	return ds;
}

/* ---- facts without opening, kept: a plan asks for them many times ---- */

struct facts {
	struct dataset_shape shape;
	int64_t n[2];
	uint64_t digest;
	enum loss loss;
};

static struct facts facts_last;
static char *facts_last_key;            /* NULL: none yet */

/*
 * Text of all that facts depend on: settings, the file's path, size and times. NULL after error().
 */
static char *facts_key(const struct conf *conf, const char *path)
{
	const struct samples_conf *s = &conf->samples;
	struct stat st;

	if (stat(path, &st)) {
		error("%s: cannot open", path);
		return NULL;
	}
	return xasprintf("%s %ju %ju %jd %jd.%09ld %d %d %jd %jd %jd %jd %d %d %d", path,
			 (uintmax_t)st.st_dev, (uintmax_t)st.st_ino, (intmax_t)st.st_size,
			 (intmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec, conf->channels, s->loss,
			 (intmax_t)s->classes, (intmax_t)s->train, (intmax_t)s->test,
			 (intmax_t)s->holdout, s->standardise, s->crop, s->flip);
}

static int npz_facts(const struct conf *conf, struct facts *facts)
{
	char *path = npz_find(conf), *key = path ? facts_key(conf, path) : NULL;
	struct dataset *ds = NULL;
	uint64_t digest;
	int ret = -1;

	if (key && facts_last_key && strcmp(key, facts_last_key) == 0) {
		ret = npz_agrees(conf, path, facts_last.digest);
	} else if (key && (ds = npz_load(conf, path, &digest))) {
		facts_last.shape = (struct dataset_shape){ ds->height, ds->width, ds->channels,
							   ds->classes, false };
		facts_last.n[SPLIT_TRAIN] = ds->n[SPLIT_TRAIN];
		facts_last.n[SPLIT_TEST] = ds->n[SPLIT_TEST];
		facts_last.loss = ds->loss;
		facts_last.digest = digest;
		free(facts_last_key);
		facts_last_key = key;
		key = NULL;
		ret = 0;
	}
	*facts = facts_last;
	dataset_close(ds);
	free(key);
	free(path);
	return ret;
}

static int npz_shape(const void *p, struct dataset_shape *shape)
{
	struct facts facts;
	const int ret = npz_facts(p, &facts);

	*shape = facts.shape;
	return ret;
}

static int npz_count(const void *p, int64_t n[2])
{
	struct facts facts;
	const int ret = npz_facts(p, &facts);

	n[SPLIT_TRAIN] = facts.n[SPLIT_TRAIN];
	n[SPLIT_TEST] = facts.n[SPLIT_TEST];
	return ret;
}

static int npz_look(const void *p)
{
	char *path = npz_find(p);

	free(path);
	return path ? 0 : -1;
}

static int npz_complete(void *p)
{
	static const int named[] = { [LOSS_CROSS_ENTROPY] = SAMPLES_CROSS_ENTROPY,
				     [LOSS_MSE] = SAMPLES_MSE, [LOSS_BCE] = SAMPLES_BCE };
	struct conf *conf = p;
	struct facts facts;
	char *path;

	if (npz_facts(conf, &facts))
		return -1;
	free(conf->contents);
	conf->contents = xasprintf("%016" PRIx64, facts.digest);
	/* The loss that was chosen; with it the facts are the same. */
	conf->samples.loss = named[facts.loss];
	path = npz_find(conf);
	free(facts_last_key);
	facts_last_key = path ? facts_key(conf, path) : NULL;
	free(path);
	return facts_last_key ? 0 : -1;
}

static uint64_t npz_contents(const void *p)
{
	const struct conf *conf = p;

	return conf->contents ? strtoull(conf->contents, NULL, 16) : 0;
}

/* ---- settings ---- */

static const char *const channel_orders[] = { "last", "first", NULL };

static const struct opt opts[] = {
	{ "file", OPT_AT(STRING, struct conf, file), NULL,
	  "arrays x_train, y_train, x_test and y_test; a relative path is looked for below "
	  "$CONVOY_DATA too", "PATH", 0, 0, NULL, OPT_NOHASH },
	SAMPLES_OPTS(struct conf),
	{ "holdout", OPT_AT(INT, struct conf, samples.holdout), "0",
	  "the last N training samples are the test samples, and x_test is not read; 0: the "
	  "file's own", "N", 0, 1e9, NULL, 0 },
	OPT_CHOICE(struct conf, channels, "last",
		   "dimension of the channels in arrays of four: n x height x width x channels, "
		   "or n x channels x height x width, as PyTorch has them", "WHERE",
		   channel_orders),
	{ "crop", OPT_AT(BOOL, struct conf, samples.crop), "false",
	  "bytes: pad with 4 zeros and crop at random", NULL, 0, 0, NULL, 0 },
	{ "flip", OPT_AT(BOOL, struct conf, samples.flip), "false",
	  "bytes: mirror half of the training images", NULL, 0, 0, NULL, 0 },
	{ "contents", OPT_AT(STRING, struct conf, contents), NULL,
	  "digest that the arrays must have; a run fills it in, and has it in its hash", "DIGEST",
	  0, 0, NULL, OPT_NOHASH },
	{ 0 }
};

#define NPZ_MEMBERS                                                                                \
	.plugin = {                                                                                \
		.name = "npz",                                                                     \
		.brief = "arrays of your own, in a file of numpy.savez()",                         \
		.opts = opts,                                                                      \
		.conf_size = sizeof(struct conf),                                                  \
	},                                                                                         \
	.shape = npz_shape, .count = npz_count, .look = npz_look, .complete = npz_complete,        \
	.contents = npz_contents, .open = npz_open, .label = samples_label, .close = samples_close

const struct dataset_type dataset_npz = { NPZ_MEMBERS, .vector = samples_vector };

/* Type of an opened set of bytes. */
static const struct dataset_type images = { NPZ_MEMBERS, .sample = samples_sample,
					    .moments = samples_moments };

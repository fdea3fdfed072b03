/* Opens a user's file of samples, and keeps the facts about it in the cache. */
#include "data/samples_file.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "data/read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Path of the file, here or below $CONVOY_DATA; the caller frees. NULL after error(). */
static char *file_find(const struct samples_format *f, const struct samples_file *conf)
{
	static const char *const subdirs[] = { NULL };
	const char *name = f->numbers->plugin.name;
	char *path = NULL;

	if (!conf->file)
		error("data set %s: no file is named. Give its path: --data %s:file=PATH", name,
		      name);
	else if (file_is_regular(conf->file))
		path = xstrdup(conf->file);
	else if (!(path = data_seek(NULL, subdirs, conf->file)))
		error("%s: no such file, here or below CONVOY_DATA (expected %s); set --data "
		      "%s:file=PATH", conf->file, f->expected, name);
	return path;
}

/* 0, or error() if the contents do not have the digest in the settings. */
static int contents_agree(const struct samples_file *conf, const char *path, uint64_t digest)
{
	char own[17];

	snprintf(own, sizeof(own), "%016" PRIx64, digest);
	if (!conf->contents || !strcmp(conf->contents, own))
		return 0;
	return error("%s: its samples have the digest %s (expected %s, by contents=%s). Use the "
		     "same file, or leave contents out.", path, own, conf->contents,
		     conf->contents);
}

/* Opens the set at that path. NULL after error(). */
static struct dataset *file_load(const struct samples_format *f, const void *p, const char *path)
{
	const struct samples_file *conf = p;
	scoped_by(samples_release) struct samples_raw raw = { 0 };
	struct dataset *ds = NULL;

	if (f->read(path, p, &raw) == 0) {
		const uint64_t digest = samples_digest(&raw);

		if (contents_agree(conf, path, digest) == 0)
			ds = samples_open(raw.pixels[0] ? f->pixels : f->numbers, &raw,
					  &conf->samples, path);
		if (ds)
			ds->digest = digest;
	}
	return ds;
}

struct dataset *samples_file_open(const struct samples_format *f, const void *conf)
{
	scoped char *path = file_find(f, conf);

	return path ? file_load(f, conf, path) : NULL;
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
 * Text of all that facts depend on: the settings, and the file's path, size and times. NULL after
 * error().
 */
static char *facts_key(const struct samples_format *f, const void *conf)
{
	const struct choice c = { &f->numbers->plugin, (void *)(uintptr_t)conf };
	scoped char *path = file_find(f, conf), *stamp = path ? data_stamp(path) : NULL;
	scoped char *settings = stamp ? choice_format(&c) : NULL;

	return stamp ? xasprintf("%s %s", settings, stamp) : NULL;
}

static int file_facts(const struct samples_format *f, const void *conf, struct facts *facts)
{
	scoped char *key = facts_key(f, conf);
	struct dataset *ds = NULL;
	bool known = key && facts_last_key && strcmp(key, facts_last_key) == 0;

	if (key && !known && (ds = samples_file_open(f, conf))) {
		facts_last = (struct facts){
			{ ds->height, ds->width, ds->channels, ds->classes, false },
			{ ds->n[SPLIT_TRAIN], ds->n[SPLIT_TEST] }, ds->digest, ds->loss,
		};
		free(facts_last_key);
		facts_last_key = key;
		key = NULL;
		known = true;
	}
	*facts = facts_last;
	dataset_close(ds);
	return known ? 0 : -1;
}

int samples_file_shape(const struct samples_format *f, const void *conf,
		       struct dataset_shape *shape)
{
	struct facts facts;
	const int ret = file_facts(f, conf, &facts);

	*shape = facts.shape;
	return ret;
}

int samples_file_count(const struct samples_format *f, const void *conf, int64_t n[2])
{
	struct facts facts;
	const int ret = file_facts(f, conf, &facts);

	n[SPLIT_TRAIN] = facts.n[SPLIT_TRAIN];
	n[SPLIT_TEST] = facts.n[SPLIT_TEST];
	return ret;
}

int samples_file_look(const struct samples_format *f, const void *conf)
{
	scoped char *path = file_find(f, conf);

	return path ? 0 : -1;
}

int samples_file_complete(const struct samples_format *f, void *p)
{
	static const int named[] = { [LOSS_CROSS_ENTROPY] = SAMPLES_CROSS_ENTROPY,
				     [LOSS_MSE] = SAMPLES_MSE, [LOSS_BCE] = SAMPLES_BCE };
	struct samples_file *conf = p;
	struct facts facts;

	if (file_facts(f, conf, &facts))
		return -1;
	free(conf->contents);
	conf->contents = xasprintf("%016" PRIx64, facts.digest);
	conf->samples.loss = named[facts.loss];         /* the one that was chosen */
	free(facts_last_key);
	facts_last_key = facts_key(f, conf);            /* with them the facts are the same */
	return facts_last_key ? 0 : -1;
}

uint64_t samples_file_contents(const void *p)
{
	const struct samples_file *conf = p;

	return conf->contents ? strtoull(conf->contents, NULL, 16) : 0;
}

/*
 * text.c - a file of text, as bytes, characters or words.
 *
 * Its first part is for training, the rest for validation, as nanoGPT cuts it; or another file is
 * for validation. The vocabulary is that of the whole first file.
 */
#include "core/base/error.h"
#include "core/base/mem.h"
#include "data/read.h"
#include "data/store.h"
#include "data/text/vocabulary.h"
#include "data/text/windows.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHAKESPEARE "tinyshakespeare/input.txt"

/* Tiny Shakespeare: characters, different ones. */
enum { SHAKESPEARE_SIZE = 1115394, SHAKESPEARE_SYMBOLS = 65 };
static const uint64_t shakespeare_digest = 0x7a7448e8b02bf04a;

/* Bytes of a file at most; tokens are numbered in 32 bits, and a float tells 2^24 apart. */
static const size_t text_most = (size_t)1 << 30;

struct conf {
	char *file, *valid;
	int unit;
	int64_t window;
	double split;
	bool random;
};

struct text {
	struct windows w;
	struct vocabulary vocabulary;
	struct bytes bytes;             /* of the first file: the symbols are in it */
};

extern const struct dataset_type dataset_text;

/* The file, or the one of that name below $CONVOY_DATA. The caller frees; NULL after error(). */
static char *text_find(const char *file)
{
	static const char *const subdirs[] = { ".", NULL };
	char *path;

	if (!access(file, R_OK))
		return xstrdup(file);
	path = data_seek(NULL, subdirs, file);
	if (!path)
		error("%s: there is no such file, here or below CONVOY_DATA (a text, or a text "
		      "packed by gzip or xz). Give its path: --data text:file=PATH", file);
	return path;
}

/* *path <- where it was found; the caller frees. */
static int text_load(const char *file, struct bytes *out, char **path)
{
	*path = text_find(file);
	return *path ? data_read(*path, text_most, out) : -1;
}

/* The validation tokens, of a file of their own or cut off those of the first one. */
static int text_cut(struct text *t, const struct conf *conf, size_t n)
{
	struct bytes bytes = { 0 };
	char *path = NULL;
	size_t length = 0;

	if (!conf->valid) {
		t->w.length[SPLIT_TRAIN] = (int64_t)(conf->split * (double)n);
		t->w.length[SPLIT_TEST] = (int64_t)n - t->w.length[SPLIT_TRAIN];
		t->w.tokens[SPLIT_TEST] = xcalloc((size_t)t->w.length[SPLIT_TEST] + 1,
						  sizeof(int32_t));
		memcpy(t->w.tokens[SPLIT_TEST],
		       t->w.tokens[SPLIT_TRAIN] + t->w.length[SPLIT_TRAIN],
		       (size_t)t->w.length[SPLIT_TEST] * sizeof(int32_t));
		return 0;
	}
	t->w.length[SPLIT_TRAIN] = (int64_t)n;
	if (!text_load(conf->valid, &bytes, &path))
		t->w.tokens[SPLIT_TEST] = vocabulary_encode(
			&t->vocabulary, path, (const char *)bytes.at, bytes.n, &length);
	t->w.length[SPLIT_TEST] = (int64_t)length;
	free(bytes.at);
	free(path);
	return t->w.tokens[SPLIT_TEST] ? 0 : -1;
}

static int text_read(struct dataset *ds, struct text *t, const struct conf *conf)
{
	size_t n;

	if (text_load(conf->file, &t->bytes, &ds->place))
		return -1;
	t->w.random = conf->random;
	t->w.tokens[SPLIT_TRAIN] = vocabulary_make(&t->vocabulary, (enum unit)conf->unit, ds->place,
						   (const char *)t->bytes.at, t->bytes.n, &n);
	if (!t->w.tokens[SPLIT_TRAIN] || text_cut(t, conf, n)
	    || windows_fit(ds, &t->w, (int)conf->window, ds->place))
		return -1;
	ds->classes = t->vocabulary.n;
	return 0;
}

static struct dataset *text_open(const void *p)
{
	struct dataset *ds = xcalloc(1, sizeof(*ds));
	struct text *t = xcalloc(1, sizeof(*t));

	*ds = (struct dataset){ .type = &dataset_text, .priv = t };
	if (text_read(ds, t, p)) {
		dataset_close(ds);
		return NULL;
	}
	ds->digest = windows_digest(&t->w);
	ds->standing = ds->digest == shakespeare_digest ? SET_PUBLISHED : SET_OWN;
	return ds;
}

static void text_close(struct dataset *ds)
{
	struct text *t = ds->priv;

	vocabulary_release(&t->vocabulary);
	windows_release(&t->w);
	free(t->bytes.at);
	free(t);
}

static void text_window(const struct dataset *ds, enum split split, int64_t i, struct rng *r,
			float *tokens, int32_t *next)
{
	windows_read(&((const struct text *)ds->priv)->w, ds->height, split, i, r, tokens, next);
}

static int32_t *text_encode(const struct dataset *ds, const char *text, size_t *n)
{
	const struct text *t = ds->priv;
	size_t size = strlen(text);
	int32_t *tokens = vocabulary_encode(&t->vocabulary, "prompt", text, size, n);

	/* A prompt of words is no whole line. */
	if (tokens && t->vocabulary.unit == UNIT_WORD && *n && size && text[size - 1] != '\n' &&
	    tokens[*n - 1] == 0)
		--*n;
	return tokens;
}

/* The end of a line, <eos>, is spelt as one. */
static const char *text_spell(const struct dataset *ds, int32_t token, size_t *n, bool *spaced)
{
	const struct text *t = ds->priv;
	const struct symbol *s = &t->vocabulary.symbols[token];

	*spaced = t->vocabulary.unit == UNIT_WORD && token > 0;
	*n = *spaced || t->vocabulary.unit != UNIT_WORD ? s->n : 1;
	return *spaced || t->vocabulary.unit != UNIT_WORD ? s->at : "\n";
}

/* Of the file that needs not be read: its characters are known. */
static bool text_is_known(const struct conf *conf)
{
	return !strcmp(conf->file, SHAKESPEARE) && !conf->valid && conf->unit != UNIT_WORD;
}

static int text_shape(const void *p, struct dataset_shape *shape)
{
	const struct conf *conf = p;
	struct dataset *ds;

	if (conf->file && text_is_known(conf)) {
		*shape = (struct dataset_shape){ (int)conf->window, 1, 1, SHAKESPEARE_SYMBOLS,
						 true };
		return 0;
	}
	ds = text_open(conf);
	if (!ds)
		return -1;
	*shape = (struct dataset_shape){ ds->height, 1, 1, ds->classes, true };
	dataset_close(ds);
	return 0;
}

static int text_count(const void *p, int64_t n[2])
{
	const struct conf *conf = p;
	const struct windows w = {
		.length = { (int64_t)(conf->split * SHAKESPEARE_SIZE),
			    SHAKESPEARE_SIZE - (int64_t)(conf->split * SHAKESPEARE_SIZE) },
	};
	struct dataset ds;

	if (!text_is_known(conf))
		return 1;
	if (windows_fit(&ds, &w, (int)conf->window, conf->file))
		return -1;
	n[SPLIT_TRAIN] = ds.n[SPLIT_TRAIN];
	n[SPLIT_TEST] = ds.n[SPLIT_TEST];
	return 0;
}

static int text_look(const void *p)
{
	const struct conf *conf = p;
	char *file = text_find(conf->file), *valid = conf->valid ? text_find(conf->valid) : NULL;
	const bool there = file && (valid || !conf->valid);

	free(file);
	free(valid);
	return there ? 0 : -1;
}

static const char *const units[] = { "char", "byte", "word", NULL };

static const struct opt opts[] = {
	{ "file", OPT_AT(STRING, struct conf, file), SHAKESPEARE,
	  "the text; a relative path is looked for below $CONVOY_DATA too", "PATH", 0, 0, NULL, 0 },
	{ "valid", OPT_AT(STRING, struct conf, valid), NULL,
	  "another text for validation, instead of the end of the first", "PATH", 0, 0, NULL, 0 },
	{ "unit", OPT_AT(ENUM, struct conf, unit), "char",
	  "a token: a character in UTF-8, a byte, or a word or end of a line", "UNIT", 0, 0, units,
	  0 },
	{ "window", OPT_AT(INT, struct conf, window), "64",
	  "tokens of a sample", "N", 1, 1 << 20, NULL, 0 },
	{ "split", OPT_AT(DOUBLE, struct conf, split), "0.9",
	  "share of the text that is for training", "SHARE", 0, 1, NULL, 0 },
	{ "random", OPT_AT(BOOL, struct conf, random), "true",
	  "training windows begin at random places; false: one behind the other", NULL, 0, 0, NULL,
	  0 },
	{ NULL, OPT_BOOL, 0, NULL, NULL, NULL, 0, 0, NULL, 0 }
};

const struct dataset_type dataset_text = {
	.plugin = {
		.name = "text",
		.brief = "a file of text in windows of characters, bytes or words",
		.opts = opts,
		.conf_size = sizeof(struct conf),
	},
	.tokens = true,
	.shape = text_shape,
	.count = text_count,
	.look = text_look,
	.open = text_open,
	.window = text_window,
	.encode = text_encode,
	.spell = text_spell,
	.close = text_close,
};

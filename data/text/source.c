/* Finds the files of a text, reads them, and cuts them into tokens. */
#include "data/text/source.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "data/data.h"
#include "data/fetch/get.h"
#include "data/store.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Most bytes of a file: tokens are counted in 32 bits, and stored in floats, exact up to 2^24. */
static const size_t text_most = (size_t)1 << 30;

char *text_seek(const char *file)
{
	static const char *const subdirs[] = { ".", NULL };

	const char *folder = getenv("CONVOY_DATA");
	char *path;

	if (!file)
		return NULL;
	if (access(file, R_OK) == 0)
		return xstrdup(file);
	path = data_seek(NULL, subdirs, file);
	if (path || !folder || !*folder)
		return path;
	path = xasprintf("%s/%s", folder, file);        /* a folder of texts */
	if (dir_exists(path))
		return path;
	free(path);
	return NULL;
}

char *text_find(const char *file)
{
	char *path = text_seek(file);
	const char *set = path || !file ? NULL : get_set_of(file);

	if (!file)
		error("data set text: no file is named. Give its path: --data text:file=PATH");
	else if (!path)
		error("%s: there is no such file, here or below CONVOY_DATA (a text, packed by "
		      "gzip or xz or not, or a folder of texts). Give its path: --data "
		      "text:file=PATH%s%s%s", file,
		      set ? ", or fetch it: convoy data get " : "", set ? set : "",
		      set ? " -o DIR" : "");
	return path;
}

/* ---- cache of facts ---- */

struct known {
	char *key;
	struct text_facts facts;
	struct known *next;
};

static struct known *texts_known;

/*
 * Text of a file's size, times and the like: a file whose identity is unchanged has the same
 * contents. NULL after error().
 */
static char *source_identity(const char *path)
{
	if (!path)
		return xstrdup("none");
	if (dir_exists(path)) {
		char **file = dir_list(path, ""), *all = xstrdup("folder");

		for (size_t i = 0; file && file[i] && all; i++) {
			scoped char *one = file_is_regular(file[i]) ? source_identity(file[i])
								    : xstrdup("");

			if (one)
				xappend(&all, "\n", one);
		}
		if (file)
			path_list_free(file);
		return all;
	}
	return data_stamp(path);
}

/* Key of both files and the unit in the cache of facts. NULL after error(). */
static char *source_key(char *const *path, enum unit unit)
{
	char *first = source_identity(path[0]), *second = source_identity(path[1]), *key = NULL;

	if (first && second)
		key = xasprintf("%d\n%s\n%s", (int)unit, first, second);
	free_all(first, second);
	return key;
}

static struct known *source_known(const char *key)
{
	struct known *k = texts_known;

	while (k && strcmp(k->key, key) != 0)
		k = k->next;
	return k;
}

/* ---- reading ---- */

static int rows_find(char **path, const struct text_source *s)
{
	path[0] = text_find(s->file);
	path[1] = path[0] && s->valid ? text_find(s->valid) : NULL;
	return path[0] && (path[1] || !s->valid) ? 0 : -1;
}

/* By sizes, before gigabytes are read; what is packed may prove too large later. 0 or error(). */
static int rows_check_size(const char *path, char *const *file, size_t n)
{
	int64_t all = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t size = 0;

		if (data_size(file[i], &size) < 0)
			return -1;
		all += size;
	}
	if (all <= (int64_t)text_most)
		return 0;
	return error("%s: %.3g GB, and convoy reads texts of at most %.3g GB in all, unpacked. "
		     "Give a part of it, as of head -c 1G", path, 1e-9 * (double)all,
		     1e-9 * (double)text_most);
}

/* The files of a folder, without hidden ones and folders. 0 or error(). */
static int folder_list(struct text_rows *r)
{
	char **all = dir_list(r->path[0], "");

	r->file = xcalloc(1, sizeof(*r->file));
	for (size_t i = 0; all && all[i]; i++) {
		if (!file_is_regular(all[i]))
			continue;
		APPEND(r->file, r->nfiles) = xstrdup(all[i]);
	}
	if (all)
		path_list_free(all);
	r->end = xcalloc(r->nfiles + 1, sizeof(*r->end));
	return r->nfiles ? 0 : error("%s: no file is in this folder (expected texts). Give the "
				     "path of a text or of a folder of texts.", r->path[0]);
}

/* 0, or error() that names the file: it cannot be cut into tokens of that unit. */
static int folder_check(const char *file, const struct bytes *bytes, enum unit unit)
{
	struct vocabulary own = { 0 };
	int32_t *tokens;
	size_t n;

	if (!bytes->n)
		return error("%s: the text is empty. Take it out of the folder.", file);
	tokens = vocabulary_make(&own, unit, file, (const char *)bytes->at, bytes->n, &n);
	vocabulary_release(&own);
	if (!tokens)
		return -1;
	free(tokens);
	return 0;
}

/* bytes <- the contents of all files, one after the other; size[nfiles] <- bytes of each. */
static int folder_read_bytes(struct text_rows *r, enum unit unit, size_t *size)
{
	for (size_t i = 0; i < r->nfiles; i++) {
		struct bytes one;
		uint8_t length[8];
		bool open;

		if (data_read(r->file[i], text_most - r->bytes.n, &one))
			return -1;
		if (folder_check(r->file[i], &one, unit)) {
			free(one.at);
			return -1;
		}
		/* The last word of a file and the first one of the next are two. */
		open = unit == UNIT_WORD && one.n && one.at[one.n - 1] != '\n';
		r->bytes.at = xrealloc(r->bytes.at, r->bytes.n + one.n + open + 1, 1);
		memcpy(r->bytes.at + r->bytes.n, one.at, one.n);
		if (open)
			r->bytes.at[r->bytes.n + one.n] = '\n';
		size[i] = one.n + open;
		r->bytes.n += size[i];
		for (int k = 0; k < 8; k++)
			length[k] = (uint8_t)((uint64_t)one.n >> 8 * k);
		r->facts.digest = digest_bytes(r->facts.digest, length, sizeof(length));
		r->facts.digest = digest_bytes(r->facts.digest, one.at, one.n);
		free(one.at);
	}
	return 0;
}

/* Tokens, vocabulary and ends of a folder of texts. 0 or error(). */
static int folder_read(struct text_rows *r, const struct text_source *s)
{
	size_t *size, n = 0;
	int ret;

	if (s->unit == UNIT_GPT2)
		return error("%s: tokens of GPT-2 are read from one file (expected no folder). "
			     "Give a file, or another unit.", r->path[0]);
	if (folder_list(r) < 0 || rows_check_size(r->path[0], r->file, r->nfiles) < 0)
		return -1;
	size = xcalloc(r->nfiles, sizeof(*size));
	ret = folder_read_bytes(r, s->unit, size);
	if (ret == 0) {
		r->tokens[0] = vocabulary_make(&r->vocabulary, s->unit, r->path[0],
					       (const char *)r->bytes.at, r->bytes.n, &n);
		ret = r->tokens[0] ? 0 : -1;
	}
	r->facts.length[0] = (int64_t)n;
	r->facts.symbols = r->vocabulary.n;
	for (size_t i = 0, at = 0; i < r->nfiles && ret == 0; at += size[i++]) {
		size_t own = 0;
		scoped int32_t *tokens = vocabulary_encode(&r->vocabulary, r->file[i],
						    (const char *)r->bytes.at + at, size[i], &own);

		ret = tokens ? 0 : -1;
		r->end[i] = (i ? r->end[i - 1] : 0) + (int64_t)own;
	}
	free(size);
	return ret;
}

/*
 * Reads the first file, which gives the vocabulary; that of GPT-2 tokens is read from the
 * tokenizer.
 */
static int rows_read_first(struct text_rows *r, const struct text_source *s)
{
	const bool gpt2 = s->unit == UNIT_GPT2;
	char *spelling = NULL;
	size_t n = 0;
	int ret = 0;

	if (dir_exists(r->path[0]))
		return folder_read(r, s);
	if (rows_check_size(r->path[0], r->path, 1) < 0 ||
	    data_read(r->path[0], text_most, &r->bytes))
		return -1;
	r->facts.digest = digest_bytes(0, r->bytes.at, r->bytes.n);
	if (gpt2 && s->tokenizer && !(spelling = text_find(s->tokenizer)))
		ret = -1;
	else if (gpt2)
		ret = tokens_spell(&r->vocabulary, spelling);
	free(spelling);
	if (ret)
		return -1;
	r->tokens[0] = gpt2 ? tokens_read(r->path[0], &r->bytes, &n)
		: vocabulary_make(&r->vocabulary, s->unit, r->path[0],
				  (const char *)r->bytes.at, r->bytes.n, &n);
	r->facts.length[0] = (int64_t)n;
	r->facts.symbols = r->vocabulary.n;
	return r->tokens[0] ? 0 : -1;
}

static int rows_read_second(struct text_rows *r, const struct text_source *s)
{
	struct bytes bytes;
	size_t n = 0;

	if (!r->path[1])
		return 0;
	if (rows_check_size(r->path[1], &r->path[1], 1) < 0 ||
	    data_read(r->path[1], text_most, &bytes))
		return -1;
	r->facts.digest = digest_bytes(r->facts.digest, bytes.at, bytes.n);
	r->tokens[1] = s->unit == UNIT_GPT2 ? tokens_read(r->path[1], &bytes, &n)
		: vocabulary_encode(&r->vocabulary, r->path[1], (const char *)bytes.at, bytes.n,
				    &n);
	r->facts.length[1] = (int64_t)n;
	free(bytes.at);
	return r->tokens[1] ? 0 : -1;
}

int text_rows_read(struct text_rows *r, const struct text_source *s)
{
	struct known *k;
	char *key;

	*r = (struct text_rows){ .path = { NULL, NULL } };
	if (rows_find(r->path, s))
		return -1;
	key = source_key(r->path, s->unit);
	if (!key || rows_read_first(r, s) || rows_read_second(r, s)) {
		free(key);
		return -1;
	}
	if (source_known(key)) {
		free(key);
		return 0;
	}
	k = xcalloc(1, sizeof(*k));
	*k = (struct known){ key, r->facts, texts_known };
	texts_known = k;
	return 0;
}

void text_rows_release(struct text_rows *r)
{
	vocabulary_release(&r->vocabulary);
	free(r->bytes.at);
	for (size_t i = 0; i < r->nfiles; i++)
		free(r->file[i]);
	free_all(r->file, r->end);
	for (int k = 0; k < 2; k++)
		free_all(r->path[k], r->tokens[k]);
	*r = (struct text_rows){ .path = { NULL, NULL } };
}

/* ---- missing files ---- */

static bool plan_only, plan_assumed;

void dataset_plan_only(void)
{
	plan_only = true;
}

bool dataset_plan_assumed(void)
{
	return plan_assumed;
}

bool text_source_assumed(const struct text_source *s)
{
	char *file, *valid;
	bool missing;

	if (!plan_only || !s->file)
		return false;
	file = text_seek(s->file);
	valid = text_seek(s->valid);
	missing = !file || (s->valid && !valid);

	free_all(file, valid);
	return missing;
}

/* Texts that `convoy data get` fetches, recognised by the end of their path. */
static const struct published {
	const char *file;
	enum unit unit;
	struct text_facts facts;
} published[] = {
	{ "wikitext-103/wiki.train.tokens", UNIT_WORD,
	  { .length = { 103227021, 217646 }, .symbols = 267735 } },
	{ "wikitext-2/wiki.train.tokens", UNIT_WORD,
	  { .length = { 2088628, 217646 }, .symbols = 33278 } },
	{ "enwik8/enwik8", UNIT_BYTE, { .length = { 100000000 }, .symbols = 205 } },
	{ "text8/text8", UNIT_CHAR, { .length = { 100000000 }, .symbols = 27 } },
	{ "text8/text8", UNIT_BYTE, { .length = { 100000000 }, .symbols = 27 } },
};

/*
 * *facts <- those of a published text with this name, else of tiny Shakespeare. Notes the
 * assumption once.
 */
static void source_assume(const struct text_source *s, struct text_facts *facts)
{
	const size_t n = strlen(s->file);

	*facts = (struct text_facts){
		.length = { SHAKESPEARE_SIZE, SHAKESPEARE_SIZE },
		.symbols = s->unit == UNIT_GPT2 ? GPT2_TOKENS : SHAKESPEARE_SYMBOLS,
	};
	for (size_t i = 0; i < sizeof(published) / sizeof(published[0]); i++) {
		const struct published *p = &published[i];
		const size_t end = strlen(p->file);

		if (p->unit == s->unit && n >= end && strcmp(s->file + n - end, p->file) == 0)
			*facts = p->facts;
	}
	if (!s->valid)
		facts->length[1] = 0;
	if (!plan_assumed)
		note("%s: not all of the text is there. Assumed: %lld tokens, %d symbols. The "
		     "hash, sizes and times of the plan follow from them", s->file,
		     (long long)facts->length[0], (int)facts->symbols);
	plan_assumed = true;
}

int text_source_facts(const struct text_source *s, struct text_facts *facts)
{
	char *path[2] = { NULL, NULL }, *key = NULL;
	struct text_rows rows;
	const struct known *k;
	int ret;

	if (text_source_assumed(s)) {
		source_assume(s, facts);
		return 0;
	}
	ret = rows_find(path, s);
	if (!ret)
		key = source_key(path, s->unit);
	k = key ? source_known(key) : NULL;
	if (k) {
		*facts = k->facts;
	} else if (key) {
		ret = text_rows_read(&rows, s);
		*facts = rows.facts;
		text_rows_release(&rows);
	} else {
		ret = -1;
	}
	free_all(key, path[0], path[1]);
	return ret;
}

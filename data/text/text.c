/*
 * text.c - a file of text, as bytes, characters, words or tokens of GPT-2.
 *
 * The first part of the file is for training, the rest for validation, as in nanoGPT; or a second
 * file is for validation. The vocabulary is that of the whole first file.
 */
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/text/word.h"
#include "data/text/source.h"
#include "data/text/windows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHAKESPEARE "tinyshakespeare/input.txt"

/* Digest of tiny Shakespeare. */
static const uint64_t shakespeare_digest = 0xce73ce74afbb8814;

struct conf {
	char *file, *valid, *tokenizer, *contents;
	int unit, shares, document;
	int64_t window;
	double split;
	bool random, streams;
	int64_t test_window;
};

/* Text from which a worker's windows are drawn: all of it, or its own documents. */
enum { SHARES_EQUAL, SHARES_DOCUMENT };

struct text {
	struct windows w;
	struct text_rows rows;          /* the text's tokens are in w */
	bool apart;                     /* each worker has its own documents */
	int64_t *end;                   /* [rows.nfiles] ends of files in the training row */
	enum document document;
};

extern const struct dataset_type dataset_text;

static struct text_source text_source(const struct conf *conf)
{
	return (struct text_source){ conf->file, conf->valid, conf->tokenizer,
				     (enum unit)conf->unit };
}

static bool text_is_shakespeare(const struct conf *conf)
{
	return conf->file && !strcmp(conf->file, SHAKESPEARE) && !conf->valid;
}

/* True if the file is missing, but its characters are known. */
static bool text_is_known(const struct conf *conf)
{
	scoped char *path = text_seek(conf->file);

	return text_is_shakespeare(conf) && !path && conf->unit < UNIT_WORD;
}

/* Tokens of each split: of a file of its own, or a part of the first file. */
static void text_lengths(const struct conf *conf, const struct text_facts *facts, int64_t *length)
{
	length[SPLIT_TRAIN] = facts->length[0];
	length[SPLIT_TEST] = facts->length[1];
	if (conf->valid)
		return;
	length[SPLIT_TRAIN] = (int64_t)(conf->split * (double)facts->length[0]);
	length[SPLIT_TEST] = facts->length[0] - length[SPLIT_TRAIN];
}

/* ---- contents ---- */

/* 0, or error() if the contents do not have the digest in the settings. */
static int text_agrees(const struct conf *conf, const struct text_facts *facts)
{
	char own[17];

	snprintf(own, sizeof own, "%016" PRIx64, facts->digest);
	if (!conf->contents || !strcmp(conf->contents, own))
		return 0;
	return error("%s: the text has the digest %s (expected %s, by contents=%s). Use the same "
		     "text, or leave contents out.", conf->file, own, conf->contents,
		     conf->contents);
}

static int text_complete(void *p)
{
	struct conf *conf = p;
	const struct text_source source = text_source(conf);
	struct text_facts facts;

	if (text_is_known(conf) || text_source_assumed(&source))
		return 0;
	if (text_source_facts(&source, &facts) || text_agrees(conf, &facts))
		return -1;
	free(conf->contents);
	conf->contents = xasprintf("%016" PRIx64, facts.digest);
	return 0;
}

static uint64_t text_contents(const void *p)
{
	const struct conf *conf = p;
	const uint64_t digest = conf->contents ? strtoull(conf->contents, NULL, 16) : 0;

	return digest == shakespeare_digest && text_is_shakespeare(conf) ? 0 : digest;
}

/* ---- opening ---- */

/*
 * Divides the rows of a folder's files into those for training and for validation: each file, so
 * that all are in both. The row of all files is as long as one file's would be.
 */
static void text_divide_files(struct text *t, const struct conf *conf)
{
	const struct text_rows *r = &t->rows;
	const int32_t *all = t->w.tokens[SPLIT_TRAIN];
	int32_t *row[2];
	int64_t at[2] = { 0, 0 }, from = 0;

	t->end = xcalloc(r->nfiles, sizeof(*t->end));
	for (size_t i = 0; i < r->nfiles; i++)
		t->end[i] = conf->valid ? r->end[i] : (int64_t)(conf->split * (double)r->end[i]);
	if (conf->valid)
		return;
	for (int k = 0; k < 2; k++)
		row[k] = xcalloc((size_t)t->w.length[k] + 1, sizeof(*row[k]));
	for (size_t i = 0; i < r->nfiles; from = r->end[i++]) {
		const int64_t train = t->end[i] - (i ? t->end[i - 1] : 0);
		const int64_t n[2] = { train, r->end[i] - from - train };

		for (int k = 0; k < 2; k++) {
			memcpy(row[k] + at[k], all + from + (k ? n[0] : 0),
			       (size_t)n[k] * sizeof(*all));
			at[k] += n[k];
		}
	}
	free(t->w.tokens[SPLIT_TRAIN]);
	for (int k = 0; k < 2; k++)
		t->w.tokens[k] = row[k];
}

static int text_read(struct dataset *ds, struct text *t, const struct conf *conf)
{
	const struct text_source source = text_source(conf);

	if (text_rows_read(&t->rows, &source) || text_agrees(conf, &t->rows.facts))
		return -1;
	ds->path = xstrdup(t->rows.path[0]);
	t->w.random = conf->random;
	t->w.cut = !conf->valid;
	t->apart = conf->shares == SHARES_DOCUMENT;
	t->document = (enum document)conf->document;
	t->w.streams = conf->streams;
	t->w.test_window = (int)conf->test_window;
	text_lengths(conf, &t->rows.facts, t->w.length);
	for (int k = 0; k < 2; k++) {
		t->w.tokens[k] = t->rows.tokens[k];
		t->rows.tokens[k] = NULL;
	}
	if (t->rows.nfiles)
		text_divide_files(t, conf);
	if (!t->w.tokens[SPLIT_TEST]) {
		const size_t n = (size_t)t->w.length[SPLIT_TEST];

		t->w.tokens[SPLIT_TEST] = xcalloc(n + 1, sizeof(int32_t));
		memcpy(t->w.tokens[SPLIT_TEST],
		       t->w.tokens[SPLIT_TRAIN] + t->w.length[SPLIT_TRAIN], n * sizeof(int32_t));
	}
	ds->classes = t->rows.facts.symbols;
	ds->digest = t->rows.facts.digest;
	ds->standing = ds->digest == shakespeare_digest ? SET_PUBLISHED : SET_OWN;
	return windows_fit(ds, &t->w, (int)conf->window, ds->path);
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
	return ds;
}

static void text_close(struct dataset *ds)
{
	struct text *t = ds->priv;

	text_rows_release(&t->rows);
	windows_release(&t->w);
	free_all(t->end, t);
}

static void text_window(const struct dataset *ds, enum split split, int64_t i, struct rng *r,
			float *tokens, int32_t *next)
{
	windows_read(&((const struct text *)ds->priv)->w, ds->height, split, i, r, tokens, next);
}

static bool text_apart(const void *p)
{
	const struct conf *conf = p;

	return conf->shares == SHARES_DOCUMENT;
}

/* Parts of a folder: worker i has file i mod k of k, or its share if several have that file. */
static int text_file_parts(const struct dataset *ds, int workers, struct sample_part *part)
{
	const struct text *t = ds->priv;
	const int k = (int)t->rows.nfiles;

	if (!k)
		return error("%s: partition files needs a folder with a text for each worker "
			     "(expected --data text:file=FOLDER). Choose partition documents for "
			     "one text.", ds->path);
	if (workers % k)
		return error("%s: %d file%s and %d worker%s (expected as many files as workers, or "
			     "a divisor of their number)", ds->path, k, word_plural(k), workers,
			     word_plural(workers));
	for (int w = 0; w < workers; w++) {
		const int of = workers / k, share = w / k, file = w % k;
		const int64_t begin = file ? t->end[file - 1] : 0, n = t->end[file] - begin;

		windows_within(&t->w, ds->height, begin + n * share / of,
			       begin + n * (share + 1) / of, &part[w].first, &part[w].n);
		if (!part[w].n)
			return error("%s: %lld tokens for training among %d worker%s are less than "
				     "a window of %d tokens each. Use a shorter window, or a "
				     "longer text.", t->rows.file[file], (long long)n, of,
				     word_plural(of), ds->height);
	}
	return 0;
}

static int text_parts(const struct dataset *ds, int workers, enum parts_by by,
		      struct sample_part *part)
{
	const struct text *t = ds->priv;
	const int64_t length = t->w.length[SPLIT_TRAIN];
	int64_t *from;
	struct documents d;
	int ret;

	if (!t->apart && by == PARTS_OF_SETTINGS)
		return 1;
	if (by == PARTS_FILES)
		return text_file_parts(ds, workers, part);
	from = xcalloc((size_t)workers + 1, sizeof(*from));
	d = documents_find(&t->rows.vocabulary, t->document, t->w.tokens[SPLIT_TRAIN], length);
	ret = documents_cut(&d, length, workers, from);
	for (int w = 0; w < workers && !ret; w++) {
		windows_within(&t->w, ds->height, from[w], from[w + 1], &part[w].first,
			       &part[w].n);
		ret = part[w].n ? 0 : -1;
	}
	if (ret)
		error("%s: parts by document: %lld document%s cannot be cut into %d parts of at "
		      "least a window of %d tokens. Use fewer workers or a shorter window, or say "
		      "what a document begins with by document=.", ds->path, (long long)d.n,
		      word_plural((double)d.n), workers, ds->height);
	free_all(from, d.at);
	return ret;
}

static int32_t *text_encode(const struct dataset *ds, const char *text, size_t *n)
{
	const struct vocabulary *v = &((const struct text *)ds->priv)->rows.vocabulary;
	const size_t size = strlen(text);
	int32_t *tokens;

	if (v->unit == UNIT_GPT2) {
		error("prompt: a file of tokens does not tell how GPT-2 cuts a text into them. "
		      "Leave the prompt out.");
		return NULL;
	}
	tokens = vocabulary_encode(v, NULL, text, size, n);
	/* A prompt of words is not a complete line: drop the <eos>. */
	if (tokens && v->unit == UNIT_WORD && *n && size && text[size - 1] != '\n' &&
	    tokens[*n - 1] == 0)
		--*n;
	return tokens;
}

/* Text of a token; that of <eos> is a line end. */
static const char *text_spell(const struct dataset *ds, int32_t token, size_t *n, bool *spaced)
{
	const struct vocabulary *v = &((const struct text *)ds->priv)->rows.vocabulary;
	const bool end_of_line = v->unit == UNIT_WORD && token == 0;

	*spaced = v->spaced && !end_of_line;
	*n = end_of_line ? 1 : v->symbols[token].n;
	return end_of_line ? "\n" : v->symbols[token].at;
}

/* ---- facts without opening ---- */

/* 0, or error() for settings that contradict each other, or have no effect. */
static int text_check_settings(const struct conf *conf)
{
	if (conf->streams && conf->shares == SHARES_DOCUMENT)
		return error("data set text: shares=document draws from a worker's documents, and "
			     "streams=true reads all in order. Leave out one of them.");
	if (conf->document != DOCUMENT_BLANK && conf->shares != SHARES_DOCUMENT)
		return error("data set text: document says where documents begin, and with "
			     "shares=equal there are none. Leave it out, or use shares=document.");
	if (conf->tokenizer && conf->unit != UNIT_GPT2)
		return error("data set text: tokenizer=%s spells tokens of unit=gpt2, and the unit "
			     "is another. Leave it out.", conf->tokenizer);
	return 0;
}

/* n[] <- number of windows of each split. 0 or error(). */
static int text_measure(const struct conf *conf, int64_t n[2], int *symbols)
{
	const struct text_source source = text_source(conf);
	struct text_facts facts = { .length = { SHAKESPEARE_SIZE, 0 },
				    .symbols = SHAKESPEARE_SYMBOLS };
	struct windows w = { .random = conf->random, .cut = !conf->valid,
			     .test_window = (int)conf->test_window };
	struct dataset ds;

	if (text_check_settings(conf))
		return -1;
	if (!text_is_known(conf) && text_source_facts(&source, &facts))
		return -1;
	text_lengths(conf, &facts, w.length);
	if (windows_fit(&ds, &w, (int)conf->window, conf->file))
		return -1;
	*symbols = facts.symbols;
	n[SPLIT_TRAIN] = ds.n[SPLIT_TRAIN];
	n[SPLIT_TEST] = ds.n[SPLIT_TEST];
	return 0;
}

static int text_shape(const void *p, struct dataset_shape *shape)
{
	const struct conf *conf = p;
	int64_t n[2];
	int symbols = 0;

	if (text_measure(conf, n, &symbols))
		return -1;
	*shape = (struct dataset_shape){ (int)conf->window, 1, 1, symbols, true };
	return 0;
}

static int text_count(const void *p, int64_t n[2])
{
	int symbols;

	return text_measure(p, n, &symbols);
}

static int text_look(const void *p)
{
	const struct conf *conf = p;
	scoped char *file = text_find(conf->file),
		    *valid = conf->valid ? text_find(conf->valid) : NULL;
	const bool there = file && (valid || !conf->valid);

	return there ? 0 : -1;
}

/* Names of SHARES_... and of enum document. */
static const char *const shares[] = { "equal", "document", NULL };
static const char *const documents[] = { "blank", "title", NULL };
static const char *const units[] = { "char", "byte", "word", "gpt2", NULL };

static const struct opt opts[] = {
	{ "file", OPT_AT(STRING, struct conf, file), SHAKESPEARE,
	  "the text, or a folder of texts, plain or .gz or .xz, each with a part for validation; a "
	  "relative path is looked for below $CONVOY_DATA too", "PATH", 0, 0, NULL, 0 },
	OPT_TEXT(struct conf, valid, "another text for validation, instead of the end of the first",
		 "PATH"),
	OPT_CHOICE(struct conf, unit, "char",
		   "a token: a character in UTF-8, a byte, a word or end of a line; gpt2: the "
		   "files hold tokens of GPT-2, as llm.c writes them", "UNIT", units),
	{ "tokenizer", OPT_AT(STRING, struct conf, tokenizer), NULL,
	  "unit=gpt2: llm.c's file that spells tokens; without it they are printed as numbers",
	  "PATH", 0, 0, NULL, OPT_NOHASH },
	OPT_NUMBER(struct conf, window, "64", "tokens of a sample", "N", 1, 1 << 20),
	OPT_NUMBER(struct conf, split, "0.9", "share of the text that is for training", "SHARE", 0,
		   1),
	{ "random", OPT_AT(BOOL, struct conf, random), "true",
	  "training windows begin at random positions; false: one after the other", NULL, 0, 0,
	  NULL,
	  0 },
	{ "shares", OPT_AT(ENUM, struct conf, shares), "equal",
	  "equal: all workers share all windows; document: each has documents of its own", "HOW",
	  0, 0, shares, OPT_ADDED },
	{ "document", OPT_AT(ENUM, struct conf, document), "blank",
	  "a document begins after empty lines (blank), or with a line '= TITLE =' (title), as "
	  "in WikiText; with unit=gpt2 it begins with <|endoftext|>", "HOW", 0, 0, documents,
	  OPT_ADDED },
	{ "contents", OPT_AT(STRING, struct conf, contents), NULL,
	  "digest that the text must have; a run fills it in, and has it in its hash", "DIGEST",
	  0, 0, NULL, OPT_NOHASH },
	WINDOWS_OPTS(struct conf),
	{ 0 }
};

const struct dataset_type dataset_text = {
	.plugin = {
		.name = "text",
		.brief = "a file of text in windows of characters, bytes or words",
		.also = "*.txt=text:file=*",
		.opts = opts,
		.conf_size = sizeof(struct conf),
	},
	.tokens = true,
	.shape = text_shape,
	.count = text_count,
	.look = text_look,
	.complete = text_complete,
	.contents = text_contents,
	.open = text_open,
	.window = text_window,
	.parts = text_parts,
	.apart = text_apart,
	.encode = text_encode,
	.spell = text_spell,
	.close = text_close,
};

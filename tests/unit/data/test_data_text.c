/* Data sets of text: tokens, windows, bad files, and the entropy of the built-in chain. */
#include "core/base/mem.h"
#include "data/data.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/folder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put(const char *name, const char *contents, size_t size)
{
	folder_write(folder, name, PACK_PLAIN, contents, size);
}

static struct dataset *open_text(const char *contents, const char *options)
{
	char *text;
	struct dataset *ds;

	put("text.txt", contents, strlen(contents));
	text = xasprintf("text:file=%s/text.txt,%s", folder, options);
	ds = dataset_open_text(text);
	free(text);
	return ds;
}

static void refused(const char *contents, size_t size, const char *options, const char *why)
{
	char *text = xasprintf("text:file=%s/text.txt,%s", folder, options);

	put("text.txt", contents, size);
	capture_start();
	assert_null(dataset_open_text(text));
	capture_stop();
	if (!strstr(capture_text(), why))
		fail_msg("%s: %s", options, capture_text());
	free(text);
}

static char *spelt(const struct dataset *ds, int32_t token)
{
	bool spaced;
	size_t n;
	const char *at = ds->type->spell(ds, token, &n, &spaced);

	return xasprintf("%.*s", (int)n, at);
}

static void vocabulary_is(const struct dataset *ds, const char *const *want)
{
	for (int k = 0; k < ds->classes; k++) {
		char *text = spelt(ds, k);

		assert_non_null(want[k]);
		assert_string_equal(text, want[k]);
		free(text);
	}
	assert_null(want[ds->classes]);
}

/* Characters, in the order of their code points, and bytes. */
static void symbols(void **state)
{
	struct dataset *ds = open_text("b\xC3\xA9" "a\nab\xE2\x82\xAC", "window=1,split=0.5");

	assert_non_null(ds);
	vocabulary_is(ds, (const char *[]){ "\n", "a", "b", "\xC3\xA9", "\xE2\x82\xAC", NULL });
	dataset_close(ds);
	ds = open_text("b\xC3\xA9" "a\nab", "unit=byte,window=1,split=0.5");
	assert_non_null(ds);
	vocabulary_is(ds, (const char *[]){ "\n", "a", "b", "\xA9", "\xC3", NULL });
	dataset_close(ds);
}

/* Words by their counts after the end of line, equal ones as they first appear. */
static void words(void **state)
{
	struct dataset *ds = open_text(" so  it\tis \n\nit was is it",
				       "unit=word,window=1,split=0.5");
	size_t n;
	int32_t *tokens;

	assert_non_null(ds);
	vocabulary_is(ds, (const char *[]){ "\n", "it", "is", "so", "was", NULL });
	tokens = ds->type->encode(ds, "it was\nso", &n);
	assert_int_equal(n, 4);
	assert_memory_equal(tokens, ((int32_t[]){ 1, 4, 0, 3 }), sizeof(int32_t[4]));
	free(tokens);
	dataset_close(ds);
}

/* White space is that of Unicode; a last line without a break ends, and so does a prompt's not. */
static void words_apart(void **state)
{
	struct dataset *ds = open_text("a\xC2\xA0" "b\xE3\x80\x80" "a\xE2\x80\x89" "\xC3\xA9\x1F"
				       "c\r\n", "unit=word,window=1,split=0.5");
	char *options;
	size_t n;
	int32_t *tokens;

	assert_non_null(ds);
	vocabulary_is(ds, (const char *[]){ "\n", "a", "b", "\xC3\xA9", "c", NULL });
	tokens = ds->type->encode(ds, "b c", &n);
	assert_int_equal(n, 2);
	free(tokens);
	dataset_close(ds);
	put("other.txt", "a b", 3);
	options = xasprintf("unit=word,window=1,valid=%s/other.txt", folder);
	ds = open_text("a b c\n", options);
	free(options);
	assert_non_null(ds);
	assert_int_equal(ds->n[SPLIT_TRAIN], 3);
	assert_int_equal(ds->n[SPLIT_TEST], 2);         /* a b <eos> */
	dataset_close(ds);
}

/* 36 tokens 0, 1, ...: capitals first; 24 of them are for training. */
static void windows(void **state)
{
	struct dataset *ds = open_text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJ",
				       "window=5,split=0.67");
	const int64_t all[] = { 0, 1, 2, 3 };
	struct batch b = { .n = 4, .sample = all, .seed = 7 };
	int counted[36] = { 0 };
	float tokens[20];
	int32_t next[20];

	assert_non_null(ds);
	/* 24 training tokens have 23 that follow one; 12 validation tokens have 11. */
	assert_int_equal(ds->n[SPLIT_TRAIN], 4);
	assert_int_equal(ds->n[SPLIT_TEST], 3);
	dataset_fetch(ds, SPLIT_TRAIN, &b, tokens, next);
	for (int i = 0; i < 20; i++) {
		assert_int_equal(next[i], (int)tokens[i] + 1);
		assert_int_equal((int)tokens[i], i + 10);       /* capitals come first */
	}
	b.n = 3;
	dataset_fetch(ds, SPLIT_TEST, &b, tokens, next);
	for (int i = 0; i < 15; i++)
		if (next[i] >= 0)
			counted[next[i]]++;
	/* Validation is y z A ... J: each but the first is a label, just once. */
	for (int k = 0; k < 36; k++)
		assert_int_equal(counted[k], k < 10 || k == 35);
	dataset_close(ds);
}

/* In streams the last window of the test split begins after the one before it, and is padded. */
static void windows_of_a_stream(void **state)
{
	struct dataset *ds = open_text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJ",
				       "window=5,split=0.67,streams=true");
	const int64_t all[] = { 1, 2 };
	const struct batch b = { .n = 2, .sample = all };
	float tokens[10];
	int32_t next[10];

	assert_non_null(ds);
	dataset_fetch(ds, SPLIT_TEST, &b, tokens, next);
	/* Of y z A ... J: D to H, then I, which J follows. */
	for (int i = 0; i < 6; i++) {
		assert_int_equal((int)tokens[i], i + 3);
		assert_int_equal(next[i], i + 4);
	}
	for (int i = 6; i < 10; i++) {
		assert_int_equal((int)tokens[i], 0);
		assert_int_equal(next[i], -1);
	}
	dataset_close(ds);
}

/* Drawn windows are whole, differ from use to use, and are the same for the same use. */
static void drawn(void **state)
{
	struct dataset *ds = open_text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJ",
				       "window=5,split=0.67");
	float tokens[5], again[5];
	int32_t next[5];
	bool seen[36] = { false };

	for (uint64_t use = 0; use < 400; use++) {
		const int64_t sample = (int64_t)(use % 4);
		const struct batch b = { 1, &sample, &use, 7 };

		dataset_fetch(ds, SPLIT_TRAIN, &b, tokens, next);
		for (int k = 0; k < 5; k++) {
			/* a..x, then the end of the training text: no window runs over it. */
			assert_int_equal(next[k], (int)tokens[k] + 1);
			assert_within((int)tokens[k], 10, 32);
		}
		seen[(int)tokens[0]] = true;
		dataset_fetch(ds, SPLIT_TRAIN, &b, again, next);
		assert_memory_equal(tokens, again, sizeof(tokens));
	}
	for (int k = 10; k < 10 + 24 - 5; k++)
		assert_true(seen[k]);
	dataset_close(ds);
}

static void bad_text(void **state)
{
	char *other;

	refused("abc", 3, "window=2,split=0.5", "fewer than a window of 2 and the token after it");
	refused("", 0, "unit=byte", "there is no text in it");
	refused("ab\ncd\xFFgh", 8, "window=1", "text.txt:2: byte 6 of the text is not UTF-8");
	refused("ab\ncd\xC3", 6, "unit=word,window=1", "not UTF-8 (unit=word needs UTF-8)");
	put("other.txt", "ab\nabz", 6);
	other = xasprintf("window=1,valid=%s/other.txt", folder);
	refused("abc\nabc", 7, other, "other.txt:2: 'z' is not in the vocabulary");
	free(other);
	capture_start();
	assert_null(dataset_open_text("text:file=no-such.txt"));
	capture_stop();
	assert_non_null(strstr(capture_text(), "no-such.txt: there is no such file"));
}

static void other_valid(void **state)
{
	char *options = xasprintf("window=2,valid=%s/other.txt", folder);
	struct dataset *ds;

	put("other.txt", "cba", 3);
	ds = open_text("abcabcabc", options);
	free(options);
	assert_non_null(ds);
	assert_int_equal(ds->n[SPLIT_TRAIN], 4);
	assert_int_equal(ds->n[SPLIT_TEST], 1);
	dataset_close(ds);
}

/* -log p of a chain's own text, counted: near the entropy that it says. */
static void chain_entropy(void **state)
{
	struct dataset *ds = dataset_open_text("chain:train=400000,letters=5,window=3,seed=4");
	double pair[5][5][5] = { 0 }, cost = 0;
	int64_t n = 0;
	float tokens[3];
	int32_t next[3];

	assert_non_null(ds);
	assert_int_equal(ds->classes, 5);
	for (int64_t i = 0; i < ds->n[SPLIT_TRAIN]; i++) {
		const struct batch b = { 1, &i, NULL, 7 };

		dataset_fetch(ds, SPLIT_TRAIN, &b, tokens, next);
		for (int k = 1; k < 3; k++, n++)
			pair[(int)tokens[k - 1]][(int)tokens[k]][next[k]]++;
	}
	for (int a = 0; a < 5; a++)
		for (int b = 0; b < 5; b++) {
			double sum = 0;

			for (int c = 0; c < 5; c++)
				sum += pair[a][b][c];
			for (int c = 0; c < 5; c++)
				if (pair[a][b][c] > 0)
					cost -= pair[a][b][c] * log(pair[a][b][c] / sum);
		}
	/* Two of a window's three letters have both letters before them: the first costs more. */
	assert_true(cost / (double)n < ds->least);
	assert_near(cost / (double)n, ds->least, 0.25);
	dataset_close(ds);
}

/* Equal probabilities: log letters, everywhere. A chain of order 1 costs the same anywhere. */
static void chain_exact(void **state)
{
	struct dataset *ds = dataset_open_text("chain:sharpness=0,letters=7,order=3,train=100,"
					       "test=100");
	double least;

	assert_near(ds->least, log(7), 1e-12);
	dataset_close(ds);
	ds = dataset_open_text("chain:order=1,window=4,train=100,test=100");
	least = ds->least;
	dataset_close(ds);
	ds = dataset_open_text("chain:order=1,window=40,train=100,test=100");
	assert_near(ds->least, least, 1e-12);
	dataset_close(ds);
	capture_start();
	assert_null(dataset_open_text("chain:letters=26,order=6"));
	capture_stop();
	assert_non_null(strstr(capture_text(), "contexts (expected at most 100000)"));
}

RUN_WITH(folder_open, folder_close, symbols, words, words_apart, windows, windows_of_a_stream,
	drawn, bad_text, other_valid, chain_entropy, chain_exact)

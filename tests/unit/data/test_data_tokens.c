/* Files of GPT-2's tokens: what they hold, how tokens are spelt, and what no such file is. */
#include "core/base/mem.h"
#include "data/data.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/folder.h"

#include <stdlib.h>
#include <string.h>

enum { HEADER = 1024, SYMBOLS = 50257 };

static void put_word(uint8_t *at, int k, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[4 * k + i] = (uint8_t)(value >> 8 * i);
}

/* A file of n tokens whose header says `count`. */
static void put_tokens(const char *name, uint32_t magic, uint32_t count, const uint16_t *token,
		       size_t n)
{
	uint8_t *file = xcalloc(HEADER + 2 * n, 1);

	put_word(file, 0, magic);
	put_word(file, 1, 1);
	put_word(file, 2, count);
	for (size_t i = 0; i < n; i++) {
		file[HEADER + 2 * i] = (uint8_t)token[i];
		file[HEADER + 2 * i + 1] = (uint8_t)(token[i] >> 8);
	}
	folder_write(folder, name, PACK_PLAIN, file, HEADER + 2 * n);
	free(file);
}

/* Token k is "k " but for the last, which has no bytes. */
static void put_tokenizer(const char *name, size_t cut)
{
	uint8_t *file = xcalloc(HEADER + 8 * SYMBOLS, 1);
	size_t n = HEADER;

	put_word(file, 0, 20240328);
	put_word(file, 1, 2);
	put_word(file, 2, SYMBOLS);
	put_word(file, 3, SYMBOLS - 1);
	for (int k = 0; k < SYMBOLS - 1; k++) {
		char *text = xasprintf("%d ", k);

		file[n++] = (uint8_t)strlen(text);
		memcpy(file + n, text, strlen(text));
		n += strlen(text);
		free(text);
	}
	file[n++] = 0;
	folder_write(folder, name, PACK_PLAIN, file, n - cut);
	free(file);
}

static struct dataset *try_open(const char *options)
{
	char *text = xasprintf("text:unit=gpt2,window=2,file=%s/train.bin,%s", folder, options);
	struct dataset *ds;

	ds = dataset_open_text(text);
	free(text);
	return ds;
}

static void refused(const char *options, const char *why)
{
	capture_start();
	assert_null(try_open(options));
	capture_stop();
	if (!strstr(capture_text(), why))
		fail_msg("%s", capture_text());
}

static void spelt(const struct dataset *ds, int32_t token, const char *want, bool apart)
{
	bool spaced;
	size_t n;
	const char *at = ds->type->spell(ds, token, &n, &spaced);

	assert_int_equal(n, strlen(want));
	assert_memory_equal(at, want, n);
	assert_int_equal(spaced, apart);
}

static void tokens(void **state)
{
	const int64_t first = 0;
	const struct batch b = { .n = 1, .sample = &first };
	char *valid = xasprintf("valid=%s/valid.bin", folder);
	struct dataset *ds;
	float window[2];
	int32_t next[2];
	size_t n;

	put_tokens("train.bin", 20240520, 5, (uint16_t[]){ 50256, 7, 260, 50256, 1 }, 5);
	put_tokens("valid.bin", 20240520, 3, (uint16_t[]){ 3, 2, 1 }, 3);
	ds = try_open(valid);
	free(valid);
	assert_non_null(ds);
	assert_int_equal(ds->classes, SYMBOLS);
	assert_int_equal(ds->n[SPLIT_TRAIN], 2);
	assert_int_equal(ds->n[SPLIT_TEST], 1);
	assert_int_equal(dataset_fetch(ds, SPLIT_TRAIN, &b, window, next), 0);
	assert_int_equal((int)window[0], 50256);
	assert_int_equal((int)window[1], 7);
	assert_memory_equal(next, ((int32_t[]){ 7, 260 }), sizeof(next));
	spelt(ds, 260, "260", true);
	capture_start();
	assert_null(ds->type->encode(ds, "a", &n));
	capture_stop();
	assert_said("Leave the prompt out");
	dataset_close(ds);
}

static void spelling(void **state)
{
	char *options = xasprintf("split=0.5,tokenizer=%s/gpt2.bin", folder);
	struct dataset *ds;

	put_tokens("train.bin", 20240520, 6, (uint16_t[6]){ 1 }, 6);
	put_tokenizer("gpt2.bin", 0);
	ds = try_open(options);
	assert_non_null(ds);
	spelt(ds, 0, "0 ", false);
	spelt(ds, 50255, "50255 ", false);
	spelt(ds, 50256, "", false);
	dataset_close(ds);
	put_tokenizer("gpt2.bin", 1);
	refused(options, "gpt2.bin: it ends before token 50256");
	put_tokens("gpt2.bin", 20240520, 6, (uint16_t[6]){ 1 }, 6);
	refused(options, "it begins with 20240520 and 1, so it is no tokenizer of llm.c");
	free(options);
}

static void bad_files(void **state)
{
	put_tokens("train.bin", 20240801, 3, (uint16_t[]){ 1, 2, 3 }, 3);
	refused("split=0.5", "it begins with 20240801 and 1, so it is no file of tokens");
	put_tokens("train.bin", 20240520, 9, (uint16_t[]){ 1, 2, 3 }, 3);
	refused("split=0.5", "train.bin: 9 tokens in 1030 bytes (expected 1042 bytes)");
	put_tokens("train.bin", 20240520, 3, (uint16_t[]){ 1, 50257, 3 }, 3);
	refused("split=0.5", "train.bin: token 2 of the file is 50257 (expected less than 50257)");
	put_tokens("train.bin", 20240520, 3, (uint16_t[]){ 1, 2, 3 }, 3);
	refused("split=0.9", "the training text has 2 tokens, fewer than a window of 2");
	folder_write(folder, "train.bin", PACK_PLAIN, "to be or not to be", 18);
	refused("split=0.5", "train.bin: 18 bytes are no file of tokens of llm.c");
}

RUN_WITH(folder_open, folder_close, tokens, spelling, bad_files)

/* tokens.c - see tokens.h. */
#include "data/text/tokens.h"

#include "core/base/error.h"
#include "core/base/mem.h"

#include <stdio.h>
#include <stdlib.h>

enum { HEADER_WORDS = 256, HEADER_BYTES = 4 * HEADER_WORDS, NUMBER_MOST = 8 };
enum { TOKENS_MAGIC = 20240520, TOKENS_VERSION = 1 };
enum { SPELLING_MAGIC = 20240328, SPELLING_VERSION = 2 };

static const size_t tokenizer_most = (size_t)1 << 25;

static uint32_t tokens_word(const uint8_t *header, int k)
{
	const uint8_t *at = header + 4 * k;

	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
	       (uint32_t)at[3] << 24;
}

/* 0, or error() unless the header begins with those two. */
static int tokens_check_header(const char *path, const struct bytes *b, uint32_t magic,
			       uint32_t version, const char *what)
{
	if (b->n < HEADER_BYTES)
		return error("%s: %zu bytes are no %s of llm.c (expected at least %d). Choose "
			     "another file.", path, b->n, what, HEADER_BYTES);
	if (tokens_word(b->at, 0) != magic || tokens_word(b->at, 1) != version)
		return error("%s: it begins with %u and %u, so it is no %s of llm.c (expected %u "
			     "and %u). Choose another file.", path, tokens_word(b->at, 0),
			     tokens_word(b->at, 1), what, magic, version);
	return 0;
}

int32_t *tokens_read(const char *path, const struct bytes *b, size_t *n)
{
	int32_t *tokens;

	if (tokens_check_header(path, b, TOKENS_MAGIC, TOKENS_VERSION, "file of tokens"))
		return NULL;
	*n = tokens_word(b->at, 2);
	if (b->n != HEADER_BYTES + 2 * *n || !*n) {
		error("%s: %zu tokens in %zu bytes (expected %zu bytes). The file is not whole; "
		      "get it again.", path, *n, b->n, HEADER_BYTES + 2 * *n);
		return NULL;
	}
	tokens = xcalloc(*n, sizeof(*tokens));
	for (size_t i = 0; i < *n; i++) {
		const uint8_t *at = b->at + HEADER_BYTES + 2 * i;

		tokens[i] = at[0] | at[1] << 8;
		if (tokens[i] < GPT2_TOKENS)
			continue;
		error("%s: token %zu of the file is %d (expected less than %d). It is not of "
		      "GPT-2; choose another file.", path, i + 1, tokens[i], GPT2_TOKENS);
		free(tokens);
		return NULL;
	}
	return tokens;
}

static void spell_numbers(struct vocabulary *v)
{
	v->spaced = true;
	v->spelling = xcalloc(GPT2_TOKENS, NUMBER_MOST);
	for (int32_t k = 0; k < GPT2_TOKENS; k++) {
		char *at = v->spelling + (size_t)k * NUMBER_MOST;

		v->symbols[k].n = (size_t)snprintf(at, NUMBER_MOST, "%d", k);
		v->symbols[k].at = at;
	}
}

/* The symbols lie in the file's bytes, which the vocabulary takes. */
static int spell_words(struct vocabulary *v, const char *path, struct bytes *b)
{
	size_t at = HEADER_BYTES;

	v->spelling = (char *)b->at;
	if (tokens_check_header(path, b, SPELLING_MAGIC, SPELLING_VERSION, "tokenizer"))
		return -1;
	if (tokens_word(b->at, 2) != GPT2_TOKENS)
		return error("%s: it spells %u tokens (expected the %d of GPT-2). Choose another "
			     "file.", path, tokens_word(b->at, 2), GPT2_TOKENS);
	for (int32_t k = 0; k < GPT2_TOKENS; k++) {
		const size_t length = at < b->n ? b->at[at] : 0;

		if (at >= b->n || b->n - at - 1 < length)
			return error("%s: it ends before token %d. Get it again.", path, k);
		v->symbols[k].at = (const char *)b->at + at + 1;
		v->symbols[k].n = length;
		at += 1 + length;
	}
	return 0;
}

int tokens_spell(struct vocabulary *v, const char *tokenizer)
{
	struct bytes b;

	*v = (struct vocabulary){ .unit = UNIT_GPT2, .n = GPT2_TOKENS };
	v->symbols = xcalloc(GPT2_TOKENS, sizeof(*v->symbols));
	if (!tokenizer) {
		spell_numbers(v);
		return 0;
	}
	return data_read(tokenizer, tokenizer_most, &b) ? -1 : spell_words(v, tokenizer, &b);
}

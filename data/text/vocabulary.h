/*
 * vocabulary.h - from text to tokens: bytes, characters or words; and how tokens are spelt.
 *
 * Bytes and characters are numbered in the order of their bytes. Words are separated by white
 * space, a line ends with <eos>, which is 0; the others are numbered by their counts, the most
 * frequent first, equal ones as they first appear (as Transformer-XL does). Tokens of GPT-2 are
 * numbered already (below).
 */
#ifndef DATA_TEXT_VOCABULARY_H
#define DATA_TEXT_VOCABULARY_H

#include "data/read.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum unit { UNIT_CHAR, UNIT_BYTE, UNIT_WORD, UNIT_GPT2 };

struct symbol {
	const char *at;         /* [n] bytes, borrowed from the text that had them first */
	size_t n;
	int64_t count;          /* in that text */
	int32_t first;          /* symbols that appeared before it */
};

struct vocabulary {
	enum unit unit;
	struct symbol *symbols; /* [n], owned, by token */
	int32_t n;
	bool spaced;            /* a space stands between two symbols */
	char *spelling;         /* owned; of symbols that are in no text, else NULL */
	int32_t *table;         /* [capacity], owned: token + 1, 0: none */
	size_t capacity;
};

/*
 * Makes a vocabulary of text[size], which must outlive it, and its tokens[*n], owned by the
 * caller. NULL after error(), which `path` begins: not UTF-8, no text, too many words.
 */
int32_t *vocabulary_make(struct vocabulary *v, enum unit unit, const char *path,
			 const char *text, size_t size, size_t *n);

/*
 * The tokens of another text or, where path is NULL, of a prompt. NULL after error() too where it
 * has one that is not known. Words of a last line without a line break end in <eos> too.
 */
int32_t *vocabulary_encode(const struct vocabulary *v, const char *path, const char *text,
			   size_t size, size_t *n);

/* "'x'", or "0xC3" of a byte that cannot be shown; the caller frees. */
char *symbol_text(const char *at, size_t n);

void vocabulary_release(struct vocabulary *v);

/*
 * ---- files of GPT-2's tokens, and of their spelling, as llm.c writes them ----
 *
 * A file of tokens is 256 words of 32 bits, the first three 20240520, 1 and the number of tokens,
 * and then each token in 16 bits. A file of their spelling is 256 words, the first four 20240328,
 * 2, the number of tokens and the token between documents, and then a byte of length and the
 * bytes of each token. All of it is little-endian.
 */

/* Different tokens, of which the last stands before each document. */
enum { GPT2_TOKENS = 50257, GPT2_END = GPT2_TOKENS - 1 };

/* The tokens[*n] of a file's contents, owned by the caller; NULL after error(). */
int32_t *tokens_read(const char *path, const struct bytes *bytes, size_t *n);

/*
 * Makes the vocabulary: tokens are spelt by llm.c's file, or as their numbers where that is NULL.
 * 0 or error().
 */
int tokens_spell(struct vocabulary *v, const char *tokenizer);

#endif

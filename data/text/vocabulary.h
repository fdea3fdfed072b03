/*
 * vocabulary.h - turns text into tokens (bytes, characters or words) and back.
 *
 * Bytes and characters are numbered in ascending order. Words are separated by white space; a line
 * ends with <eos>, which is 0; the other words are numbered by frequency, the most frequent first,
 * and equal ones by first appearance (as Transformer-XL does). Tokens of GPT-2 have fixed numbers
 * (below).
 */
#ifndef DATA_TEXT_VOCABULARY_H
#define DATA_TEXT_VOCABULARY_H

#include "data/read.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum unit { UNIT_CHAR, UNIT_BYTE, UNIT_WORD, UNIT_GPT2 };

struct symbol {
	const char *at;         /* [n] bytes, borrowed from the text in which they came first */
	size_t n;
	int64_t count;          /* in that text */
	int32_t first;          /* symbols that appeared before it */
};

struct vocabulary {
	enum unit unit;
	struct symbol *symbols; /* [n], owned, by token */
	int32_t n;
	bool spaced;            /* there is a space between two symbols */
	char *spelling;         /* bytes of symbols that are in no text, else NULL; owned */
	int32_t *table;         /* [capacity] hash table of token + 1, 0: none; owned */
	size_t capacity;
};

/*
 * Makes the vocabulary of text[size], which must outlive it, and returns the text's tokens[*n],
 * owned by the caller. NULL after error(), which begins with `path`: not UTF-8, no text, too many
 * words.
 */
int32_t *vocabulary_make(struct vocabulary *v, enum unit unit, const char *path,
			 const char *text, size_t size, size_t *n);

/*
 * Tokens of another text or, if path is NULL, of a prompt. NULL after error(), also if it has an
 * unknown symbol. Words in a last line without a line break also end in <eos>.
 */
int32_t *vocabulary_encode(const struct vocabulary *v, const char *path, const char *text,
			   size_t size, size_t *n);

/* "'x'", or "0xC3" for a byte that cannot be shown; the caller frees. */
char *symbol_text(const char *at, size_t n);

void vocabulary_release(struct vocabulary *v);

/*
 * ---- files of GPT-2's tokens, and of their bytes, as llm.c writes them ----
 *
 * A file of tokens has 256 words of 32 bits, the first three being 20240520, 1 and the number of
 * tokens, and then each token in 16 bits. A tokenizer file has 256 words, the first four being
 * 20240328, 2, the number of tokens and the token between documents, and then, for each token, a
 * byte of length and its bytes. Both are little-endian.
 */

/* Number of different tokens; the last one comes before each document. */
enum { GPT2_TOKENS = 50257, GPT2_END = GPT2_TOKENS - 1 };

/* The tokens[*n] of a file's contents, owned by the caller; NULL after error(). */
int32_t *tokens_read(const char *path, const struct bytes *bytes, size_t *n);

/*
 * Makes the vocabulary from a tokenizer file; NULL: tokens are spelt as their numbers. 0 or
 * error().
 */
int tokens_spell(struct vocabulary *v, const char *tokenizer);

#endif

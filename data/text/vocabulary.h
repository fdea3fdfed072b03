/*
 * vocabulary.h - from text to tokens: bytes, characters or words; and how tokens are spelt.
 *
 * Bytes and characters are numbered in the order of their bytes. Words are separated by white
 * space, a line ends with <eos>, which is 0; the others are numbered by their counts, the most
 * frequent first, equal ones as they first appear (as Transformer-XL does). Tokens of GPT-2 are
 * numbered already (tokens.h).
 */
#ifndef DATA_TEXT_VOCABULARY_H
#define DATA_TEXT_VOCABULARY_H

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

#endif

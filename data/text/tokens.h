/*
 * tokens.h - files of GPT-2's tokens, and of their spelling, as llm.c writes them.
 *
 * A file of tokens is 256 words of 32 bits, the first three 20240520, 1 and the number of tokens,
 * and then each token in 16 bits. A file of their spelling is 256 words, the first four 20240328,
 * 2, the number of tokens and the token between documents, and then a byte of length and the
 * bytes of each token. All of it is little-endian.
 */
#ifndef DATA_TEXT_TOKENS_H
#define DATA_TEXT_TOKENS_H

#include "data/read.h"
#include "data/text/vocabulary.h"

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

/* Where the documents of a text begin, and the workers' parts of them. */
#ifndef DATA_TEXT_DOCUMENTS_H
#define DATA_TEXT_DOCUMENTS_H

#include "data/text/vocabulary.h"

/* What a document begins after, or with. Of GPT-2's tokens: with the token <|endoftext|>. */
enum document {
	DOCUMENT_BLANK,         /* after empty lines */
	DOCUMENT_TITLE          /* with a line "= TITLE =", as in WikiText */
};

struct documents {
	int64_t *at;            /* [n] positions in the row of tokens where one begins, owned */
	int64_t n;
};

/* Finds the documents of a row of n tokens; the first begins with it. The caller frees at. */
struct documents documents_find(const struct vocabulary *v, enum document how,
				const int32_t *tokens, int64_t n);

/*
 * Cuts a row of `length` tokens into parts of whole documents, as equal as these allow:
 * from[parts + 1] <- where each part begins, and the end. 0, or -1: there are too few documents.
 */
int documents_cut(const struct documents *d, int64_t length, int parts, int64_t *from);

#endif

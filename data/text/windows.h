/*
 * windows.h - two rows of tokens, and the windows of them that a net reads.
 *
 * A split of n tokens has (n - 1) / window training windows: as many as fit without overlap.
 * Training window i begins at a position drawn from the i-th of equal parts of all positions, or
 * else at i * window. Windows of the test split cover all of it: the last one may overlap the one
 * before, and has labels for its own tokens only. With streams it does not overlap, as a net may
 * have the tokens before it in its memory: it is filled up with tokens 0 without labels, which no
 * earlier token reads.
 */
#ifndef DATA_TEXT_WINDOWS_H
#define DATA_TEXT_WINDOWS_H

#include "core/samples/dataset.h"
#include "core/text/opt.h"
#include "data/text/vocabulary.h"

/* Options of a data set whose CONF has fields named as in struct windows. */
#define WINDOWS_OPTS(CONF) \
	{ "streams", OPT_AT(BOOL, CONF, streams), "false", \
	  "training windows are read in order, in as many streams as a round has samples", NULL, \
	  0, 0, NULL, OPT_ADDED }, \
	{ "test_window", OPT_AT(INT, CONF, test_window), "0", \
	  "tokens of a sample in evaluation; 0: as in training", "N", 0, 1 << 20, NULL, OPT_ADDED }

struct windows {
	int32_t *tokens[2];     /* [length], owned */
	int64_t length[2];
	bool random;            /* training windows begin at drawn positions */
	bool streams;           /* training windows are parallel streams, read in order */
	bool cut;               /* both splits are of one text */
	int test_window;        /* tokens of a test window; 0: as in training */
};

/*
 * Sets ds's sizes. 0, or error(), which begins with `what`, if a split is shorter than a window and
 * the token after it.
 */
int windows_fit(struct dataset *ds, const struct windows *w, int window, const char *what);

/*
 * *first, *n <- the training windows whose tokens, and the token after them, are in [from, to) of
 * the row for any draw of their position.
 */
void windows_within(const struct windows *w, int window, int64_t from, int64_t to,
		    int64_t *first, int64_t *n);

/* Member `window` of struct dataset_type. */
void windows_read(const struct windows *w, int window, enum split split, int64_t i, struct rng *r,
		  float *tokens, int32_t *next);

/* Digest of the contents. */
uint64_t windows_digest(const struct windows *w);

void windows_release(struct windows *w);

/* ---- documents of a text, and the workers' parts of them ---- */

/*
 * Sign that begins a document of characters or words; in GPT-2 tokens, it is always <|endoftext|>.
 */
enum document {
	DOCUMENT_BLANK,         /* after empty lines */
	DOCUMENT_TITLE          /* with a line "= TITLE =", as in WikiText */
};

struct documents {
	int64_t *at;            /* [n] positions of their first tokens in the row, owned */
	int64_t n;
};

/* Documents in a row of n tokens; the first begins at 0. The caller frees at. */
struct documents documents_find(const struct vocabulary *v, enum document how,
				const int32_t *tokens, int64_t n);

/*
 * Cuts a row of `length` tokens into parts of whole documents, as equal as possible: from[parts +
 * 1] <- the beginning of each part, and the end. 0, or -1: there are too few documents.
 */
int documents_cut(const struct documents *d, int64_t length, int parts, int64_t *from);

#endif

/*
 * windows.h - two rows of tokens, and the windows that a net reads of them.
 *
 * A split of n tokens has (n - 1) / window training windows: as many as there are without overlap.
 * In training window i begins at a position drawn from the i-th part of all; else at i times
 * window. Windows of the test split cover all of it: the last one may overlap the one before, and
 * has labels for its own tokens only. In streams it does not, as a net may have the tokens before
 * it in a memory: after the text it has tokens 0 without labels, which no earlier token reads.
 */
#ifndef DATA_TEXT_WINDOWS_H
#define DATA_TEXT_WINDOWS_H

#include "core/samples/dataset.h"
#include "core/text/opt.h"
#include "data/text/vocabulary.h"

/* Options of a data set whose CONF has the same fields as struct windows. */
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
	bool streams;           /* they are read in order, in parallel streams: none is drawn */
	bool cut;               /* both splits are of one text */
	int test_window;        /* tokens of a window of the test split; 0: as of training */
};

/*
 * Fills ds's sizes; 0, or error(), which `what` begins, for a split shorter than a window and the
 * token that follows it.
 */
int windows_fit(struct dataset *ds, const struct windows *w, int window, const char *what);

/*
 * *first, *n <- the training windows that have, wherever they begin, all of their tokens and the
 * one after them in [from, to) of the row.
 */
void windows_within(const struct windows *w, int window, int64_t from, int64_t to,
		    int64_t *first, int64_t *n);

/* As the member window of struct dataset_type. */
void windows_read(const struct windows *w, int window, enum split split, int64_t i, struct rng *r,
		  float *tokens, int32_t *next);

/* A number of the contents. */
uint64_t windows_digest(const struct windows *w);

void windows_release(struct windows *w);

/* ---- where the documents of a text begin, and the workers' parts of them ---- */

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

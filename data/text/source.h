/* The files of a text: found, read, cut into tokens, and known again without reading. */
#ifndef DATA_TEXT_SOURCE_H
#define DATA_TEXT_SOURCE_H

#include "data/read.h"
#include "data/text/vocabulary.h"

struct text_source {            /* borrowed */
	const char *file, *valid;       /* valid NULL: there is no second file */
	const char *tokenizer;          /* that spells tokens of GPT-2; NULL: none */
	enum unit unit;
};

/* Tiny Shakespeare: characters, and different ones. */
enum { SHAKESPEARE_SIZE = 1115394, SHAKESPEARE_SYMBOLS = 65 };

struct text_facts {
	uint64_t digest;        /* of the bytes of both files, unpacked */
	int64_t length[2];      /* tokens of each file */
	int32_t symbols;        /* in the vocabulary */
};

struct text_rows {
	char *path[2];          /* where the files are; [1] NULL: there is no second one; owned */
	struct bytes bytes;     /* of the first file: the symbols are in it */
	struct vocabulary vocabulary;   /* of the first file */
	int32_t *tokens[2];     /* [facts.length], owned */
	struct text_facts facts;
};

/*
 * The file, or the one of that name below $CONVOY_DATA. The caller frees; NULL: there is none, or
 * file is NULL.
 */
char *text_seek(const char *file);

/* The same with error(). */
char *text_find(const char *file);

/* Reads both files; 0 or error(). The caller releases in either case. */
int text_rows_read(struct text_rows *r, const struct text_source *s);
void text_rows_release(struct text_rows *r);

/* True where a file is missing and dataset_plan_only() was called: facts are assumed. */
bool text_source_assumed(const struct text_source *s);

/* What is known of the files, which are read at the first call and once they change. 0, error(). */
int text_source_facts(const struct text_source *s, struct text_facts *facts);

#endif

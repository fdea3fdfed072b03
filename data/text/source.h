/* Files of a text: found, read, and cut into tokens; facts about them are cached. */
#ifndef DATA_TEXT_SOURCE_H
#define DATA_TEXT_SOURCE_H

#include "data/read.h"
#include "data/text/vocabulary.h"

struct text_source {            /* borrowed */
	const char *file, *valid;       /* file: or a folder of them; valid NULL: no second file */
	const char *tokenizer;          /* file that spells tokens of GPT-2; NULL: none */
	enum unit unit;
};

/* Tiny Shakespeare: number of characters, and of different ones. */
enum { SHAKESPEARE_SIZE = 1115394, SHAKESPEARE_SYMBOLS = 65 };

struct text_facts {
	uint64_t digest;        /* of the bytes of both files, unpacked */
	int64_t length[2];      /* tokens of each file, or of all files of a folder */
	int32_t symbols;        /* size of the vocabulary */
};

struct text_rows {
	char *path[2];          /* paths of the files; [1] NULL: no second one; owned */
	struct bytes bytes;     /* of the first file: symbols point into it */
	struct vocabulary vocabulary;   /* of the first file */
	int32_t *tokens[2];     /* [facts.length], owned */
	struct text_facts facts;
	/* Of a folder: its files in the order of their names, and where the tokens of each end. */
	size_t nfiles;          /* 0: no folder */
	char **file;            /* [nfiles] paths, owned */
	int64_t *end;           /* [nfiles] in tokens[0], owned */
};

/*
 * Path of the file, or of that name below $CONVOY_DATA. The caller frees; NULL: there is none, or
 * file is NULL.
 */
char *text_seek(const char *file);

/* text_seek(), with error() if there is no file. */
char *text_find(const char *file);

/* Reads both files; 0 or error(). Call text_rows_release() in either case. */
int text_rows_read(struct text_rows *r, const struct text_source *s);
void text_rows_release(struct text_rows *r);

/* True if a file is missing and dataset_plan_only() was called, so that its facts are assumed. */
bool text_source_assumed(const struct text_source *s);

/*
 * *facts <- facts of the files, which are read at the first call and again when they change. 0 or
 * error().
 */
int text_source_facts(const struct text_source *s, struct text_facts *facts);

#endif

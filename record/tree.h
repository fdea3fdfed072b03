/*
 * tree.h - the content of a result file in memory: groups with attributes and data sets.
 *
 * A result has some 150 attributes and 40 data sets. HDF5's library takes milliseconds to make or
 * read that many, more than a short simulation takes. So tree.c has the content, tree_save.c writes
 * it, by the library where a file of that shape is the first, and structure.c reads it.
 */
#ifndef RECORD_TREE_H
#define RECORD_TREE_H

#include "record/layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum tree_type { TREE_TEXT, TREE_WHOLE, TREE_REAL };    /* numbers: of 4 or 8 bytes */

enum { TREE_RANK = 4 };         /* most dimensions */

struct tree_attribute {         /* one value */
	char *name, *value;     /* owned together; a NUL follows the value */
	enum tree_type type;
	size_t size;            /* bytes of the value */
	uint64_t at;            /* of the value in the file that it was read from */
};

struct tree_source {            /* of values that are read when they are asked for */
	FILE *in;
	char *bytes;            /* all of the file; NULL: `in`. Owned */
};

struct tree {                   /* a group, or a data set where `values` or `set` says so */
	char *name;             /* owned; NULL: the root */
	struct tree_attribute *attribute;       /* [nattributes] in the file's order */
	size_t nattributes, most_attributes;
	struct tree **member;   /* [nmembers], owned */
	size_t nmembers;

	bool set;               /* a data set: the rest is of it */
	enum tree_type type;
	size_t size;            /* bytes of one value */
	int rank;               /* 0: one value */
	uint64_t dim[TREE_RANK], count;
	const void *values;     /* [count]; NULL: in the file, at `at` */
	void *own;              /* is freed with the tree */
	uint64_t at;            /* UINT64_MAX: not written */
	uint64_t space_at, layout_at;   /* the messages of its header, in the file that was read */

	struct tree_source source;      /* of the root */
};

/* A new file's root; freed with tree_free(), with all below it. */
struct tree *tree_new(void);
void tree_free(struct tree *root);

/* A new member; borrowed. */
struct tree *tree_add(struct tree *parent, const char *name);

/* The member of that name; NULL: there is none, or no parent. */
struct tree *tree_find(const struct tree *parent, const char *name);

/* ---- attributes: copied; a text longer than HDF5 allows (64 kB) is cut ---- */

void tree_put_text(struct tree *t, const char *name, const char *value);
void tree_put_whole(struct tree *t, const char *name, int64_t value);
void tree_put_real(struct tree *t, const char *name, double value);

/* As a whole number, or as a real one where an int64_t is too short. */
void tree_put_count(struct tree *t, const char *name, __int128 value);

/* A value of `size` bytes as it is in a file. */
void tree_put_value(struct tree *t, const char *name, enum tree_type type, size_t size,
		    const void *value);

/* Removes it, where it is there. */
void tree_take_out(struct tree *t, const char *name);

/* A node without attributes has none of them: t may be NULL. */
bool tree_has(const struct tree *t, const char *name);

/* The attribute of that name, borrowed; or NULL. */
const struct tree_attribute *tree_attribute(const struct tree *t, const char *name);

/* The i-th of some numbers of 4 or 8 bytes, which need not be aligned. */
double tree_real(const void *values, size_t size, uint64_t i);
int64_t tree_whole(const void *values, size_t size, uint64_t i);

/* Text is owned by the caller, NULL when it is not there or not text. Numbers: 0 or -1. */
char *tree_text_of(const struct tree_attribute *a);
char *tree_get_text(const struct tree *t, const char *name);
bool tree_text_is(const struct tree *t, const char *name, const char *expected);
int tree_get_real(const struct tree *t, const char *name, double *value);
int tree_get_whole(const struct tree *t, const char *name, int64_t *value);

/* [*n] all attributes, by name in alphabetical order: borrowed; the caller frees the list. */
const struct tree_attribute **tree_attributes(const struct tree *t, size_t *n);

/* ---- data sets ---- */

/* Values are borrowed until the tree is saved. */
void tree_put_column(struct tree *parent, const struct column *c);
void tree_put_floats(struct tree *parent, const char *name, size_t n, const float *v);
void tree_put_words(struct tree *parent, const char *name, size_t n, const uint64_t *v);

/* The tree takes the column's values over. */
void tree_take_column(struct tree *parent, struct column *c);

/* A text of any length as a scalar data set; copied. */
void tree_put_long_text(struct tree *parent, const char *name, const char *value);

/* v[n] <- a data set of exactly n whole numbers of 64 bits. */
int tree_get_words(const struct tree *root, const struct tree *parent, const char *name, size_t n,
		   uint64_t *v);

/*
 * v[] <- numbers of the data set `name`, from the `from`-th on and at most TREE_PART, as doubles.
 * How many; 0: no more. -1: they cannot be read.
 */
enum { TREE_PART = 2048 };
int tree_get_part(const struct tree *root, const struct tree *parent, const char *name,
		  uint64_t from, double v[TREE_PART]);

/* Reads the data set c->name of numbers into the empty column c, as doubles. 0 or -1. */
int tree_get_column(const struct tree *root, const struct tree *parent, struct column *c);

/* All values of a data set of this file; NULL: they cannot be read. Borrowed, or in *own. */
const void *tree_values(const struct tree *root, const struct tree *set, void **own);

/* ---- files ---- */

/* h5_save() of a tree, which stays. */
int tree_save(const struct tree *root, const char *path, bool final);

/*
 * A file whose seal is right, and whose structure is ours (structure.c). NULL: *fault, "is
 * damaged: ...", says why.
 */
struct tree *tree_open(const char *path, const char **fault);

/*
 * Has `change` look at a file's tree; where it says 1, the file is replaced, sealed again (final:
 * after that has reached the disk); at 0 nothing is written, and -1 is a file that is none of ours.
 * As `change` says, or error().
 */
int result_change(const char *path, bool final, int (*change)(struct tree *file, const void *ctx),
		  const void *ctx);

#endif

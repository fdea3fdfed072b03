/*
 * checked.h - binary files that end with a checksum.
 *
 * Without a key the checksum is FNV-1a: it detects damage, but anyone can compute it. With a secret
 * key it is SipHash-2-4: only a program that has the key can have written the file.
 */
#ifndef CORE_FILE_CHECKED_H
#define CORE_FILE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { CHECKED_KEY = 16 };      /* bytes of a key */

struct checksum {               /* checksum of the bytes so far */
	bool keyed;
	uint64_t state[4];      /* of SipHash; without a key, one number */
	uint64_t bytes;
	unsigned char part[8];  /* bytes of a word that is not complete yet */
};

struct checked {
	FILE *file;
	char *part;             /* name of the temporary file being written; owned */
	struct checksum sum;    /* of the bytes written */
	int failed;             /* 0: nothing has; of writing, its errno */
};

/*
 * Begins to write PATH.part, or another temporary file, as temporary_create() does. 0 or error().
 * The key [CHECKED_KEY] may be NULL.
 */
int checked_create(struct checked *s, const char *path, const unsigned char *key);
void checked_put(struct checked *s, const void *bytes, size_t n);

/* Renames the complete file to PATH; 0 or error(). Ends s either way. */
int checked_finish(struct checked *s, const char *path);

/* Opens a file if its checksum by that key is right; 0 or error(). */
int checked_open(struct checked *s, const char *path, const unsigned char *key);

/* Bytes left to read: an upper bound for any size that the file states. */
size_t checked_left(struct checked *s);

/* Reads the next n bytes; sets failed if there are fewer. */
void checked_get(struct checked *s, void *bytes, size_t n);

/* 0, or error() when more bytes were asked for than the file has. Ends s. */
int checked_close(struct checked *s, const char *path);

#endif

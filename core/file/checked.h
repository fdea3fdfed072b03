/*
 * checked.h - files of plain bytes with a checksum after them.
 *
 * Without a key it is FNV-1a, which shows damage: anyone can make a file that has it. With a secret
 * key it is SipHash-2-4, so that only who has the key could write the file.
 */
#ifndef CORE_FILE_CHECKED_H
#define CORE_FILE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { CHECKED_KEY = 16 };      /* bytes of a key */

struct checksum {               /* of the bytes so far */
	bool keyed;
	uint64_t state[4];      /* of SipHash; without a key, one number */
	uint64_t bytes;
	unsigned char part[8];  /* of a word that is not whole yet */
};

struct checked {
	FILE *file;
	char *part;             /* the temporary file that is written; owned */
	struct checksum sum;    /* of what is written */
	bool failed;
};

/*
 * Begins to write PATH.part, or one of its own: temporary_create(). 0 or error(). The key
 * [CHECKED_KEY] may be NULL.
 */
int checked_create(struct checked *s, const char *path, const unsigned char *key);
void checked_put(struct checked *s, const void *bytes, size_t n);

/* Replaces PATH by what was written, whole; 0 or error(). Ends s either way. */
int checked_finish(struct checked *s, const char *path);

/* Opens a file whose checksum is right, by that key; 0 or error(). */
int checked_open(struct checked *s, const char *path, const unsigned char *key);

/* Bytes that are still to be read: no size that the file says of a part can be more. */
size_t checked_left(struct checked *s);

/* The next n bytes; failed is set when there are fewer. */
void checked_get(struct checked *s, void *bytes, size_t n);

/* 0, or error() when more was asked for than there is. Ends s. */
int checked_close(struct checked *s, const char *path);

#endif

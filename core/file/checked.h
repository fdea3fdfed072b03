/* Files of plain bytes with a checksum after them. */
#ifndef CORE_FILE_CHECKED_H
#define CORE_FILE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct checked {
	FILE *file;
	char *part;             /* the temporary file that is written; owned */
	bool failed;
};

/* Begins to write PATH.part, or one of its own: temporary_create(). 0 or error(). */
int checked_create(struct checked *s, const char *path);
void checked_put(struct checked *s, const void *bytes, size_t n);

/* Replaces PATH by what was written, whole; 0 or error(). Ends s either way. */
int checked_finish(struct checked *s, const char *path);

/* Opens a file whose checksum is right; 0 or error(). */
int checked_open(struct checked *s, const char *path);

/* Bytes that are still to be read: no size that the file says of a part can be more. */
size_t checked_left(struct checked *s);

/* The next n bytes; failed is set when there are fewer. */
void checked_get(struct checked *s, void *bytes, size_t n);

/* 0, or error() when more was asked for than there is. Ends s. */
int checked_close(struct checked *s, const char *path);

#endif

/* Files of plain bytes with a checksum after them. */
#ifndef CORE_FILE_VAULT_H
#define CORE_FILE_VAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct vault {
	FILE *file;
	bool failed;
};

/* Begins to write PATH.part; 0 or error(). */
int vault_create(struct vault *s, const char *path);
void vault_put(struct vault *s, const void *bytes, size_t n);

/* Replaces PATH by what was written, whole; 0 or error(). Ends s either way. */
int vault_finish(struct vault *s, const char *path);

/* Opens a file whose checksum is right; 0 or error(). */
int vault_open(struct vault *s, const char *path);

/* The next n bytes; failed is set when there are fewer. */
void vault_get(struct vault *s, void *bytes, size_t n);

/* 0, or error() when more was asked for than there is. Ends s. */
int vault_close(struct vault *s, const char *path);

#endif

/* Finding and reading data files: plain, .gz or .xz. */
#ifndef DATA_READ_H
#define DATA_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
	uint8_t *at;            /* [n], owned; freed with free() */
	size_t n;
};

/*
 * The contents of a file of at most `most` bytes, unpacked when it begins as a
 * gzip or xz file does. 0, or error() naming the file: missing, unreadable,
 * truncated, corrupt, or larger. On failure *out is empty.
 */
int data_read(const char *path, size_t most, struct bytes *out);

/* The same for a file that is in memory already; `path` is for messages. */
int data_unpack(const char *path, const uint8_t *in, size_t n, size_t most, struct bytes *out);

/* *size <- of a file that is not packed. 0, 1 when it is, by its name, or -1 after error(). */
int data_size(const char *path, int64_t *size);

/* The first n bytes that data_read() would give of a plain or gzip file. 0, 1: xz, -1: error(). */
int data_peek(const char *path, uint8_t *at, size_t n);

/*
 * Where NAME, NAME.gz or NAME.xz lies: in dir, or in one of the NULL-ended
 * sub-folders of it. dir NULL: $CONVOY_DATA. The caller frees; NULL after
 * error() naming the file, where it was looked for, what to set, and what
 * fetches it; `set` is the data set's name, as `convoy data get` knows it.
 */
char *data_find(const char *set, const char *dir, const char *const *subdirs, const char *name);

/* The same without error(): NULL where it is not. */
char *data_seek(const char *dir, const char *const *subdirs, const char *name);

/* ---- the IDX form of MNIST: a magic number, sizes, bytes; big-endian ---- */

enum { IDX_MAX_RANK = 3 };

struct idx {
	size_t dim[IDX_MAX_RANK];
	const uint8_t *at;      /* [product of dim], borrowed from the file's contents */
};

/*
 * Reads the sizes in the first n bytes of a file of `rank` dimensions, and sets out->at NULL; 0, or
 * error() naming the file.
 */
int idx_header(const char *path, const uint8_t *at, size_t n, int rank, struct idx *out);

/* Reads the header of an array of bytes of `rank` dimensions; 0, or error() naming the file. */
int idx_parse(const char *path, const uint8_t *at, size_t n, int rank, struct idx *out);

#endif

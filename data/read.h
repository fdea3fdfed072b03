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
 * Contents of a file, unpacked if it is a gzip or xz file, of at most `most` bytes. 0, or error()
 * naming the file: missing, unreadable, truncated, corrupt, or too large. Then *out is empty.
 */
int data_read(const char *path, size_t most, struct bytes *out);

/* data_read() for the contents in[n] of a file; `path` is for messages. */
int data_unpack(const char *path, const uint8_t *in, size_t n, size_t most, struct bytes *out);

/*
 * *size <- size of a file that is not packed. 0; 1 if its name says that it is packed; -1 after
 * error().
 */
int data_size(const char *path, int64_t *size);

/*
 * Text of a file's path, number, size and time: its contents are the same if it is. The caller
 * frees; NULL after error().
 */
char *data_stamp(const char *path);

/*
 * at[n] <- the first bytes of a plain or gzip file, unpacked. 0; 1: an xz file; -1 after error().
 */
int data_peek(const char *path, uint8_t *at, size_t n);

/*
 * Path of NAME, NAME.gz or NAME.xz in dir or in one of its sub-folders `subdirs` (NULL-ended). dir
 * NULL: $CONVOY_DATA. The caller frees; NULL after error() that names the file, where it was looked
 * for, what to set, and the command that fetches it; `set` is the name for `convoy data get`.
 */
char *data_find(const char *set, const char *dir, const char *const *subdirs, const char *name);

/* data_find() without error(): NULL if there is no such file. */
char *data_seek(const char *dir, const char *const *subdirs, const char *name);

/* ---- what a run's hash has of the contents of files ---- */

struct contents {
	uint64_t digest;        /* of all files so far; first 0 */
	bool own;               /* one of them is not as published */
};

/*
 * Adds a file's contents, unpacked. `published` is their digest if they are as published: the
 * CRC-32, then 32 bits of the length, as the last bytes of a gzip file have them. *bytes <- their
 * length, unless it is NULL. False, without error(), if the file is missing or cannot be read. A
 * process reads each file once.
 */
bool contents_add(struct contents *c, const char *dir, const char *const *subdirs,
		  const char *name, uint64_t published, int64_t *bytes);

/* Digest of the files; 0: all are as published. */
uint64_t contents_digest(const struct contents *c);

/* Keeps a digest for the process, and returns it: false if none is kept for the key. */
void digest_keep(const char *key, uint64_t digest);
bool digest_kept(const char *key, uint64_t *digest);

/* ---- the IDX format of MNIST: a magic number, sizes, bytes; big-endian ---- */

enum { IDX_MAX_RANK = 3 };

struct idx {
	size_t dim[IDX_MAX_RANK];
	const uint8_t *at;      /* [product of dim], borrowed from the file's contents */
};

/*
 * Reads the sizes from a file's first n bytes; it must have `rank` dimensions. Sets out->at to
 * NULL. 0, or error() naming the file.
 */
int idx_header(const char *path, const uint8_t *at, size_t n, int rank, struct idx *out);

/* Reads an array of bytes with `rank` dimensions; 0, or error() naming the file. */
int idx_parse(const char *path, const uint8_t *at, size_t n, int rank, struct idx *out);

#endif

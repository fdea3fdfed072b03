/* zip.h - reads the members of a ZIP archive: stored or deflated, also ZIP64. */
#ifndef DATA_NPZ_ZIP_H
#define DATA_NPZ_ZIP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <zlib.h>

struct zip_member {
	char *name;             /* owned */
	unsigned method, flags;
	uint32_t crc;
	uint64_t packed, size;  /* bytes in the file, and of the contents */
	uint64_t at;            /* offset of its local header */
};

struct zip {
	const char *path;       /* for messages; borrowed */
	FILE *file;             /* borrowed */
	uint64_t bytes;         /* of the file */
	struct zip_member *member;      /* [n], owned */
	size_t n;
};

/*
 * Reads the archive's directory. 0, or error() naming the file: it is no ZIP archive, or damaged.
 * Either way the caller calls zip_close(), which does not close the file.
 */
int zip_open(struct zip *z, const char *path, FILE *file);
void zip_close(struct zip *z);

/* The member of that name; NULL: none. */
const struct zip_member *zip_find(const struct zip *z, const char *name);

enum { ZIP_BUFFER = 1 << 15 };

/* Contents of a member, read from its beginning to its end. */
struct zip_stream {
	const struct zip *zip;
	const struct zip_member *member;
	uint64_t packed_left, left;     /* bytes in the file and of the contents, not yet read */
	uint32_t crc;                   /* of the bytes read */
	z_stream z;
	uint8_t buffer[ZIP_BUFFER];
};

/* 0 or error(). If 0, the caller ends with zip_end(). */
int zip_begin(struct zip_stream *s, const struct zip *z, const struct zip_member *m);

/* at[n] <- the next bytes. 0, or error(): they are damaged, or there are fewer. */
int zip_read(struct zip_stream *s, void *at, size_t n);

/* Compares the checksum; all bytes must have been read. 0 or error(). */
int zip_check(struct zip_stream *s);
void zip_end(struct zip_stream *s);

#endif

/*
 * reader.h - reads a packed set of photographs.
 *
 * The file is HDF5, so that other programs can read it (docs/data.md). It ends in a page of
 * convoy's own, with the offsets of all parts. This reader uses only that page: HDF5 may crash or
 * hang on a damaged file, and must not be called by two threads.
 *
 *	HDF5 objects ... | page: "convoy-packed 1 CHECKSUM\n" and a JSON object, NULs
 *
 * A split's images are one stream of bytes, cut into chunks of equal size at arbitrary offsets of
 * the file; image i is [begin[i], begin[i + 1]) of the stream.
 */
#ifndef DATA_PACK_READER_H
#define DATA_PACK_READER_H

#include "core/samples/dataset.h"

enum { PACKED_PAGE = 4096, PACKED_MOST_SIDE = 1024, PACKED_MOST_RECORD = 1 << 26 };

struct packed_split {
	int64_t n;              /* images */
	uint64_t bytes, chunk;  /* of the stream, and of each chunk */
	uint64_t chunks;
	int32_t *label;         /* [n] */
	uint64_t *begin;        /* [n + 1] in the stream; NULL: all images have the same size */
	uint64_t *sum;          /* [n] digests of the images' bytes */
	uint64_t *at;           /* [chunks] offsets in the file */
	uint64_t names, name_width;     /* offset of the names: [n][name_width], NUL padded */
};

struct packed {
	int fd;
	char *path;
	bool jpeg;              /* images are JPEGs; else pixels[side][side][3] */
	bool squeezed;          /* pixels: resized to a square, whatever the aspect */
	int side;               /* pixels; 0 for JPEGs */
	int classes;
	uint64_t wnids, wnid_width;     /* their offset: [classes][wnid_width], NUL padded */
	uint64_t bytes;         /* of the whole file */
	uint64_t digest;        /* of all labels, image digests and offsets */
	struct packed_split split[2];
};

/*
 * Opens a file. Checks sizes, labels and offsets against its length and each other, and the
 * checksums of everything but the images. NULL after error() naming the file and the record.
 * packed_close(NULL) does nothing.
 */
struct packed *packed_open(const char *path);
void packed_close(struct packed *p);

/* The digest of a file, from its last page alone; 0, without error(), if there is none. */
uint64_t packed_page_digest(const char *path);

/*
 * packed_open() of an open file, without checksums; packed_close() closes fd; `path` is for
 * messages.
 */
struct packed *packed_parse(int fd, const char *path);

/* Bytes of image i. */
size_t packed_size(const struct packed *p, enum split split, int64_t i);

/*
 * out[packed_size()] <- image i. 0, or error() naming it if it cannot be read or is damaged. Thread
 * safe.
 */
int packed_read(const struct packed *p, enum split split, int64_t i, uint8_t *out);

/* File name of an image. The caller frees. Empty if it cannot be read. */
char *packed_name(const struct packed *p, enum split split, int64_t i);

/* Reads n bytes at an offset of a file; false if it does not have them. */
bool packed_read_at(int fd, uint64_t at, uint8_t *out, size_t n);

/* Checksum in the first line of the page; it is of the text after that line. */
uint64_t packed_checksum(const char *text);

/* Continues the hash h by a split's index, as it is stored in the file (little endian). */
uint64_t packed_digest(uint64_t h, const struct packed_split *s);

#endif

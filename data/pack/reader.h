/*
 * reader.h - reading a packed set of photographs.
 *
 * The file is HDF5, so that others can read it (docs/data.md), and ends in a page
 * of our own that says where everything lies. This side reads by that page alone:
 * HDF5 may crash or hang on a damaged file, and may not be called by two threads.
 *
 *	HDF5 objects ... | page: "convoy-packed 1 CHECKSUM\n" and a JSON object, NULs
 *
 * A split's images are one stream of bytes, cut into chunks of equal size that lie
 * anywhere in the file; image i is [begin[i], begin[i + 1]) of the stream.
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
	uint64_t *begin;        /* [n + 1]; NULL where all images have the same size */
	uint64_t *sum;          /* [n] digests of the images' bytes */
	uint64_t *at;           /* [chunks] in the file */
	uint64_t names, name_width;     /* where names lie: [n][name_width], NUL padded */
};

struct packed {
	int fd;
	char *path;
	bool jpeg;              /* images are JPEGs; else pixels[side][side][3] */
	bool squeezed;          /* pixels: without regard to the aspect */
	int side;               /* 0 for JPEGs */
	int classes;
	uint64_t wnids, wnid_width;     /* where they lie: [classes][wnid_width], NUL padded */
	uint64_t bytes;         /* of the whole file */
	uint64_t digest;        /* of all labels, sums and offsets */
	struct packed_split split[2];
};

/*
 * Opens a file, checks all sizes, labels and offsets against its length and each
 * other, and the checksums of all but the images. NULL after error() naming the
 * file and the record. Closed with packed_close(); NULL is fine.
 */
struct packed *packed_open(const char *path);
void packed_close(struct packed *p);

/*
 * The same without checksums, of an open file, which packed_close() closes; `path`
 * is for messages.
 */
struct packed *packed_parse(int fd, const char *path);

/* Bytes of image i. */
size_t packed_size(const struct packed *p, enum split split, int64_t i);

/* out[packed_size()] <- image i. 0, or error() naming it: unreadable, damaged. Thread safe. */
int packed_read(const struct packed *p, enum split split, int64_t i, uint8_t *out);

/* The image's file name, the class's WordNet id; the caller frees. Empty when unreadable. */
char *packed_name(const struct packed *p, enum split split, int64_t i);
char *packed_wnid(const struct packed *p, int label);

/* n bytes at an offset of a file; false when they are not to be had. */
bool packed_read_at(int fd, uint64_t at, uint8_t *out, size_t n);

/* What the first line of the page says of the text after it. */
uint64_t packed_checksum(const char *text);

/* Goes on from h with a split's index, as it lies in the file (little endian). */
uint64_t packed_digest(uint64_t h, const struct packed_split *s);

#endif

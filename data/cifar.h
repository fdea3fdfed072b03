/*
 * cifar.h - the binary file format of CIFAR-10 and CIFAR-100.
 *
 * A file is a sequence of records. A record has one or two label bytes, of which the last is used,
 * and 3 x 32 x 32 bytes: planes of red, green and blue, each row by row.
 */
#ifndef DATA_CIFAR_H
#define DATA_CIFAR_H

#include "core/samples/dataset.h"

enum { CIFAR_SIDE = 32, CIFAR_PIXELS = 3 * CIFAR_SIDE * CIFAR_SIDE };

struct cifar_format {
	const struct dataset_type *type;
	size_t label_bytes;
	const char *const *files[2];    /* of each split, in order, NULL-ended */
	const char *const *subdirs;     /* folders below dir to look in; NULL-ended */
	int64_t records[2];             /* in each file of each split, as published */
	uint64_t digest;                /* digest of the published set */
	const uint64_t *contents[2];    /* contents_add() of each published file */
};

/*
 * Appends the records in a file's contents at[n] to a split, until the split has `limit` samples
 * (0: no limit). 0, or error() naming the file and the record.
 */
int cifar_parse(const struct cifar_format *f, const char *path, const uint8_t *at, size_t n,
		struct dataset *ds, enum split split, int64_t limit);

#endif

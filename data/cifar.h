/*
 * cifar.h - the binary form of CIFAR-10 and CIFAR-100.
 *
 * A file is records of one or two label bytes, of which the last counts, and
 * 3 x 32 x 32 bytes: planes of red, green and blue, each row by row.
 */
#ifndef DATA_CIFAR_H
#define DATA_CIFAR_H

#include "core/samples/dataset.h"

enum { CIFAR_SIDE = 32, CIFAR_PIXELS = 3 * CIFAR_SIDE * CIFAR_SIDE };

struct cifar_format {
	const struct dataset_type *type;
	size_t label_bytes;
	const char *const *files[2];    /* of each split, in order, NULL-ended */
	const char *const *subdirs;     /* of dir, where they may lie; NULL-ended */
	int64_t records[2];             /* in each file of each split, as published */
	uint64_t digest;                /* of the set as published */
};

/*
 * Appends the records of a file's contents to a split, until it holds `limit`
 * (0: all). 0, or error() naming the file and the record.
 */
int cifar_parse(const struct cifar_format *f, const char *path, const uint8_t *at, size_t n,
		struct dataset *ds, enum split split, int64_t limit);

#endif

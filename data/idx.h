/* The IDX form of MNIST: a magic number, sizes, bytes; big-endian. */
#ifndef DATA_IDX_H
#define DATA_IDX_H

#include <stddef.h>
#include <stdint.h>

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

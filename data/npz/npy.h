/* npy.h - the header of a NumPy array (.npy, versions 1 to 3), and its elements as numbers. */
#ifndef DATA_NPZ_NPY_H
#define DATA_NPZ_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NPY_MOST_RANK = 8, NPY_MOST_HEADER = 1 << 16 };

struct npy {
	char kind;              /* 'b' bool, 'i' or 'u' integer, 'f' floating point */
	size_t width;           /* bytes of an element */
	bool big;               /* highest byte first */
	bool fortran;           /* the first index varies fastest */
	int rank;
	size_t dim[NPY_MOST_RANK];
	size_t count;           /* elements */
};

/*
 * Length of the header, with the magic number, from the first 12 bytes of an array. 0 after
 * error(); `where` begins the message.
 */
size_t npy_header_size(const uint8_t first[12], const char *where);

/*
 * Parses a header of n bytes, as a text after its magic number and length. 0, or error(): it is no
 * array of numbers, or has more elements than memory can address.
 */
int npy_parse(struct npy *a, const char *text, size_t n, const char *where);

/* to[n] <- elements at `from`. */
void npy_convert(const struct npy *a, size_t n, const uint8_t *from, double *to);

/* "60000 x 28 x 28", of an array's dimensions; the caller frees. */
char *npy_shape(const struct npy *a);

static inline bool npy_is_whole(const struct npy *a)
{
	return a->kind != 'f';
}

#endif

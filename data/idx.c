/* Parses an IDX header and checks its sizes against the file's length. */
#include "data/idx.h"

#include "core/base/error.h"

static uint32_t big_endian(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static size_t header_bytes(int rank)
{
	return 4 + 4 * (size_t)rank;
}

int idx_header(const char *path, const uint8_t *at, size_t n, int rank, struct idx *out)
{
	const uint32_t magic = 0x800u + (uint32_t)rank;         /* 8: unsigned bytes */

	out->at = NULL;
	if (n < header_bytes(rank))
		return error("%s: %zu bytes, expected a header of %zu: truncated, or not IDX", path,
			     n, header_bytes(rank));
	if (big_endian(at) != magic)
		return error("%s: begins with %08x, expected %08x: not IDX with bytes in %d "
			     "dimension%s", path, big_endian(at), magic, rank, rank > 1 ? "s" : "");
	for (int i = 0; i < rank; i++)
		out->dim[i] = big_endian(at + 4 + 4 * i);
	return 0;
}

int idx_parse(const char *path, const uint8_t *at, size_t n, int rank, struct idx *out)
{
	const size_t header = header_bytes(rank);
	size_t size = 1;

	if (idx_header(path, at, n, rank, out) < 0)
		return -1;
	for (int i = 0; i < rank; i++)
		if (__builtin_mul_overflow(size, out->dim[i], &size))
			return error("%s: impossible sizes in the header", path);
	if (n - header != size)
		return error("%s: %zu bytes after the header, which says %zu%s", path, n - header,
			     size, n - header < size ? ": truncated" : "");
	out->at = at + header;
	return 0;
}

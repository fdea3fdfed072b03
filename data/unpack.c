/*
 * gzip and xz, by what the file begins with rather than by its name. Both
 * decoders write into a block that grows up to one byte past the limit, so a
 * small file cannot swell without end.
 */
#include "data/read.h"

#include "core/base/error.h"
#include "core/base/mem.h"

#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { CHUNK = 1 << 20, XZ_MEMORY = 1 << 30 };

/* Memory for at least one more byte; false when the limit has been passed. */
static bool unpack_grow(struct bytes *out, size_t *capacity, size_t most)
{
	if (out->n < *capacity)
		return true;
	if (out->n > most)
		return false;
	size_t want = *capacity ? 2 * *capacity : CHUNK;
	*capacity = want > most ? most + 1 : want;
	out->at = xrealloc(out->at, *capacity, 1);
	return true;
}

static int too_large(const char *path, size_t most)
{
	return error("%s: more than the %zu bytes expected", path, most);
}

static uInt unpack_chunk(size_t n)
{
	return n < CHUNK ? (uInt)n : CHUNK;
}

/* One member of a gzip file; *in and *n advance past it. */
static int inflate_member(z_stream *z, const char *path, const uint8_t **in, size_t *n,
			  size_t most, struct bytes *out, size_t *capacity)
{
	int r = Z_OK;

	while (r != Z_STREAM_END) {
		if (!unpack_grow(out, capacity, most))
			return too_large(path, most);
		uInt give = unpack_chunk(*n), take = unpack_chunk(*capacity - out->n);
		z->next_in = (Bytef *)(uintptr_t)*in;
		z->avail_in = give;
		z->next_out = out->at + out->n;
		z->avail_out = take;
		r = inflate(z, Z_NO_FLUSH);
		*in += give - z->avail_in;
		*n -= give - z->avail_in;
		out->n += take - z->avail_out;
		if (r == Z_BUF_ERROR && *n == 0)
			return error("%s: truncated gzip file", path);
		if (r != Z_OK && r != Z_STREAM_END)
			return error("%s: corrupt gzip file: %s", path,
				     z->msg ? z->msg : "bad data");
	}
	return 0;
}

/* Zero bytes after the last member fill the last block of a device; gzip ignores them, too. */
static bool is_padding(const uint8_t *in, size_t n)
{
	return n > 0 && in[0] == 0 && memcmp(in, in + 1, n - 1) == 0;
}

static int unpack_gz(const char *path, const uint8_t *in, size_t n, size_t most,
		     struct bytes *out)
{
	z_stream z = { 0 };
	size_t capacity = 0;
	int r;

	if (inflateInit2(&z, 15 + 16) != Z_OK)
		return error("%s: zlib cannot start: too little memory", path);
	do {
		r = inflate_member(&z, path, &in, &n, most, out, &capacity);
	} while (r == 0 && n > 0 && !is_padding(in, n) && inflateReset(&z) == Z_OK);
	inflateEnd(&z);
	return r;
}

static int xz_error(const char *path, lzma_ret r)
{
	if (r == LZMA_BUF_ERROR)
		return error("%s: truncated xz file", path);
	if (r == LZMA_MEM_ERROR)
		return error("%s: too little memory to unpack it", path);
	return error("%s: corrupt xz file", path);
}

static int unpack_xz(const char *path, const uint8_t *in, size_t n, size_t most,
		     struct bytes *out)
{
	lzma_stream z = LZMA_STREAM_INIT;
	lzma_ret r = lzma_stream_decoder(&z, XZ_MEMORY, LZMA_CONCATENATED);
	size_t capacity = 0;

	z.next_in = in;
	z.avail_in = n;
	while (r == LZMA_OK && unpack_grow(out, &capacity, most)) {
		z.next_out = out->at + out->n;
		z.avail_out = capacity - out->n;
		r = lzma_code(&z, LZMA_FINISH);
		out->n = capacity - z.avail_out;
	}
	lzma_end(&z);
	if (r == LZMA_OK)
		return too_large(path, most);
	return r == LZMA_STREAM_END ? 0 : xz_error(path, r);
}

static bool begins_with(const uint8_t *in, size_t n, const char *magic, size_t len)
{
	return n >= len && memcmp(in, magic, len) == 0;
}

static int copy_plain(const char *path, const uint8_t *in, size_t n, size_t most,
		      struct bytes *out)
{
	if (n > most)
		return too_large(path, most);
	out->at = xrealloc(NULL, n + 1, 1);
	memcpy(out->at, in, n);
	out->n = n;
	return 0;
}

int data_unpack(const char *path, const uint8_t *in, size_t n, size_t most, struct bytes *out)
{
	int r;

	*out = (struct bytes){ 0 };
	if (begins_with(in, n, "\x1f\x8b", 2))
		r = unpack_gz(path, in, n, most, out);
	else if (begins_with(in, n, "\xfd" "7zXZ", 6))
		r = unpack_xz(path, in, n, most, out);
	else
		r = copy_plain(path, in, n, most, out);
	if (r < 0 || out->n > most) {
		if (r == 0)
			r = too_large(path, most);
		free(out->at);
		*out = (struct bytes){ 0 };
	}
	return r;
}

/* Writes and reads checksummed files; reading fails unless the checksum is right. */
#include "core/file/checked.h"

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "core/file/temporary.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 1 << 16 };       /* bytes read at once; a multiple of a word */

/* FNV-1a over whole words, and over the bytes of a last part of one. */
static uint64_t checked_add(uint64_t h, const char *bytes, size_t n)
{
	for (; n >= sizeof(h); n -= sizeof(h), bytes += sizeof(h)) {
		uint64_t word;

		memcpy(&word, bytes, sizeof(word));
		h = fnv_step(h, word);
		h ^= h >> 32;
	}
	return fnv(h, bytes, n);
}

/* The checksum of the first n bytes; false when they cannot be read. */
static bool sum_of(FILE *f, size_t n, uint64_t *sum)
{
	static char block[BLOCK];

	*sum = FNV_START;
	rewind(f);
	while (n > 0) {
		const size_t some = n < BLOCK ? n : BLOCK;

		if (fread(block, 1, some, f) != some)
			return false;
		*sum = checked_add(*sum, block, some);
		n -= some;
	}
	return true;
}

/* Bytes of an open file; 0 when that cannot be said. */
static size_t size_of(FILE *f)
{
	long n = fseek(f, 0, SEEK_END) ? 0 : ftell(f);

	return n < 0 ? 0 : (size_t)n;
}

/* ---- writing ---- */

int checked_create(struct checked *s, const char *path)
{
	int fd;

	*s = (struct checked){ 0 };
	fd = temporary_create(path, ".part", &s->part);
	if (fd < 0)
		return temporary_failed(path, errno);
	s->file = must_have(fdopen(fd, "r+b"), "an open file");
	return 0;
}

void checked_put(struct checked *s, const void *bytes, size_t n)
{
	s->failed |= n && fwrite(bytes, 1, n, s->file) != n;
}

/* After what was written. */
static bool put_sum(FILE *f)
{
	uint64_t sum;

	return fflush(f) == 0 && sum_of(f, size_of(f), &sum) && fseek(f, 0, SEEK_END) == 0 &&
	       fwrite(&sum, 1, sizeof(sum), f) == sizeof(sum);
}

int checked_finish(struct checked *s, const char *path)
{
	int ret = 0;

	if (s->failed || !put_sum(s->file) || temporary_finish(s->file, s->part, path)) {
		ret = temporary_failed(path, errno);
		unlink(s->part);
	}
	fclose(s->file);
	free(s->part);
	return ret;
}

/* ---- reading ---- */

/* True when the last eight bytes are the sum of those before. */
static bool is_whole(FILE *f)
{
	const size_t size = size_of(f);
	uint64_t sum, last;

	return size >= sizeof(last) && sum_of(f, size - sizeof(last), &sum) &&
	       fread(&last, 1, sizeof(last), f) == sizeof(last) && last == sum;
}

int checked_open(struct checked *s, const char *path)
{
	*s = (struct checked){ .file = file_open(path) };
	if (!s->file)
		return error("cannot read '%s': %s", path, file_why());
	if (is_whole(s->file)) {
		rewind(s->file);
		return 0;
	}
	fclose(s->file);
	return error("'%s' is damaged: its checksum is wrong", path);
}

size_t checked_left(struct checked *s)
{
	const long at = s->failed ? -1 : ftell(s->file);
	const size_t end = at < 0 ? 0 : size_of(s->file);

	if (at < 0 || fseek(s->file, at, SEEK_SET) || end < sizeof(uint64_t) + (size_t)at)
		return 0;
	return end - sizeof(uint64_t) - (size_t)at;
}

void checked_get(struct checked *s, void *bytes, size_t n)
{
	if (s->failed || (n && fread(bytes, 1, n, s->file) != n)) {
		memset(bytes, 0, n);
		s->failed = true;
	}
}

int checked_close(struct checked *s, const char *path)
{
	fclose(s->file);
	if (!s->failed)
		return 0;
	return error("'%s' is damaged: it ends too early, or says what cannot be", path);
}

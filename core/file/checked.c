/* Writes and reads checksummed files; reading fails unless the checksum is right. */
#include "core/file/checked.h"

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "core/file/temporary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 1 << 16 };       /* bytes read at once */

/* ---- checksums ---- */

/* A word from n bytes, lowest byte first; if n < 8, the rest is 0. */
static uint64_t word_of(const unsigned char *bytes, size_t n)
{
	uint64_t word = 0;

	for (size_t i = 0; i < n; i++)
		word |= (uint64_t)bytes[i] << 8 * i;
	return word;
}

static uint64_t turn(uint64_t x, int bits)
{
	return x << bits | x >> (64 - bits);
}

/* Rounds of SipHash-2-4 (Aumasson and Bernstein 2012) with state v[4]. */
static void sip_rounds(uint64_t *v, int n)
{
	while (n--) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = turn(v[1], 13) ^ v[0];
		v[3] = turn(v[3], 16) ^ v[2];
		v[0] = turn(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = turn(v[1], 17) ^ v[2];
		v[3] = turn(v[3], 21) ^ v[0];
		v[2] = turn(v[2], 32);
	}
}

static void sip_word(uint64_t *v, uint64_t word)
{
	v[3] ^= word;
	sip_rounds(v, 2);
	v[0] ^= word;
}

static struct checksum sum_begin(const unsigned char *key)
{
	struct checksum sum = { .keyed = key != NULL, .state = { FNV_START } };

	if (key) {
		const uint64_t low = word_of(key, 8), high = word_of(key + 8, 8);

		sum.state[0] = low ^ UINT64_C(0x736f6d6570736575);
		sum.state[1] = high ^ UINT64_C(0x646f72616e646f6d);
		sum.state[2] = low ^ UINT64_C(0x6c7967656e657261);
		sum.state[3] = high ^ UINT64_C(0x7465646279746573);
	}
	return sum;
}

static void sum_word(struct checksum *sum, uint64_t word)
{
	if (sum->keyed) {
		sip_word(sum->state, word);
	} else {
		sum->state[0] = fnv_step(sum->state[0], word);
		sum->state[0] ^= sum->state[0] >> 32;
	}
}

static void sum_add(struct checksum *sum, const void *bytes, size_t n)
{
	const unsigned char *from = bytes;

	while (n > 0) {
		const size_t at = sum->bytes % sizeof(sum->part), missing = sizeof(sum->part) - at;
		const size_t some = n < missing ? n : missing;

		if (some == sizeof(sum->part)) {
			sum_word(sum, word_of(from, sizeof(sum->part)));
		} else {
			memcpy(sum->part + at, from, some);
			if (some == missing)
				sum_word(sum, word_of(sum->part, sizeof(sum->part)));
		}
		sum->bytes += some;
		from += some;
		n -= some;
	}
}

/* Ends a checksum. FNV-1a adds the bytes of an incomplete last word one by one. */
static uint64_t sum_end(struct checksum *sum)
{
	uint64_t *v = sum->state;
	const size_t last = sum->bytes % sizeof(sum->part);

	if (!sum->keyed)
		return fnv(v[0], sum->part, last);
	sip_word(v, word_of(sum->part, last) | sum->bytes << 56);
	v[2] ^= 0xff;
	sip_rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* The checksum of the first n bytes; false when they cannot be read. */
static bool sum_of(FILE *f, size_t n, const unsigned char *key, uint64_t *value)
{
	static char block[BLOCK];
	struct checksum sum = sum_begin(key);

	rewind(f);
	while (n > 0) {
		const size_t some = n < BLOCK ? n : BLOCK;

		if (fread(block, 1, some, f) != some)
			return false;
		sum_add(&sum, block, some);
		n -= some;
	}
	*value = sum_end(&sum);
	return true;
}

/* Size of an open file in bytes; 0 if unknown. */
static size_t size_of(FILE *f)
{
	long n = fseek(f, 0, SEEK_END) ? 0 : ftell(f);

	return n < 0 ? 0 : (size_t)n;
}

/* ---- writing ---- */

int checked_create(struct checked *s, const char *path, const unsigned char *key)
{
	int fd;

	*s = (struct checked){ .sum = sum_begin(key) };
	fd = temporary_create(path, ".part", &s->part);
	if (fd < 0)
		return temporary_failed(path, errno);
	s->file = must_have(fdopen(fd, "r+b"), "an open file");
	return 0;
}

void checked_put(struct checked *s, const void *bytes, size_t n)
{
	sum_add(&s->sum, bytes, n);
	if (n && fwrite(bytes, 1, n, s->file) != n && !s->failed)
		s->failed = errno;
}

int checked_finish(struct checked *s, const char *path)
{
	const uint64_t sum = sum_end(&s->sum);
	int ret = 0;

	if (s->failed || fwrite(&sum, 1, sizeof(sum), s->file) != sizeof(sum) ||
	    temporary_finish(s->file, s->part, path)) {
		ret = temporary_failed(path, s->failed ? s->failed : errno);
		unlink(s->part);
	}
	fclose(s->file);
	free(s->part);
	return ret;
}

/* ---- reading ---- */

/* True when the last eight bytes are the checksum of all bytes before. */
static bool is_whole(FILE *f, const unsigned char *key)
{
	const size_t size = size_of(f);
	uint64_t sum, last;

	return size >= sizeof(last) && sum_of(f, size - sizeof(last), key, &sum) &&
	       fread(&last, 1, sizeof(last), f) == sizeof(last) && last == sum;
}

int checked_open(struct checked *s, const char *path, const unsigned char *key)
{
	*s = (struct checked){ .file = file_open(path) };
	if (!s->file)
		return error("cannot read '%s': %s", path, file_why());
	if (is_whole(s->file, key)) {
		rewind(s->file);
		return 0;
	}
	fclose(s->file);
	if (!key)
		return error("'%s' is damaged: its checksum is wrong", path);
	return error("'%s' was not written by this account's convoy, or was changed since: it is "
		     "not resumed. Delete the checkpoint to begin again; if it is of another "
		     "account of yours, name the key file of that one by CONVOY_KEY_FILE", path);
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
		s->failed = EIO;
	}
}

int checked_close(struct checked *s, const char *path)
{
	fclose(s->file);
	if (!s->failed)
		return 0;
	return error("'%s' is damaged: it ends too early, or says what cannot be", path);
}

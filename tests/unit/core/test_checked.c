/* Files with a checksum: SipHash is that of its authors, and other bytes or keys are refused. */
#include "core/base/mem.h"
#include "core/file/checked.h"
#include "core/file/paths.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const unsigned char key[CHECKED_KEY] = { 0, 1, 2,  3,  4,  5,  6,  7,
						8, 9, 10, 11, 12, 13, 14, 15 };

/* The bytes 0, 1, ..., n - 1, `piece` at once. */
static void write_count(const char *path, const unsigned char *with, size_t n, size_t piece)
{
	unsigned char bytes[64];
	struct checked s;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)i;
	assert_int_equal(checked_create(&s, path, with), 0);
	for (size_t at = 0; at < n; at += piece)
		checked_put(&s, bytes + at, n - at < piece ? n - at : piece);
	assert_int_equal(checked_finish(&s, path), 0);
}

static uint64_t last_word(const char *path)
{
	size_t n;
	char *bytes = file_read(path, &n);
	uint64_t word;

	assert_non_null(bytes);
	memcpy(&word, bytes + n - sizeof(word), sizeof(word));
	free(bytes);
	return word;
}

static void refuses(const char *path, const unsigned char *with, const char *says)
{
	struct checked s;

	capture_start();
	assert_int_equal(checked_open(&s, path, with), -1);
	assert_said(says);
	capture_stop();
}

/* Of the paper's appendix, and of vectors.h of the reference implementation. */
static void published_vectors(void **state)
{
	static const struct {
		size_t n;
		uint64_t sum;
	} vector[] = {
		{ 0, UINT64_C(0x726fdb47dd0e0e31) },  { 1, UINT64_C(0x74f839c593dc67fd) },
		{ 7, UINT64_C(0xab0200f58b01d137) },  { 8, UINT64_C(0x93f5f5799a932462) },
		{ 15, UINT64_C(0xa129ca6149be45e5) }, { 63, UINT64_C(0x958a324ceb064572) },
	};
	char *folder = folder_new(), *path = xasprintf("%s/file", folder);

	for (size_t i = 0; i < sizeof(vector) / sizeof(vector[0]); i++)
		for (size_t piece = 1; piece <= 64; piece += 3) {
			write_count(path, key, vector[i].n, piece);
			assert_int_equal(last_word(path), vector[i].sum);
		}
	free(path);
	folder_remove(folder);
}

/* A failed write is said as such, whatever has happened since. */
static void full_disk_is_named(void **state)
{
	static const unsigned char bytes[1 << 16];
	char *folder = folder_new(), *path = xasprintf("%s/file", folder);
	const int full = open("/dev/full", O_WRONLY);
	struct checked s;

	capture_start();
	assert_int_equal(checked_create(&s, path, key), 0);
	assert_true(full >= 0 && dup2(full, fileno(s.file)) >= 0);
	checked_put(&s, bytes, sizeof(bytes));
	errno = ENOENT;
	assert_int_equal(checked_finish(&s, path), -1);
	assert_said("No space left on device");
	capture_stop();
	close(full);
	free(path);
	folder_remove(folder);
}

static void flip(char *bytes, size_t n, size_t at, int bit, const char *path)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	bytes[at] = (char)(bytes[at] ^ 1 << bit);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	bytes[at] = (char)(bytes[at] ^ 1 << bit);
	fclose(f);
}

static void any_other_byte_is_refused(void **state)
{
	const unsigned char *const with[] = { key, NULL };
	const char *const says[] = { "was not written by this account's convoy",
				     "is damaged: its checksum is wrong" };
	char *folder = folder_new(), *path = xasprintf("%s/file", folder), *bytes;
	size_t n;

	for (int k = 0; k < 2; k++) {
		write_count(path, with[k], 61, 61);
		bytes = file_read(path, &n);
		assert_int_equal(n, 69);
		for (size_t at = 0; at < n; at++) {
			flip(bytes, n, at, (int)at % 8, path);
			refuses(path, with[k], says[k]);
		}
		free(bytes);
	}
	free(path);
	folder_remove(folder);
}

static void another_key_is_refused(void **state)
{
	char *folder = folder_new(), *path = xasprintf("%s/file", folder);
	unsigned char other[CHECKED_KEY], got[20];
	struct checked s;

	for (int at = 0; at < CHECKED_KEY; at++) {
		memcpy(other, key, sizeof(other));
		other[at] ^= 0x80;
		write_count(path, other, 20, 20);
		refuses(path, key, "was not written by this account's convoy");
	}
	write_count(path, NULL, 20, 20);
	refuses(path, key, "Delete the checkpoint to begin again");
	write_count(path, key, 20, 20);
	refuses(path, NULL, "is damaged");
	assert_int_equal(checked_open(&s, path, key), 0);
	assert_int_equal(checked_left(&s), 20);
	checked_get(&s, got, sizeof(got));
	assert_int_equal(got[19], 19);
	assert_int_equal(checked_close(&s, path), 0);
	free(path);
	folder_remove(folder);
}

RUN_ALL(published_vectors, any_other_byte_is_refused, another_key_is_refused,
	full_disk_is_named)

/* SHA-256 against the examples of FIPS 180-4 and of NIST, and against itself in pieces. */
#include "core/mem.h"
#include "data/sha256.h"
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

static void sum(const void *at, size_t n, char text[SHA256_TEXT])
{
	struct sha256 s;

	sha256_start(&s);
	sha256_add(&s, at, n);
	sha256_finish(&s, text);
}

static void check(const void *at, size_t n, const char *want)
{
	char text[SHA256_TEXT];

	sum(at, n, text);
	assert_string_equal(text, want);
}

static void published(void **state)
{
	static const char two_blocks[] =
		"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
	char *million = xcalloc(1000000, 1);

	(void)state;
	check("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	check("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	check(two_blocks, strlen(two_blocks),
	      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	memset(million, 'a', 1000000);
	check(million, 1000000,
	      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	free(million);
}

/* Lengths around the ends of blocks, each whole, in two pieces at every place, byte by byte. */
static void pieces(void **state)
{
	uint8_t bytes[200];
	char whole[SHA256_TEXT], parts[SHA256_TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 37 + 11);
	for (size_t n = 0; n <= sizeof(bytes); n++) {
		struct sha256 s;

		sum(bytes, n, whole);
		for (size_t at = 0; at <= n; at++) {
			sha256_start(&s);
			sha256_add(&s, bytes, at);
			sha256_add(&s, bytes + at, n - at);
			sha256_finish(&s, parts);
			assert_string_equal(parts, whole);
		}
		sha256_start(&s);
		for (size_t at = 0; at < n; at++)
			sha256_add(&s, bytes + at, 1);
		sha256_finish(&s, parts);
		assert_string_equal(parts, whole);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published), cmocka_unit_test(pieces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

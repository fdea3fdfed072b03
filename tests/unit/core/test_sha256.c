/* SHA-256 gives the hashes of FIPS 180-4's examples, however the bytes are cut. */
#include "tests/support/check.h"

#include "core/base/sha256.h"

#include <string.h>

static void sum_is(const char *text, size_t part, const char *want)
{
	const size_t n = strlen(text);
	struct sha256 s;
	char sum[65];

	sha256_start(&s);
	for (size_t at = 0; at < n; at += part)
		sha256_put(&s, text + at, part < n - at ? part : n - at);
	sha256_end(&s, sum);
	assert_string_equal(sum, want);
}

static void gives_the_hashes_of_the_standard(void **state)
{
	static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";

	sum_is("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	sum_is("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	for (size_t part = 1; part < 60; part += 13)
		sum_is(two_blocks, part,
		       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void counts_the_bits_of_many_blocks(void **state)
{
	static char million[1000001];

	memset(million, 'a', 1000000);
	sum_is(million, 12345, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

RUN_ALL(gives_the_hashes_of_the_standard, counts_the_bits_of_many_blocks)

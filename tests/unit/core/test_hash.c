/* FNV-1a: its published values, and the same hash whatever the zeros and the alignment. */
#include "core/base/hash.h"
#include "core/math/rng.h"
#include "tests/support/check.h"

static void has_the_published_values(void **state)
{
	assert_true(fnv_text(FNV_START, "") == UINT64_C(0xcbf29ce484222325));
	assert_true(fnv_text(FNV_START, "a") == UINT64_C(0xaf63dc4c8601ec8c));
	assert_true(fnv_text(FNV_START, "foobar") == UINT64_C(0x85944171f73967e8));
}

/* Several zeros are one step, as byte by byte, at each offset, in halves and whole words. */
static void takes_zeros_as_other_bytes(void **state)
{
	enum { ROUNDS = 4000, MOST = 48 };
	unsigned char b[MOST + 8];
	struct rng r;

	rng_at(&r, 1, RNG_ALGO, 0, 0);
	for (int k = 0; k < ROUNDS; k++) {
		const size_t n = rng_below(&r, MOST), from = rng_below(&r, 8);
		const uint64_t start = rng_u64(&r);
		uint64_t want = start;

		for (size_t i = 0; i < sizeof(b); i++)
			b[i] = rng_below(&r, 5) ? 0 : (unsigned char)rng_below(&r, 256);
		for (size_t i = 0; i < n; i++)
			want = (want ^ b[from + i]) * UINT64_C(1099511628211);
		assert_true(fnv(start, b + from, n) == want);
	}
}

RUN_ALL(has_the_published_values, takes_zeros_as_other_bytes)

/* Changes numbers of a file to odd ones, and gives it the checksum of what it then has. */
#include "tests/support/forged.h"

#include "core/base/mem.h"
#include "core/file/checked.h"
#include "record/h5.h"
#include "tests/support/check.h"
#include "tests/support/files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A count, a size, an index, a clock or a double, as it may be: bits of `was`, changed. */
static uint64_t odd_wide(uint64_t was, struct rng *r)
{
	static const int64_t whole[] = { 0, 1, -1, INT32_MAX, INT64_C(1) << 40, INT64_MAX,
					 INT64_MIN };
	static const double real[] = { -1.0, 1e300, -1e300, 1e-320 };
	const double x[] = { real[rng_u64(r) % 4], (double)NAN, (double)INFINITY };
	uint64_t bits;

	switch (rng_u64(r) % 4) {
	case 0:
		return (uint64_t)whole[rng_u64(r) % (sizeof(whole) / sizeof(whole[0]))];
	case 1:
		return was + rng_u64(r) % 5 - 2;
	case 2:
		memcpy(&bits, &x[rng_u64(r) % 3], sizeof(bits));
		return bits;
	default:
		return rng_u64(r);
	}
}

static uint32_t odd_narrow(uint32_t was, struct rng *r)
{
	static const float real[] = { -1.0f, 3e38f, (float)NAN, (float)INFINITY };
	const uint64_t wide = odd_wide(was, r);
	uint32_t bits;

	memcpy(&bits, &real[rng_u64(r) % 4], sizeof(bits));
	return rng_u64(r) % 2 ? bits : (uint32_t)wide;
}

void forged_change(char *bytes, size_t n, struct rng *r)
{
	for (uint64_t k = rng_u64(r) % 3 + 1; k; k--) {
		const bool wide = rng_u64(r) % 3;
		uint64_t eight;
		uint32_t four;

		if (wide) {
			char *at = bytes + rng_u64(r) % (n / sizeof(eight)) * sizeof(eight);

			memcpy(&eight, at, sizeof(eight));
			eight = odd_wide(eight, r);
			memcpy(at, &eight, sizeof(eight));
		} else {
			char *at = bytes + rng_u64(r) % (n / sizeof(four)) * sizeof(four);

			memcpy(&four, at, sizeof(four));
			four = odd_narrow(four, r);
			memcpy(at, &four, sizeof(four));
		}
	}
}

void forged_sealed(const char *dir, const char *name, const char *bytes, size_t n, struct rng *r)
{
	char *other = xcalloc(n, 1);

	memcpy(other, bytes, n);
	forged_change(other, n - SEAL_BYTES, r);
	seal_write(other, n - SEAL_BYTES, other + n - SEAL_BYTES);
	folder_write(dir, name, PACK_PLAIN, other, n);
	free(other);
}

int forged_times(int few)
{
	const char *times = getenv("CONVOY_MUTATIONS");

	return times ? atoi(times) : few;
}

void forged_write(const char *path, const char *bytes, size_t n, const unsigned char *key)
{
	struct checked v;

	assert_int_equal(checked_create(&v, path, key), 0);
	checked_put(&v, bytes, n);
	assert_int_equal(checked_finish(&v, path), 0);
}

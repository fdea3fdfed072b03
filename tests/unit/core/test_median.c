/* Sorting of doubles of all sizes and signs, and medians. */
#include "core/base/mem.h"
#include "core/math/median.h"
#include "core/math/rng.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of none, of one, of an odd and of an even number; sorted after. */
static void middles(void **state)
{
	double one[] = { 7 }, odd[] = { 9, 1, 4 }, even[] = { 8, 2, 1, 4 };

	assert_true(isnan(median_of(one, 0)));
	assert_near(median_of(one, 1), 7, 0);
	assert_near(median_of(odd, 3), 4, 0);
	assert_near(median_of(even, 4), 3, 0);
	assert_near(even[0], 1, 0);
	assert_near(even[3], 8, 0);
}

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Numbers of random bits, but for NaN; every third is one of the numbers that are special. */
static void any_numbers(void **state)
{
	enum { MOST = 5000 };
	const double special[] = { 0, 1, -1, HUGE_VAL, -HUGE_VAL, 5e-324, -5e-324, 1e308, -1e308 };
	double *v = xcalloc(MOST, sizeof(*v)), *want = xcalloc(MOST, sizeof(*want));
	struct rng r;

	rng_at(&r, 7, RNG_NOISE, 0, 0);
	for (size_t n = 1; n < MOST; n = 3 * n + 1) {
		for (size_t i = 0; i < n; i++) {
			const uint64_t bits = rng_u64(&r);

			memcpy(&v[i], &bits, sizeof(bits));
			if (i % 3 == 0 || isnan(v[i]))
				v[i] = special[i / 3 % (sizeof(special) / sizeof(*special))];
			want[i] = v[i];
		}
		sort_doubles(v, n);
		qsort(want, n, sizeof(*want), by_size);
		for (size_t i = 0; i < n; i++)
			assert_true(v[i] == want[i]);
	}
	free(v);
	free(want);
}

RUN_ALL(middles, any_numbers)

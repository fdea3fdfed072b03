/* A tally counts equal values exactly and lists them in ascending order. */
#include "record/layout.h"
#include "tests/support/check.h"

static void test_tally(void **state)
{
	struct column value = { .name = "v", .integer = true };
	struct column count = { .name = "c", .integer = true };
	struct tally t = { 0 };

	for (int64_t i = 0; i < 3000; i++)
		tally_add(&t, i * i % 1009 * (INT64_C(1) << 40), 1);
	tally_columns(&t, &value, &count);
	assert_int_equal(t.total, 3000);
	assert_int_equal(value.n, 505);         /* squares modulo a prime, and 0 */
	int64_t sum = 0;
	for (size_t i = 0; i < value.n; i++) {
		assert_true(i == 0 || value.v.whole[i] > value.v.whole[i - 1]);
		sum += count.v.whole[i];
	}
	assert_int_equal(sum, 3000);
	tally_release(&t);
	column_release(&value);
	column_release(&count);
}

RUN_ALL(test_tally)

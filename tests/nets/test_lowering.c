/* Lowering of type 1, by hand: rows of windows, zeros outside, and its transpose. */
#include "nets/openblas.h"
#include "tests/support/check.h"

#include <string.h>

static const struct layer plain = {
	.kind = LAYER_CONV, .kernel = 2, .stride = 1, .groups = 1,
	.is = { 4, 4, 1 }, .os = { 3, 3, 1 },
};

/* The image a b c d / e f g h / i j k l / m n o p as 1 .. 16. */
static void fill(float *x, int n)
{
	for (int i = 0; i < n; i++)
		x[i] = (float)(i + 1);
}

static void nine_windows(void **state)
{
	static const float want[9][4] = {
		{ 1, 2, 5, 6 }, { 2, 3, 6, 7 }, { 3, 4, 7, 8 },
		{ 5, 6, 9, 10 }, { 6, 7, 10, 11 }, { 7, 8, 11, 12 },
		{ 9, 10, 13, 14 }, { 10, 11, 14, 15 }, { 11, 12, 15, 16 },
	};
	float x[16], cols[9][4];

	(void)state;
	fill(x, 16);
	ob_lower(&plain, 0, 3, 0, 1, x, &cols[0][0]);
	assert_memory_equal(cols, want, sizeof(want));
	memset(cols, 0, sizeof(cols));
	ob_lower(&plain, 1, 2, 0, 1, x, &cols[0][0]);  /* lines need not begin at 0 */
	assert_memory_equal(cols, want + 3, 6 * sizeof(*want));
}

static void padded_and_strided(void **state)
{
	const struct layer l = {
		.kind = LAYER_CONV, .kernel = 2, .stride = 2, .pad = 1, .groups = 1,
		.is = { 4, 4, 1 }, .os = { 3, 3, 1 },
	};
	static const float want[9][4] = {
		{ 0, 0, 0, 1 }, { 0, 0, 2, 3 }, { 0, 0, 4, 0 },
		{ 0, 5, 0, 9 }, { 6, 7, 10, 11 }, { 8, 0, 12, 0 },
		{ 0, 13, 0, 0 }, { 14, 15, 0, 0 }, { 16, 0, 0, 0 },
	};
	float x[16], cols[9][4];

	(void)state;
	fill(x, 16);
	ob_lower(&l, 0, 3, 0, 1, x, &cols[0][0]);
	assert_memory_equal(cols, want, sizeof(want));
}

/* The second of two groups of channels, in the second of two images. */
static void one_group(void **state)
{
	const struct layer l = {
		.kind = LAYER_CONV, .kernel = 1, .stride = 1, .groups = 2,
		.is = { 1, 2, 4 }, .os = { 1, 2, 4 },
	};
	float x[16], cols[4];

	(void)state;
	fill(x, 16);
	ob_lower(&l, 1, 1, 2, 2, x, cols);
	assert_memory_equal(cols, ((float[]){ 11, 12, 15, 16 }), sizeof(cols));
}

/* Lifting ones counts the windows that see each pixel. */
static void lifting(void **state)
{
	static const float want[16] = { 1, 2, 2, 1, 2, 4, 4, 2, 2, 4, 4, 2, 1, 2, 2, 1 };
	float cols[36], dx[16] = { 0 };

	(void)state;
	for (int k = 0; k < 36; k++)
		cols[k] = 1;
	ob_lift(&plain, 0, 3, 0, 1, cols, dx);
	assert_memory_equal(dx, want, sizeof(want));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nine_windows), cmocka_unit_test(padded_and_strided),
		cmocka_unit_test(one_group), cmocka_unit_test(lifting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

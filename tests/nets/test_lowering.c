/* The three lowerings by hand, and that each loop backward is the transpose of that forward. */
#include "nets/openblas/openblas.h"
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

/* The paper's example: the image a b c d / e f g h / i j k l / m n o p as 1 .. 16, k = 2. */
static const struct layer plain = {
	.kind = LAYER_CONV, .kernel = 2, .stride = 1, .groups = 1,
	.is = { 4, 4, 1 }, .os = { 3, 3, 1 },
};
static const struct layer strided = {
	.kind = LAYER_CONV, .kernel = 2, .stride = 2, .pad = 1, .groups = 1,
	.is = { 4, 4, 1 }, .os = { 3, 3, 1 },
};

static void fill(float *x, int n)
{
	for (int i = 0; i < n; i++)
		x[i] = (float)(i + 1);
}

static void lower(const struct layer *l, enum lowering type, size_t first, size_t lines,
		  const float *x, float *cols)
{
	const struct ob_way w = ob_way_of(l, type, 64);

	ob_lower(l, &w, (struct ob_lines){ first, lines, 0, 1 }, x, cols);
}

static void lift(const struct layer *l, enum lowering type, size_t lines, const float *lifted,
		 float *y)
{
	const struct ob_way w = ob_way_of(l, type, 64);

	ob_lift(l, &w, (struct ob_lines){ 0, lines, 0, 1 }, lifted, y);
}

/* Rows, and the columns of both sides, of one image's product. */
static void check_shape(const struct layer *l, enum lowering type, size_t rows, size_t inner,
			size_t outer)
{
	const struct ob_way w = ob_way_of(l, type, 64);

	assert_int_equal(w.lines * w.rows, rows);
	assert_int_equal(w.inner, inner);
	assert_int_equal(w.outer, outer);
}

static void shapes(void **state)
{
	const struct layer conv2 = {    /* CaffeNet's: 27x27x96, k = 5, p = 2 */
		.kind = LAYER_CONV, .kernel = 5, .stride = 1, .pad = 2, .groups = 1,
		.is = { 27, 27, 96 }, .os = { 27, 27, 256 },
	};
	const struct layer conv1 = {
		.kind = LAYER_CONV, .kernel = 11, .stride = 4, .groups = 1,
		.is = { 227, 227, 3 }, .os = { 55, 55, 96 },
	};

	check_shape(&conv2, LOWERING_1, 729, 25, 1);
	check_shape(&conv2, LOWERING_2, 729, 5, 5);
	check_shape(&conv2, LOWERING_3, 729, 1, 25);
	check_shape(&conv1, LOWERING_1, 3025, 121, 1);          /* m^2 x k^2 */
	check_shape(&conv1, LOWERING_2, 227 * 55, 11, 11);      /* m n x k */
	check_shape(&conv1, LOWERING_3, 227 * 227, 1, 121);     /* n^2 x 1 */
}

/* ---- type 1 ---- */

static void nine_windows(void **state)
{
	static const float want[9][4] = {
		{ 1, 2, 5, 6 }, { 2, 3, 6, 7 }, { 3, 4, 7, 8 },
		{ 5, 6, 9, 10 }, { 6, 7, 10, 11 }, { 7, 8, 11, 12 },
		{ 9, 10, 13, 14 }, { 10, 11, 14, 15 }, { 11, 12, 15, 16 },
	};
	float x[16], cols[9][4];

	fill(x, 16);
	lower(&plain, LOWERING_1, 0, 3, x, &cols[0][0]);
	assert_memory_equal(cols, want, sizeof(want));
	memset(cols, 0, sizeof(cols));
	lower(&plain, LOWERING_1, 1, 2, x, &cols[0][0]);        /* lines need not begin at 0 */
	assert_memory_equal(cols, want + 3, 6 * sizeof(*want));
}

static void padded_and_strided(void **state)
{
	static const float want[9][4] = {
		{ 0, 0, 0, 1 }, { 0, 0, 2, 3 }, { 0, 0, 4, 0 },
		{ 0, 5, 0, 9 }, { 6, 7, 10, 11 }, { 8, 0, 12, 0 },
		{ 0, 13, 0, 0 }, { 14, 15, 0, 0 }, { 16, 0, 0, 0 },
	};
	float x[16], cols[9][4];

	fill(x, 16);
	lower(&strided, LOWERING_1, 0, 3, x, &cols[0][0]);
	assert_memory_equal(cols, want, sizeof(want));
}

/* The second of two groups of channels, in the second of two images. */
static void one_group(void **state)
{
	const struct layer l = {
		.kind = LAYER_CONV, .kernel = 1, .stride = 1, .groups = 2,
		.is = { 1, 2, 4 }, .os = { 1, 2, 4 },
	};
	const struct ob_way w = ob_way_of(&l, LOWERING_1, 64);
	float x[16], cols[4];

	fill(x, 16);
	ob_lower(&l, &w, (struct ob_lines){ 1, 1, 2, 2 }, x, cols);
	assert_memory_equal(cols, ((float[]){ 11, 12, 15, 16 }), sizeof(cols));
}

/* What windows of ones give back counts the windows that see each pixel. */
static void counts_windows(void **state)
{
	static const float want[16] = { 1, 2, 2, 1, 2, 4, 4, 2, 2, 4, 4, 2, 1, 2, 2, 1 };
	const struct ob_way w = ob_way_of(&plain, LOWERING_1, 64);
	float cols[36], dx[16] = { 0 };

	for (int k = 0; k < 36; k++)
		cols[k] = 1;
	ob_lower_back(&plain, &w, (struct ob_lines){ 0, 3, 0, 1 }, cols, dx);
	assert_memory_equal(dx, want, sizeof(want));
}

/* ---- type 2 ---- */

static void rows_of_windows(void **state)
{
	static const float want[12][2] = {
		{ 1, 2 }, { 2, 3 }, { 3, 4 }, { 5, 6 }, { 6, 7 }, { 7, 8 },
		{ 9, 10 }, { 10, 11 }, { 11, 12 }, { 13, 14 }, { 14, 15 }, { 15, 16 },
	};
	static const float every_second[12][2] = {
		{ 0, 1 }, { 2, 3 }, { 4, 0 }, { 0, 5 }, { 6, 7 }, { 8, 0 },
		{ 0, 9 }, { 10, 11 }, { 12, 0 }, { 0, 13 }, { 14, 15 }, { 16, 0 },
	};
	float x[16], cols[12][2];

	fill(x, 16);
	lower(&plain, LOWERING_2, 0, 4, x, &cols[0][0]);
	assert_memory_equal(cols, want, sizeof(want));
	lower(&strided, LOWERING_2, 0, 4, x, &cols[0][0]);
	assert_memory_equal(cols, every_second, sizeof(want));
}

/* lifted[(iy, ox)][ky]: an output is the first term of its line and the second of the next. */
static void two_terms(void **state)
{
	static const float lifted[12][2] = {
		{ 1, 100 }, { 2, 200 }, { 3, 300 }, { 4, 400 }, { 5, 500 }, { 6, 600 },
		{ 7, 700 }, { 8, 800 }, { 9, 900 }, { 10, 1000 }, { 11, 1100 }, { 12, 1200 },
	};
	static const float want[9] = { 401, 502, 603, 704, 805, 906, 1007, 1108, 1209 };
	/* Outputs' windows begin at lines -1, 1, 3: line 0 is a second, line 3 a first. */
	static const float sparse[9] = { 100, 200, 300, 704, 805, 906, 10, 11, 12 };
	float y[9] = { 0 };

	lift(&plain, LOWERING_2, 4, &lifted[0][0], y);
	assert_memory_equal(y, want, sizeof(want));
	memset(y, 0, sizeof(y));
	lift(&strided, LOWERING_2, 4, &lifted[0][0], y);
	assert_memory_equal(y, sparse, sizeof(sparse));
}

/* ---- type 3 ---- */

/* lifted[(iy, ix)][ky][kx] of 1 pixel as 1, 10, 100, 1000: who adds what. */
static void four_terms(void **state)
{
	static const float want[9] = { 6521, 7632, 8743, 10965, 12076, 13187, 15409, 16520, 17631 };
	float lifted[16][4], y[9] = { 0 };

	for (int i = 0; i < 16; i++)
		for (int k = 0; k < 4; k++)
			lifted[i][k] = (float)(i + 1) * ((float[]){ 1, 10, 100, 1000 })[k];
	lift(&plain, LOWERING_3, 4, &lifted[0][0], y);
	assert_memory_equal(y, want, sizeof(want));
}

/* With stride 2 and padding 1 each pixel of the image belongs to one window only. */
static void one_term_each(void **state)
{
	static const float want[9] = { 1, 5, 4, 14, 34, 20, 13, 29, 16 };
	float lifted[16][4] = { { 0 } }, y[9] = { 0 };

	for (int i = 0; i < 16; i++)
		for (int k = 0; k < 4; k++)
			lifted[i][k] = (float)(i + 1);
	lift(&strided, LOWERING_3, 4, &lifted[0][0], y);
	assert_memory_equal(y, want, sizeof(want));
}

/* ---- transposes: (A x) . y = x . (A^T y), exact in small integers ---- */

enum { CAPACITY = 4096 };

static void noise(float *v, uint32_t seed)
{
	for (int i = 0; i < CAPACITY; i++) {
		seed = seed * 1664525 + 1013904223;
		v[i] = (float)(seed >> 28) - 8;
	}
}

static double dot(const float *a, const float *b)
{
	double sum = 0;

	for (int i = 0; i < CAPACITY; i++)
		sum += (double)(a[i] * b[i]);
	return sum;
}

typedef void (*copy_fn)(const struct layer *l, const struct ob_way *w, struct ob_lines s,
			const float *from, float *to);

/* Two images but their first line, and all channels but the first. */
static void check_transpose(const struct layer *l, const struct ob_way *w, int channels,
			    copy_fn copy, copy_fn add)
{
	static float x[CAPACITY], ax[CAPACITY], y[CAPACITY], aty[CAPACITY];
	const struct ob_lines s = { 1, 2 * w->lines - 1, 1, (size_t)channels - 1 };

	noise(x, 1);
	noise(y, 2);
	memset(ax, 0, sizeof(ax));
	memset(aty, 0, sizeof(aty));
	copy(l, w, s, x, ax);
	add(l, w, s, y, aty);
	assert_true(dot(ax, y) == dot(x, aty));
	assert_true(dot(ax, y) != 0);
}

static void transposes(void **state)
{
	static const int shapes[][4] = {        /* side, kernel, stride, pad */
		{ 5, 1, 1, 0 }, { 5, 3, 1, 1 }, { 6, 3, 2, 1 }, { 7, 2, 3, 1 }, { 4, 4, 1, 3 },
		{ 5, 5, 2, 4 }, { 7, 1, 2, 0 }, { 3, 3, 1, 0 }, { 6, 2, 2, 0 },
	};

	for (size_t k = 0; k < sizeof(shapes) / sizeof(*shapes); k++) {
		const int side = shapes[k][0], kernel = shapes[k][1], s = shapes[k][2];
		const int pad = shapes[k][3], out = (side + 2 * pad - kernel) / s + 1;
		const struct layer l = {
			.kind = LAYER_CONV, .kernel = kernel, .stride = s, .pad = pad, .groups = 1,
			.is = { side, side, 3 }, .os = { out, out, 2 },
		};

		for (enum lowering type = LOWERING_1; type <= LOWERING_3; type++) {
			const struct ob_way w = ob_way_of(&l, type, 64);

			if (!w.direct_in)
				check_transpose(&l, &w, l.is.c, ob_lower, ob_lower_back);
			if (!w.direct_out)
				check_transpose(&l, &w, l.os.c, ob_lift_back, ob_lift);
		}
	}
}

RUN_ALL(shapes, nine_windows, padded_and_strided, one_group, counts_windows, rows_of_windows,
	two_terms, four_terms, one_term_each, transposes)

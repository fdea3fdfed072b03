/* Vectors of floats, exp and the normal distribution, as the loops of nets of tokens have them. */
#define LANES 16
#include "nets/openblas/lanes/lanes.h"
#include "nets/openblas/lanes/table.h"
#include "nets/openblas/openblas.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static float vexp(float x)
{
	lanes v = (lanes){ 0 } + x;

	lanes_exp(&v);
	for (int k = 1; k < LANES; k++)
		assert_memory_equal((float *)&v + k, &v, sizeof(float));
	return v[0];
}

static float vnormal(float x, float *density)
{
	lanes v = (lanes){ 0 } + x, share, high;

	lanes_normal(&v, &share, &high);
	*density = high[LANES - 1];
	return share[LANES - 1];
}

/* A part of a vector is read and written alone; its rest is as asked for. */
static void parts(void **state)
{
	for (size_t n = 1; n <= LANES; n++) {
		float *from = malloc(n * sizeof(*from)), *to = malloc(n * sizeof(*to));
		float whole = 7.0f * (float)(LANES - n);
		lanes v;

		for (size_t k = 0; k < n; k++) {
			from[k] = (float)((k * 5) % 16);
			whole += from[k];
		}
		lanes_load(n, from, 7.0f, &v);
		assert_true(lanes_sum(&v) == whole);
		lanes_store(n, &v, to);
		assert_memory_equal(from, to, n * sizeof(*from));
		free(from);
		free(to);
	}
}

/* Halves first: each of these sums is exact in this order alone. */
static void sum_has_an_order(void **state)
{
	lanes v = { 0 };

	v[0] = 1e8f;
	v[8] = -1e8f;
	v[3] = 1.0f;
	assert_true(lanes_sum(&v) == 1.0f);
	v[8] = 0.0f;
	v[1] = -1e8f;
	assert_true(lanes_sum(&v) == 0.0f);
}

static void largest(void **state)
{
	float p[40];

	for (size_t n = 1; n <= 40; n++)
		for (size_t at = 0; at < n; at++) {
			for (size_t k = 0; k < n; k++)
				p[k] = -3.0f - (float)k;
			p[at] = -2.0f;
			assert_true(lanes_most(n, p) == -2.0f);
		}
}

static void turned(void **state)
{
	enum { KEYS = 21, SIZE = 11, WIDTH = 13 };
	float from[KEYS * WIDTH], to[SIZE * KEYS];

	for (int k = 0; k < KEYS * WIDTH; k++)
		from[k] = (float)k;
	for (size_t keys = 1; keys <= KEYS; keys++)
		for (size_t size = 1; size <= SIZE; size++) {
			tile_turn(keys, size, from, WIDTH, to);
			for (size_t k = 0; k < size; k++)
				for (size_t r = 0; r < keys; r++)
					assert_true(to[k * keys + r] == from[r * WIDTH + k]);
		}
}

/* Over all exponents: a relative error of 2e-7 at most. */
static void exponential(void **state)
{
	for (double x = -86.9; x < 88; x += 0.00137) {
		const double want = exp((double)(float)x);

		assert_near((double)vexp((float)x) / want, 1, 2e-7);
	}
	assert_true(vexp(0) == 1);
	assert_near((double)vexp(-1000), exp(-87), 1e-45);
	assert_near((double)vexp(-INFINITY), 0, 1e-37);
	assert_true(isfinite(vexp(1000)) && vexp(1000) > 1e38f);
	assert_true(isnan(vexp(NAN)));
}

static void logarithm(void **state)
{
	lanes v;

	for (double x = 1.2e-38; x < 3e38; x *= 1.00037) {
		const double want = log((double)(float)x);

		v = (lanes){ 0 } + (float)x;
		lanes_log(&v);
		assert_near((double)v[LANES - 1], want, 1e-7 * fmax(1, fabs(want)));
	}
	v = (lanes){ 0 } + 1.0f;
	v[3] = NAN;
	lanes_log(&v);
	assert_true(v[0] == 0 && isnan(v[3]));
}

static void normal(void **state)
{
	for (double x = -9; x < 9; x += 0.00011) {
		const double z = (double)(float)x;
		float density;
		const float share = vnormal((float)x, &density);

		assert_near((double)share, 0.5 * erfc(-z / sqrt(2)), 3e-7);
		assert_near((double)density, exp(-z * z / 2) / sqrt(2 * acos(-1)), 3e-7);
	}
}

/* Row r of a tile against double; then alone: bit-identical, whatever rows are next to it. */
static void check_softmax(const struct lanes_table *t, size_t rows, size_t keys, size_t first,
			  size_t r, const float *scores, const float *p, const float *again,
			  float lse)
{
	const size_t n = first + r + 1;
	float *alone = malloc(n * sizeof(*alone)), own;
	double sum = 0;

	for (size_t k = 0; k < n; k++)
		sum += exp(0.3 * (double)scores[k]);
	assert_near((double)lse, log(sum), 2e-6);
	for (size_t k = 0; k < keys; k++) {
		const double want = k < n ? exp(0.3 * (double)scores[k]) / sum : 0;

		assert_near((double)p[k], want, 1e-6);
		assert_near((double)again[k], want, 1e-6);
		assert_true(k < n || (p[k] == 0 && again[k] == 0));
	}
	memcpy(alone, scores, n * sizeof(*alone));
	t->softmax(1, n, n - 1, 0.3f, alone, &own);
	if (memcmp(alone, p, n * sizeof(*alone)) || memcmp(&own, &lse, sizeof(own)))
		fail_msg("row %zu of %zu with %zu keys differs alone", r, rows, keys);
	free(alone);
}

/* Full and partial groups of rows, and rows that end within vectors and at their edges. */
static void check_softmaxes(const struct lanes_table *t)
{
	static const size_t sizes[][2] = { { 1, 0 }, { 3, 0 }, { 4, 12 }, { 5, 13 }, { 9, 30 },
					   { 32, 0 }, { 32, 32 }, { 21, 40 } };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		const size_t rows = sizes[i][0], first = sizes[i][1], keys = first + rows;
		const size_t bytes = rows * keys * sizeof(float);
		float *scores = malloc(bytes), *p = malloc(bytes), *again = malloc(bytes);
		float *lse = malloc(rows * sizeof(*lse));

		for (size_t k = 0; k < rows * keys; k++)
			scores[k] = (float)((k * 37 + 11) % 101) / 10.0f - 4.0f;
		memcpy(p, scores, bytes);
		memcpy(again, scores, bytes);
		t->softmax(rows, keys, first, 0.3f, p, lse);
		t->again(rows, keys, first, 0.3f, lse, again);
		for (size_t r = 0; r < rows; r++)
			check_softmax(t, rows, keys, first, r, scores + r * keys, p + r * keys,
				      again + r * keys, lse[r]);
		free(scores);
		free(p);
		free(again);
		free(lse);
	}
}

static void softmax(void **state)
{
	for (const struct lanes_table *const *t = lanes_all(); *t; t++)
		check_softmaxes(*t);
}

enum { ROWS = 11, COLUMNS = 37, DEPTH = 9 };

/* Blocks, and rows and columns that fill none, of each width against double. */
static void products(void **state)
{
	float a[ROWS * DEPTH], b[DEPTH * COLUMNS], c[ROWS * COLUMNS];

	for (size_t k = 0; k < ROWS * DEPTH; k++)
		a[k] = (float)((k * 37 + 11) % 101) / 50.0f - 1.0f;
	for (size_t k = 0; k < DEPTH * COLUMNS; k++)
		b[k] = (float)((k * 53 + 7) % 89) / 40.0f - 1.0f;
	for (const struct lanes_table *const *t = lanes_all(); *t; t++) {
		(*t)->products(ROWS, COLUMNS, DEPTH, a, DEPTH, b, COLUMNS, c);
		for (size_t k = 0; k < ROWS * COLUMNS; k++) {
			const size_t i = k / COLUMNS, j = k % COLUMNS;
			double want = 0;

			for (size_t d = 0; d < DEPTH; d++)
				want += (double)a[i * DEPTH + d] * (double)b[d * COLUMNS + j];
			assert_near((double)c[k], want, 2e-6);
		}
	}
}

/* Layer normalisation, and functions of one value, of each width against double. */
static void rows_and_values(void **state)
{
	float x[COLUMNS], y[COLUMNS], slope[COLUMNS], scale[COLUMNS], kept[LAYERNORM_KEPT];
	double mean = 0, square = 0;

	for (size_t k = 0; k < COLUMNS; k++) {
		x[k] = (float)((k * 29 + 3) % 41) / 8.0f - 2.5f;
		scale[k] = 1.0f + (float)k / 64.0f;
		mean += (double)x[k] / COLUMNS;
	}
	for (size_t k = 0; k < COLUMNS; k++)
		square += ((double)x[k] - mean) * ((double)x[k] - mean) / COLUMNS;
	for (const struct lanes_table *const *t = lanes_all(); *t; t++) {
		(*t)->layernorm(1, COLUMNS, 1e-5f, x, scale, scale, y, kept);
		for (size_t k = 0; k < COLUMNS; k++)
			assert_near((double)y[k], ((double)x[k] - mean) / sqrt(square + 1e-5)
				    * (double)scale[k] + (double)scale[k], 2e-6);
		(*t)->curve(LAYER_TANH, 0, COLUMNS, x, y, slope);
		for (size_t k = 0; k < COLUMNS; k++) {
			const double want = tanh((double)x[k]);

			assert_near((double)y[k], want, 3e-7);
			assert_near((double)slope[k], 1 - want * want, 1e-6);
		}
	}
}

/* A NaN among a query's keys stays; one after them is not read. */
static void check_nan(const struct lanes_table *t)
{
	for (size_t at = 0; at < 6; at++) {
		float p[6 * 6], lse[6];

		for (size_t k = 0; k < 6 * 6; k++)
			p[k] = k % 6 == at ? NAN : 1.0f;
		t->softmax(6, 6, 0, 1.0f, p, lse);
		for (size_t r = 0; r < 6; r++)
			assert_int_equal(isnan(lse[r]), r >= at);
	}
}

static void softmax_of_nan(void **state)
{
	for (const struct lanes_table *const *t = lanes_all(); *t; t++)
		check_nan(*t);
}

RUN_ALL(parts, sum_has_an_order, largest, turned, exponential, logarithm, normal, softmax,
	softmax_of_nan, products, rows_and_values)

/* Vectors of floats, exp and the normal distribution, as the loops of nets of tokens have them. */
#include "nets/openblas/lanes.h"
#include "nets/openblas/openblas.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>

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

RUN_ALL(parts, sum_has_an_order, largest, turned, exponential, normal)

/*
 * The vector loops: every width gives the same bits, and those are what double
 * precision says, within 1e-5 of the largest value (sums: 1e-6).
 */
#include "core/mem.h"
#include "core/rng.h"
#include "nets/onednn_simd.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Inputs, and one result of every kind. */
struct data {
	size_t rows, c, n;
	float *x, *r, *dy, *coef, *y;
	double *sum, *dot;
};

static float *randoms(uint32_t rank, size_t n)
{
	float *v = vec_new(n);
	struct rng r;

	rng_at(&r, 5, RNG_DATA, rank, 0);
	for (size_t i = 0; i < n; i++)
		v[i] = (float)rng_normal(&r);
	return v;
}

static void data_init(struct data *d, size_t rows, size_t c)
{
	size_t n = rows * c;

	*d = (struct data){ rows, c, n, randoms(1, n), randoms(2, n), randoms(3, n),
			    randoms(4, 4 * c), randoms(5, n), xcalloc(c, sizeof(double)),
			    xcalloc(c, sizeof(double)) };
}

static void data_release(struct data *d)
{
	free(d->x);
	free(d->r);
	free(d->dy);
	free(d->coef);
	free(d->y);
	free(d->sum);
	free(d->dot);
}

static const size_t row_counts[] = { 1, 2, 3, 127, 128, 129, 301 };
static const size_t channels[] = { 1, 5, 15, 16, 17, 48, 50 };
enum { ROW_COUNTS = 7, CHANNELS = 7 };

typedef void (*run_fn)(const struct simd *s, struct data *d);
typedef double (*want_fn)(const struct data *d, size_t i);

/* At every size: run at all widths; y, sum and dot as the plain one's, y[i] near want(i). */
static void check(run_fn run, want_fn want)
{
	const struct simd *const *all = simd_all();
	int widths = 0;

	while (all[widths])
		widths++;
	for (int k = 0; k < ROW_COUNTS * CHANNELS; k++) {
		struct data a, b;

		data_init(&a, row_counts[k / CHANNELS], channels[k % CHANNELS]);
		run(all[widths - 1], &a);
		for (int w = 0; w < widths - 1; w++) {
			data_init(&b, a.rows, a.c);
			run(all[w], &b);
			assert_memory_equal(a.y, b.y, a.n * sizeof(*a.y));
			assert_memory_equal(a.dy, b.dy, a.n * sizeof(*a.dy));
			assert_memory_equal(a.sum, b.sum, a.c * sizeof(*a.sum));
			assert_memory_equal(a.dot, b.dot, a.c * sizeof(*a.dot));
			data_release(&b);
		}
		data_init(&b, a.rows, a.c);
		for (size_t i = 0; i < a.n; i++)
			assert_near((double)a.y[i], want(&b, i), 1e-5 * 20);
		data_release(&a);
		data_release(&b);
	}
}

static double relu(double v)
{
	return v > 0 ? v : 0;
}

static double want_norm(const struct data *d, size_t i)
{
	const float *k = d->coef + i % d->c;

	return ((double)d->x[i] - (double)k[0]) * (double)k[d->c] + (double)k[2 * d->c];
}

static double want_norm_sum(const struct data *d, size_t i)
{
	return relu(want_norm(d, i) + (double)d->r[i]);
}

static double want_norm_relu(const struct data *d, size_t i)
{
	return relu(want_norm(d, i));
}

static void run_norm(const struct simd *s, struct data *d)
{
	s->normalise(d->rows, d->c, d->x, d->coef, NULL, false, d->y);
}

static void run_norm_relu(const struct simd *s, struct data *d)
{
	s->normalise(d->rows, d->c, d->x, d->coef, NULL, true, d->y);
}

static void run_norm_sum(const struct simd *s, struct data *d)
{
	s->normalise(d->rows, d->c, d->x, d->coef, d->r, true, d->y);
}

static void normalise(void **state)
{
	(void)state;
	check(run_norm, want_norm);
	check(run_norm_relu, want_norm_relu);
	check(run_norm_sum, want_norm_sum);
}

static double want_spread(const struct data *d, size_t i)
{
	const float *k = d->coef + i % d->c;

	return (double)d->dy[i] * (double)k[d->c]
	       + ((double)d->x[i] - (double)k[0]) * (double)k[2 * d->c] + (double)k[3 * d->c];
}

static double want_spread_add(const struct data *d, size_t i)
{
	return (double)d->y[i] + want_spread(d, i);
}

static void run_spread(const struct simd *s, struct data *d)
{
	s->spread(d->rows, d->c, d->x, d->coef, d->dy, false, d->y);
}

static void run_spread_add(const struct simd *s, struct data *d)
{
	s->spread(d->rows, d->c, d->x, d->coef, d->dy, true, d->y);
}

static void spread(void **state)
{
	(void)state;
	check(run_spread, want_spread);
	check(run_spread_add, want_spread_add);
}

static double want_join(const struct data *d, size_t i)
{
	return relu((double)d->x[i] + (double)d->r[i]);
}

static void run_join(const struct simd *s, struct data *d)
{
	s->join(d->n, d->x, d->r, true, d->y);
}

static double want_mask(const struct data *d, size_t i)
{
	return d->x[i] > 0 ? (double)d->y[i] + (double)d->r[i] : 0;
}

static void run_mask(const struct simd *s, struct data *d)
{
	s->mask(d->n, d->x, d->r, d->y);
}

static double want_add(const struct data *d, size_t i)
{
	return (double)d->y[i] + (double)d->x[i];
}

static void run_add(const struct simd *s, struct data *d)
{
	s->add(d->n, d->x, d->y);
}

static double want_times(const struct data *d, size_t i)
{
	return (double)d->x[i] * (double)d->r[i];
}

static void run_times(const struct simd *s, struct data *d)
{
	s->times(d->n, d->x, d->r, d->y);
}

static void flat(void **state)
{
	(void)state;
	check(run_join, want_join);
	check(run_mask, want_mask);
	check(run_add, want_add);
	check(run_times, want_times);
}

/* The sums of gather() and measure(), of which check() has compared the widths. */
static double want_y(const struct data *d, size_t i)
{
	return (double)d->y[i];
}

static void run_measure(const struct simd *s, struct data *d)
{
	s->measure(d->rows, d->c, d->x, d->coef, d->sum, d->dot);
	for (size_t k = 0; k < d->c; k++) {
		double sum = 0, square = 0;

		for (size_t i = k; i < d->n; i += d->c) {
			double v = (double)d->x[i] - (double)d->coef[k];

			sum += v;
			square += v * v;
		}
		assert_near(d->sum[k], sum, 1e-6 * (double)d->rows);
		assert_near(d->dot[k], square, 1e-6 * square + 1e-6);
	}
}

static void gather_as(const struct simd *s, struct data *d, const float *y, const float *extra)
{
	float *dy = vec_new(d->n);

	memcpy(dy, d->dy, d->n * sizeof(*dy));
	s->gather(d->rows, d->c, d->x, d->coef, y, extra, d->dy, d->sum, d->dot);
	for (size_t k = 0; k < d->c; k++) {
		double sum = 0, dot = 0;

		for (size_t i = k; i < d->n; i += d->c) {
			double v = (double)dy[i] + (extra ? (double)extra[i] : 0);

			v = y && y[i] <= 0 ? 0 : v;
			assert_near((double)d->dy[i], v, 1e-6);
			sum += v;
			dot += v * ((double)d->x[i] - (double)d->coef[k]);
		}
		assert_near(d->sum[k], sum, 1e-6 * (double)d->rows + 1e-6);
		assert_near(d->dot[k], dot, 4e-6 * (double)d->rows + 1e-6);
	}
	free(dy);
}

static void run_gather(const struct simd *s, struct data *d)
{
	gather_as(s, d, NULL, NULL);
}

static void run_gather_relu(const struct simd *s, struct data *d)
{
	gather_as(s, d, d->y, NULL);
}

static void run_gather_more(const struct simd *s, struct data *d)
{
	gather_as(s, d, NULL, d->r);
}

static void run_gather_both(const struct simd *s, struct data *d)
{
	gather_as(s, d, d->y, d->r);
}

static void sums(void **state)
{
	(void)state;
	check(run_measure, want_y);
	check(run_gather, want_y);
	check(run_gather_relu, want_y);
	check(run_gather_more, want_y);
	check(run_gather_both, want_y);
}

/* A large mean does not drown a small variance. */
static void no_cancellation(void **state)
{
	enum { N = 4096 };
	float *x = randoms(6, N), pivot;
	double sum = 0, square = 0;

	(void)state;
	for (int i = 0; i < N; i++)
		x[i] = 1000 + 0.001f * x[i];
	pivot = x[0];
	simd_best()->measure(N, 1, x, &pivot, &sum, &square);
	assert_near(square / N - sum / N * sum / N, 1e-6, 1e-7);
	free(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(normalise), cmocka_unit_test(spread), cmocka_unit_test(flat),
		cmocka_unit_test(sums), cmocka_unit_test(no_cancellation),
	};

	return cmocka_run_group_tests_name("onednn_simd", tests, NULL, NULL);
}

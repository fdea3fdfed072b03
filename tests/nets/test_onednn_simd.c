/*
 * The vector loops on f32 and bf16: every width gives bit-identical results, which are what
 * double precision says: within 2e-4 absolutely (sums: 4e-6 a row), and for what is
 * stored as bf16 its rounding, 2^-8 of the value, besides.
 */
#include "core/base/mem.h"
#include "core/math/rng.h"
#include "nets/onednn/simd/simd.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Inputs, and one result of every kind; tensors in the table's storage type. */
struct data {
	const struct simd *s;
	size_t rows, c, n;
	void *x, *r, *dy, *y;
	float *coef, *work;
	double *sum, *dot;
};

static double at(const struct data *d, const void *v, size_t i)
{
	const uint16_t *half = v;
	uint32_t bits;
	float f;

	if (d->s->size == sizeof(float))
		return (double)((const float *)v)[i];
	bits = (uint32_t)half[i] << 16;
	memcpy(&f, &bits, sizeof(f));
	return (double)f;
}

static float *randoms(uint32_t rank, size_t n)
{
	float *v = vec_new(n);
	struct rng r;

	rng_at(&r, 5, RNG_DATA, rank, 0);
	for (size_t i = 0; i < n; i++)
		v[i] = (float)rng_normal(&r);
	return v;
}

static void *stored(const struct simd *s, uint32_t rank, size_t n)
{
	float *v = randoms(rank, n);
	void *to = vec_new(n);

	s->narrow(n, v, to);
	free(v);
	return to;
}

static void data_init(struct data *d, const struct simd *s, size_t rows, size_t c)
{
	const size_t n = rows * c;

	*d = (struct data){ s, rows, c, n, stored(s, 1, n), stored(s, 2, n), stored(s, 3, n),
			    stored(s, 5, n), randoms(4, n > 4 * c ? n : 4 * c),
			    vec_new(3 * LRN_WORK(c, c)), xcalloc(c, sizeof(double)),
			    xcalloc(c, sizeof(double)) };
}

static void data_release(struct data *d)
{
	free(d->x);
	free(d->r);
	free(d->dy);
	free(d->coef);
	free(d->work);
	free(d->y);
	free(d->sum);
	free(d->dot);
}

static const size_t row_counts[] = { 1, 2, 3, 63, 64, 65, 151 };
static const size_t channels[] = { 1, 5, 15, 16, 17, 48, 50, 64, 114 };
enum { ROW_COUNTS = 7, CHANNELS = 9 };
typedef void (*run_fn)(struct data *d);
typedef double (*want_fn)(const struct data *d, size_t i);

static void compare(const struct data *a, const struct data *b)
{
	assert_memory_equal(a->y, b->y, a->n * a->s->size);
	assert_memory_equal(a->dy, b->dy, a->n * a->s->size);
	assert_memory_equal(a->sum, b->sum, a->c * sizeof(*a->sum));
	assert_memory_equal(a->dot, b->dot, a->c * sizeof(*a->dot));
}

/* Run at all widths: all as the last one, the plain; y[i] near want(i). */
static void check_size(const struct simd *const *all, size_t rows, size_t c, run_fn run,
		       want_fn want)
{
	const double rounding = all[0]->size == 2 ? 0x1p-8 : 0;
	struct data first, d;

	data_init(&first, all[0], rows, c);
	run(&first);
	for (int w = 1; all[w]; w++) {
		data_init(&d, all[w], rows, c);
		run(&d);
		compare(&first, &d);
		data_release(&d);
	}
	data_init(&d, all[0], rows, c);
	for (size_t i = 0; want && i < d.n; i++) {
		double v = want(&d, i);

		assert_near(at(&first, first.y, i), v, 2e-4 + rounding * fabs(v));
	}
	data_release(&first);
	data_release(&d);
}

static void check(run_fn run, want_fn want)
{
	for (int k = 0; k < ROW_COUNTS * CHANNELS; k++) {
		check_size(simd_all(), row_counts[k / CHANNELS], channels[k % CHANNELS], run,
			   want);
		check_size(simd_all_bf16(), row_counts[k / CHANNELS], channels[k % CHANNELS], run,
			   want);
	}
}

static double relu(double v)
{
	return v > 0 ? v : 0;
}

static double want_norm(const struct data *d, size_t i)
{
	const float *k = d->coef + i % d->c;

	return (at(d, d->x, i) - (double)k[0]) * (double)k[d->c] + (double)k[2 * d->c];
}

static double want_norm_sum(const struct data *d, size_t i)
{
	return relu(want_norm(d, i) + at(d, d->r, i));
}

static double want_norm_relu(const struct data *d, size_t i)
{
	return relu(want_norm(d, i));
}

static void run_norm(struct data *d)
{
	d->s->normalise(d->rows, d->c, d->x, d->coef, NULL, false, d->y);
}

static void run_norm_relu(struct data *d)
{
	d->s->normalise(d->rows, d->c, d->x, d->coef, NULL, true, d->y);
}

static void run_norm_sum(struct data *d)
{
	d->s->normalise(d->rows, d->c, d->x, d->coef, d->r, true, d->y);
}

static void normalise(void **state)
{
	check(run_norm, want_norm);
	check(run_norm_relu, want_norm_relu);
	check(run_norm_sum, want_norm_sum);
}

static double want_spread(const struct data *d, size_t i)
{
	const float *k = d->coef + i % d->c;

	return at(d, d->dy, i) * (double)k[d->c]
	       + (at(d, d->x, i) - (double)k[0]) * (double)k[2 * d->c] + (double)k[3 * d->c];
}

static double want_spread_add(const struct data *d, size_t i)
{
	return at(d, d->y, i) + want_spread(d, i);
}

static void run_spread(struct data *d)
{
	d->s->spread(d->rows, d->c, d->x, d->coef, d->dy, false, d->y);
}

static void run_spread_add(struct data *d)
{
	d->s->spread(d->rows, d->c, d->x, d->coef, d->dy, true, d->y);
}

static void spread(void **state)
{
	check(run_spread, want_spread);
	check(run_spread_add, want_spread_add);
}

/* ---- what takes no coefficients ---- */

static double want_join(const struct data *d, size_t i)
{
	return relu(at(d, d->x, i) + at(d, d->r, i));
}

static void run_join(struct data *d)
{
	d->s->join(d->n, d->x, d->r, true, d->y);
}

static double want_mask(const struct data *d, size_t i)
{
	return at(d, d->x, i) > 0 ? 1.5 * (at(d, d->y, i) + at(d, d->r, i)) : 0;
}

static void run_mask(struct data *d)
{
	d->s->mask(d->n, d->x, d->r, 1.5f, d->y);
}

static double want_times(const struct data *d, size_t i)
{
	return at(d, d->x, i) * (double)d->coef[i];
}

static void run_times(struct data *d)
{
	d->s->times(d->n, d->x, d->coef, false, d->y);
}

static double want_times_add(const struct data *d, size_t i)
{
	return at(d, d->y, i) + want_times(d, i);
}

static void run_times_add(struct data *d)
{
	d->s->times(d->n, d->x, d->coef, true, d->y);
}

/* Every other row of x added to the first rows of y. */
static double want_copy(const struct data *d, size_t i)
{
	const size_t row = i / d->c;

	return at(d, d->y, i) + (row < d->rows / 2 ? at(d, d->x, i + row * d->c) : 0);
}

static void run_copy(struct data *d)
{
	d->s->copy(d->rows / 2, d->c, d->x, 2 * d->c, true, d->y, d->c);
}

static double want_unmean(const struct data *d, size_t i)
{
	return at(d, d->y, i) + at(d, d->x, i % d->c) / (double)d->rows;
}

static void run_unmean(struct data *d)
{
	d->s->unmean(d->rows, d->c, d->x, true, d->y);
}

/* The mean into the first row. */
static double want_mean(const struct data *d, size_t i)
{
	double sum = 0;

	for (size_t k = i; k < d->n; k += d->c)
		sum += at(d, d->x, k);
	return i < d->c ? sum / (double)d->rows : at(d, d->y, i);
}

static void run_mean(struct data *d)
{
	d->s->mean(d->rows, d->c, d->x, d->y);
}

static void flat(void **state)
{
	check(run_join, want_join);
	check(run_mask, want_mask);
	check(run_times, want_times);
	check(run_times_add, want_times_add);
	check(run_copy, want_copy);
	check(run_mean, want_mean);
	check(run_unmean, want_unmean);
}

/* ---- sums; check() compares the widths ---- */

static void run_measure(struct data *d)
{
	d->s->measure(d->rows, d->c, d->x, d->coef, d->sum, d->dot);
	for (size_t k = 0; k < d->c; k++) {
		double sum = 0, square = 0;

		for (size_t i = k; i < d->n; i += d->c) {
			double v = at(d, d->x, i) - (double)d->coef[k];

			sum += v;
			square += v * v;
		}
		assert_near(d->sum[k], sum, 4e-6 * (double)d->rows);
		assert_near(d->dot[k], square, 1e-6 * square + 1e-6);
	}
}

static void run_sums(struct data *d)
{
	d->s->sums(d->rows, d->c, d->x, d->c, d->work);
	for (size_t k = 0; k < d->c; k++) {
		double sum = 0;

		for (size_t i = k; i < d->n; i += d->c)
			sum += at(d, d->x, i);
		d->sum[k] = (double)d->work[k];
		assert_near(d->sum[k], sum, 4e-6 * (double)d->rows);
	}
}

static void gather_as(struct data *d, const void *y, const void *extra)
{
	const double rounding = d->s->size == 2 ? 0x1p-8 : 0;
	void *dy = vec_new(d->n);

	memcpy(dy, d->dy, d->n * d->s->size);
	d->s->gather(d->rows, d->c, d->x, d->coef, y, extra, y ? 1.25f : 1, d->dy, d->sum, d->dot);
	for (size_t k = 0; k < d->c; k++) {
		double sum = 0, dot = 0;

		for (size_t i = k; i < d->n; i += d->c) {
			double v = at(d, dy, i) + (extra ? at(d, extra, i) : 0);

			if (y)
				v = at(d, y, i) <= 0 ? 0 : 1.25 * v;
			assert_near(at(d, d->dy, i), v, 1e-6 + rounding * fabs(v));
			sum += v;
			dot += v * (at(d, d->x, i) - (double)d->coef[k]);
		}
		assert_near(d->sum[k], sum, 2e-6 * (double)d->rows + 1e-6);
		assert_near(d->dot[k], dot, 4e-6 * (double)d->rows + 1e-6);
	}
	free(dy);
}

static void run_gather(struct data *d)
{
	gather_as(d, NULL, NULL);
}

static void run_gather_relu(struct data *d)
{
	gather_as(d, d->y, NULL);
}

static void run_gather_more(struct data *d)
{
	gather_as(d, NULL, d->r);
}

static void run_gather_both(struct data *d)
{
	gather_as(d, d->y, d->r);
}

static void sums(void **state)
{
	check(run_measure, NULL);
	check(run_sums, NULL);
	check(run_gather, NULL);
	check(run_gather_relu, NULL);
	check(run_gather_more, NULL);
	check(run_gather_both, NULL);
}

RUN_ALL(normalise, spread, flat, sums)

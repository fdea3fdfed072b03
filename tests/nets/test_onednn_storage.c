/*
 * What bf16 is, local response normalisation at every width, and sums that cancel.
 *
 * A number is rounded to the nearest of 8 significant bits, halfway to the even one; NaN
 * stays NaN, infinity infinity, and subnormal numbers are 0 of their sign.
 */
#include "core/base/mem.h"
#include "core/math/rng.h"
#include "nets/onednn/simd/simd.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static float float_of(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static const struct { uint32_t from; uint16_t to; } known[] = {
	{ 0x00000000, 0x0000 }, { 0x80000000, 0x8000 }, { 0x3f800000, 0x3f80 },
	{ 0x3f807fff, 0x3f80 }, { 0x3f808000, 0x3f80 }, { 0x3f808001, 0x3f81 },
	{ 0x3f818000, 0x3f82 }, { 0x3f817fff, 0x3f81 }, { 0xbf808001, 0xbf81 },
	{ 0x7f7fffff, 0x7f80 }, { 0x7f800000, 0x7f80 }, { 0xff800000, 0xff80 },
	{ 0x7fc00000, 0x7fc0 }, { 0x7f800001, 0x7fc0 }, { 0xffbfffff, 0xffff },
	{ 0x007fffff, 0x0000 }, { 0x80000001, 0x8000 }, { 0x00800000, 0x0080 },
	{ 0x00ffffff, 0x0100 },
};
enum { KNOWN = sizeof(known) / sizeof(*known), LENGTH = 64 };

/* As a vector and as what is left over. */
static void rounding(void **state)
{
	for (int w = 0; simd_all_bf16()[w]; w++)
		for (int k = 0; k < KNOWN; k++) {
			float from[LENGTH], back[LENGTH];
			uint16_t to[LENGTH];

			for (int i = 0; i < LENGTH - 1; i++)
				from[i] = float_of(known[k].from);
			simd_all_bf16()[w]->narrow(LENGTH - 1, from, to);
			simd_all_bf16()[w]->widen(LENGTH - 1, to, back);
			for (int i = 0; i < LENGTH - 1; i++) {
				assert_int_equal(to[i], known[k].to);
				assert_true(isnan(from[i]) ? isnan(back[i])
					    : back[i] == float_of((uint32_t)known[k].to << 16));
			}
		}
}

/* Any 2^20 patterns of bits: all widths alike, and as near as there is. */
static void any_bits(void **state)
{
	enum { N = 1 << 20 };
	const struct simd *const *all = simd_all_bf16();
	uint16_t *first = xcalloc(N, sizeof(*first)), *other = xcalloc(N, sizeof(*other));
	float *from = vec_new(N);
	struct rng r;

	rng_at(&r, 9, RNG_DATA, 0, 0);
	for (int i = 0; i < N; i++)
		from[i] = float_of(rng_u32(&r));
	all[0]->narrow(N, from, first);
	for (int w = 1; all[w]; w++) {
		all[w]->narrow(N, from, other);
		assert_memory_equal(first, other, N * sizeof(*first));
	}
	for (int i = 0; i < N; i++) {
		double v = (double)from[i], got = (double)float_of((uint32_t)first[i] << 16);

		if (isfinite(v) && isfinite(got) && fabs(v) >= 0x1p-126)
			assert_true(fabs(got - v) <= 0x1p-8 * fabs(v));
	}
	free(first);
	free(other);
	free(from);
}

/* ReLU passes NaN on, in both directions. */
static void not_a_number(void **state)
{
	const struct simd *const *tables[] = { simd_all(), simd_all_bf16() };
	float nans[LENGTH], back[LENGTH], work[LENGTH];

	for (int i = 0; i < LENGTH; i++)
		nans[i] = NAN;
	for (int k = 0; k < 2; k++)
		for (const struct simd *const *s = tables[k]; *s; s++) {
			(*s)->narrow(LENGTH - 1, nans, work);
			(*s)->join(LENGTH - 1, work, NULL, true, work);
			(*s)->mask(LENGTH - 1, work, NULL, 2, work);
			(*s)->widen(LENGTH - 1, work, back);
			for (int i = 0; i < LENGTH - 1; i++)
				assert_true(isnan(back[i]));
		}
}

/* A large mean does not drown a small variance. */
static void no_cancellation(void **state)
{
	enum { N = 4096 };
	float *x = vec_new(N), pivot;
	double sum = 0, square = 0;
	struct rng r;
	rng_at(&r, 6, RNG_DATA, 0, 0);
	for (int i = 0; i < N; i++)
		x[i] = 1000 + 0.001f * (float)rng_normal(&r);
	pivot = x[0];
	simd_all()[0]->measure(N, 1, x, &pivot, &sum, &square);
	assert_near(square / N - sum / N * sum / N, 1e-6, 1e-7);
	free(x);
}

/* ---- local response normalisation ---- */

struct rows {
	size_t n, c;
	struct lrn l;
	double x[256], dy[256];
};

static double scale_of(const struct rows *t, size_t row, size_t i)
{
	double sum = 0;

	for (size_t j = 0; j < t->c; j++)
		if (j + t->l.half >= i && j <= i + t->l.half)
			sum += t->x[row * t->c + j] * t->x[row * t->c + j];
	return (double)t->l.k + (double)t->l.scale * sum;
}

static double want_y(const struct rows *t, size_t row, size_t i)
{
	return t->x[row * t->c + i] * pow(scale_of(t, row, i), -(double)t->l.power);
}

static double want_dx(const struct rows *t, size_t row, size_t i)
{
	double power = (double)t->l.power, sum = 0;

	for (size_t j = 0; j < t->c; j++)
		if (j + t->l.half >= i && j <= i + t->l.half)
			sum += t->dy[row * t->c + j] * t->x[row * t->c + j]
			       * pow(scale_of(t, row, j), -power - 1);
	return t->dy[row * t->c + i] * pow(scale_of(t, row, i), -power)
	       - 2 * power * (double)t->l.scale * t->x[row * t->c + i] * sum;
}

static void fill(const struct simd *s, uint32_t rank, size_t n, double *v, void *to)
{
	float f[256];
	struct rng r;

	rng_at(&r, 9, RNG_DATA, rank, 0);
	for (size_t i = 0; i < n; i++)
		f[i] = (float)rng_normal(&r);
	s->narrow(n, f, to);
	s->widen(n, to, f);
	for (size_t i = 0; i < n; i++)
		v[i] = (double)f[i];
}

/* y and dx, in f32. */
static void run_lrn(const struct simd *s, struct rows *t, float *y, float *dx)
{
	float x[256], dy[256], to[256], *work = vec_new(3 * LRN_WORK(t->c, t->l.half));
	const size_t n = t->n * t->c;

	fill(s, 1, n, t->x, x);
	fill(s, 2, n, t->dy, dy);
	s->lrn(t->n, t->c, &t->l, x, work, to);
	s->widen(n, to, y);
	s->lrn_back(t->n, t->c, &t->l, x, dy, work, false, to);
	s->lrn_back(t->n, t->c, &t->l, x, dy, work, true, to);
	s->widen(n, to, dx);
	free(work);
}

static void check_lrn(const struct simd *const *all, size_t c, struct lrn l)
{
	const double rounding = all[0]->size == 2 ? 0x1p-7 : 1e-6;
	struct rows t = { .n = 3, .c = c, .l = l };
	float y[256], dx[256], y2[256], dx2[256];

	run_lrn(all[0], &t, y, dx);
	for (int w = 1; all[w]; w++) {
		run_lrn(all[w], &t, y2, dx2);
		assert_memory_equal(y, y2, 3 * c * sizeof(*y));
		assert_memory_equal(dx, dx2, 3 * c * sizeof(*dx));
	}
	for (size_t i = 0; i < 3 * c; i++) {
		assert_near((double)y[i], want_y(&t, i / c, i % c), rounding * 4);
		assert_near((double)dx[i], 2 * want_dx(&t, i / c, i % c), rounding * 8);
	}
}

static void lrn(void **state)
{
	static const size_t channels[] = { 1, 3, 16, 31, 33, 64, 80 };

	for (int k = 0; k < 7; k++)
		for (size_t half = 0; half < 4; half++)
			for (int p = 0; p < 2; p++) {
				struct lrn l = { half, 1.5f, 0.4f, p ? 0.75f : 0.6f };

				check_lrn(simd_all(), channels[k], l);
				check_lrn(simd_all_bf16(), channels[k], l);
			}
}

RUN_ALL(rounding, any_bits, not_a_number, no_cancellation, lrn)

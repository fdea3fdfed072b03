/* Vector operations in a fixed order of summation, and the count of floats they read or write. */
#include "core/math/vec.h"

#include "core/base/hash.h"
#include "core/math/wide.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

static _Thread_local size_t passed;
static _Thread_local bool only_counts;

size_t vec_passed(void)
{
	return passed;
}

void vec_forget(size_t count)
{
	passed = count;
}

void vec_only_count(bool yes)
{
	only_counts = yes;
}

void vec_copy(size_t n, const float *x, float *y)
{
	passed += 2 * n;
	if (x && y && n && !only_counts)
		memcpy(y, x, n * sizeof(*y));
}

WIDE void vec_add(size_t n, const float *x, const float *y, float *sum)
{
	passed += 3 * n;
	if (!x || !y || !sum || only_counts)
		return;
	for (size_t i = 0; i < n; i++)
		sum[i] = x[i] + y[i];
}

WIDE void vec_axpy(size_t n, float a, const float *x, float *y)
{
	passed += 3 * n;
	if (!x || !y || only_counts)
		return;
	for (size_t i = 0; i < n; i++)
		y[i] += a * x[i];
}

WIDE void vec_scale(size_t n, float a, float *y)
{
	passed += 2 * n;
	if (!y || only_counts)
		return;
	for (size_t i = 0; i < n; i++)
		y[i] *= a;
}

WIDE void vec_axpby(size_t n, float a, const float *x, float b, float *y)
{
	passed += 3 * n;
	if (!x || !y || only_counts)
		return;
	for (size_t i = 0; i < n; i++)
		y[i] = a * x[i] + b * y[i];
}

/* Sums are accumulated in VEC_LANES partial sums, by index modulo VEC_LANES, added at the end. */
enum { VEC_LANES = 8 };

static double vec_add_up(const double *lane)
{
	double sum = 0.0;

	for (int k = 0; k < VEC_LANES; k++)
		sum += lane[k];
	return sum;
}

WIDE double vec_dot(size_t n, const float *x, const float *y)
{
	const size_t whole = n - n % VEC_LANES;
	double lane[VEC_LANES] = { 0 };

	if (!x || !y)
		return 0.0;
	for (size_t i = 0; i < whole; i += VEC_LANES)
		for (size_t k = 0; k < VEC_LANES; k++)
			lane[k] += (double)x[i + k] * (double)y[i + k];
	for (size_t i = whole; i < n; i++)
		lane[i - whole] += (double)x[i] * (double)y[i];
	return vec_add_up(lane);
}

WIDE static double squared_distance(size_t n, const float *x, const float *y)
{
	const size_t whole = n - n % VEC_LANES;
	double lane[VEC_LANES] = { 0 };

	for (size_t i = 0; i < whole; i += VEC_LANES)
		for (size_t k = 0; k < VEC_LANES; k++) {
			const double d = (double)x[i + k] - (double)y[i + k];

			lane[k] += d * d;
		}
	for (size_t i = whole; i < n; i++) {
		const double d = (double)x[i] - (double)y[i];

		lane[i - whole] += d * d;
	}
	return vec_add_up(lane);
}

double vec_dist(size_t n, const float *x, const float *y)
{
	return x && y ? sqrt(squared_distance(n, x, y)) : 0.0;
}

void vec_mean(size_t n, int k, const float *const *xs, float *y)
{
	if (!y || k < 1 || !xs[0])
		return;
	for (size_t i = 0; i < n; i++) {
		double sum = 0.0;

		for (int j = 0; j < k; j++)
			sum += (double)xs[j][i];
		y[i] = (float)(sum / k);
	}
}

/* FNV-1a over whole floats: each step is invertible, so a changed float changes the result. */
uint64_t vec_digest(size_t n, const float *x)
{
	uint64_t h = FNV_START;

	for (size_t i = 0; x && i < n; i++) {
		uint32_t bits;

		memcpy(&bits, x + i, sizeof(bits));
		h = fnv_step(h, bits);
	}
	return x ? h : 0;
}

/* ---- atomic reads and additions of floats for a model that threads update without locks ---- */

_Static_assert(sizeof(_Atomic float) == sizeof(float), "floats can be shared where they lie");

void shared_read(size_t n, const float *x, float *to)
{
	const _Atomic float *from = (const _Atomic float *)x;

	for (size_t i = 0; i < n; i++)
		to[i] = atomic_load_explicit(&from[i], memory_order_relaxed);
}

static float shared_after(float now, float before, float after)
{
	return now == before ? after : now + (after - before);
}

void shared_add(size_t n, const float *before, const float *after, float *x)
{
	_Atomic float *at = (_Atomic float *)x;

	for (size_t i = 0; i < n; i++) {
		float now = atomic_load_explicit(&at[i], memory_order_relaxed);

		while (!atomic_compare_exchange_weak_explicit(
			&at[i], &now, shared_after(now, before[i], after[i]), memory_order_relaxed,
			memory_order_relaxed))
			;
	}
}

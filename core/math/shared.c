/* Atomic reads and additions of floats for a model that threads update without locks. */
#include "core/math/shared.h"

#include <stdatomic.h>

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

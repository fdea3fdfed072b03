/*
 * buckets.c - which parts of a gradient are final while the rest is still being computed.
 *
 * All ranks begin buckets (core/engine/bucket.h) in the same order, whichever is final first. The
 * pool's thread counts what it has stored; the event loop sees how many buckets are ready, and
 * sends those.
 */
#include "mpi/allreduce/real_allreduce.h"

#include "core/engine/bucket.h"

/* Floats of g[from, to) come off their buckets. */
static void count_down(struct buckets *b, size_t from, size_t to)
{
	while (from < to) {
		const int k = (int)((b->n - 1 - from) / b->size);
		const size_t end = b->n - (size_t)k * b->size;
		const size_t until = to < end ? to : end;

		b->left[k] -= until - from;
		from = until;
	}
}

/* On a thread of the pool. */
static void part_done(struct grad_hook *h, size_t from, size_t to)
{
	struct buckets *b = (struct buckets *)h;
	int ready = atomic_load_explicit(&b->ready, memory_order_relaxed);

	count_down(b, from, to);
	while (ready < b->count && b->left[ready] == 0)
		ready++;
	atomic_store_explicit(&b->ready, ready, memory_order_release);
}

void buckets_open(struct real *r, struct buckets *b, size_t n)
{
	const size_t size = real_piece(r, n);
	size_t from;

	if (!b->left)
		b->left = arena_alloc(&r->arena, (size_t)bucket_count(n, size), sizeof(*b->left));
	b->hook = (struct grad_hook){ part_done };
	b->n = n;
	b->size = size;
	b->count = bucket_count(n, size);
	for (int k = 0; k < b->count; k++)
		b->left[k] = bucket_at(n, size, k, &from);
	atomic_store_explicit(&b->ready, 0, memory_order_relaxed);
}

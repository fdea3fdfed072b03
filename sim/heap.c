/* Pushes and pops events of a 4-ary heap, and grows it by whole cache lines. */
#include "sim/heap.h"

#include "core/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { ARITY = 4, BEFORE = ARITY - 1 };

static int heap_before(const struct sim_event *a, const struct sim_event *b)
{
	return a->time < b->time || (a->time == b->time && a->order < b->order);
}

/* Children of one event fill whole cache lines: the first of them is at the start of one. */
static void heap_grow(struct heap *h)
{
	const size_t capacity = h->capacity ? 2 * h->capacity : 256;
	struct sim_event *lines = xlines(capacity + BEFORE, sizeof(*lines));

	if (h->lines)
		memcpy(lines + BEFORE, h->v, h->capacity * sizeof(*h->v));
	free(h->lines);
	h->lines = lines;
	h->v = lines + BEFORE;
	h->capacity = capacity;
}

static void sift_up(struct heap *h, struct sim_event ev)
{
	size_t i = h->n++;

	if (h->n > h->capacity)
		heap_grow(h);
	while (i > 0) {
		size_t up = (i - 1) / ARITY;

		if (!heap_before(&ev, &h->v[up]))
			break;
		h->v[i] = h->v[up];
		i = up;
	}
	h->v[i] = ev;
}

static bool is_first(const struct heap *h, const struct sim_event *ev)
{
	if (h->has_front)
		return heap_before(ev, &h->front);
	return h->n == 0 || heap_before(ev, &h->v[0]);
}

void heap_push(struct heap *h, double time, enum sim_kind kind, int node, void *ptr, int64_t num)
{
	const struct sim_event ev = {
		.time = time,
		.order = (uint64_t)kind << 60 | (uint64_t)node << 39 | h->pushed++,
		.ptr = ptr,
		.num = num,
	};

	if (!is_first(h, &ev)) {
		sift_up(h, ev);
		return;
	}
	if (h->has_front)
		sift_up(h, h->front);
	h->front = ev;
	h->has_front = true;
}

/* The earliest child of i, or n when i is a leaf. */
static size_t first_child(const struct heap *h, size_t i)
{
	const size_t lo = ARITY * i + 1;
	const size_t hi = lo + ARITY < h->n ? lo + ARITY : h->n;
	size_t best = lo;

	if (lo >= h->n)
		return h->n;
	for (size_t c = lo + 1; c < hi; c++)
		if (heap_before(&h->v[c], &h->v[best]))
			best = c;
	return best;
}

int heap_pop(struct heap *h, struct sim_event *ev)
{
	struct sim_event last;
	size_t i = 0, child;

	if (h->has_front) {
		*ev = h->front;
		h->has_front = false;
		return 1;
	}
	if (h->n == 0)
		return 0;
	*ev = h->v[0];
	last = h->v[--h->n];
	while ((child = first_child(h, i)) < h->n && heap_before(&h->v[child], &last)) {
		h->v[i] = h->v[child];
		i = child;
	}
	h->v[i] = last;
	return 1;
}

void heap_release(struct heap *h)
{
	free(h->lines);
	*h = (struct heap){ 0 };
}

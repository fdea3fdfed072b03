/* Pushes and pops events of a 4-ary heap, and grows it by whole cache lines. */
#include "sim/events/heap.h"

#include "core/base/apart.h"
#include "core/base/mem.h"
#include "sim/events/calendar.h"

#include <stdlib.h>
#include <string.h>

enum { ARITY = 4, BEFORE = ARITY - 1, LINE = 64, FETCH_LINES = 3 };

/* Children of one event fill whole cache lines: the first of them is at the start of one. */
RARE static void heap_grow(struct heap *h)
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

static inline void sift_up(struct heap *h, const struct sim_event *ev)
{
	size_t i = h->n++;

	if (h->n > h->capacity)
		heap_grow(h);
	while (i > 0) {
		size_t up = (i - 1) / ARITY;

		if (!heap_before(ev, &h->v[up]))
			break;
		h->v[i] = h->v[up];
		i = up;
	}
	heap_put(&h->v[i], ev);
}

/* The earliest child of i, or n when i is a leaf. */
static inline size_t first_child(const struct heap *h, size_t i)
{
	const size_t lo = ARITY * i + 1;
	size_t best = lo, other;

	if (lo >= h->n)
		return h->n;
	if (lo + ARITY <= h->n) {
		best = lo + heap_before(&h->v[lo + 1], &h->v[lo]);
		other = lo + 2 + heap_before(&h->v[lo + 3], &h->v[lo + 2]);
		return heap_before(&h->v[other], &h->v[best]) ? other : best;
	}
	for (size_t c = lo + 1; c < h->n; c++)
		if (heap_before(&h->v[c], &h->v[best]))
			best = c;
	return best;
}

/* Puts an event where the top is open, or below, and those before it above. */
static inline void sift_down(struct heap *h, const struct sim_event *ev)
{
	size_t i = 0;

	for (size_t child = h->top; child < h->n && heap_before(&h->v[child], ev);
	     child = first_child(h, i)) {
		h->v[i] = h->v[child];
		i = child;
	}
	heap_put(&h->v[i], ev);
	h->top = 0;
}

/* What an event points to was written long ago: it comes to the cache while others are handled. */
static inline void heap_fetch(const struct sim_event *ev)
{
	for (size_t i = 0; ev->ptr && i < FETCH_LINES; i++)
		__builtin_prefetch((const char *)ev->ptr + i * LINE, 1);
}

/* With nothing in the heap, the next of those that come later go there. */
APART static void heap_refill(struct heap *h)
{
	struct calendar *c = h->calendar;

	while (h->n == 0 && c->n > 0)
		for (struct bunch *b = calendar_next(c); b; b = calendar_used(c, b))
			for (size_t i = 0; i < b->n; i++) {
				heap_fetch(&b->ev[i]);
				sift_up(h, &b->ev[i]);
			}
}

/* Too many are in the heap: all but the next go where they come later. */
RARE static void heap_sort_out(struct heap *h)
{
	const size_t n = h->n;

	if (!h->calendar)
		h->calendar = calendar_new();
	h->n = 0;
	for (size_t i = 0; i < n; i++)
		calendar_add(h->calendar, &h->v[i]);
	calendar_spread(h->calendar);
	h->patience = h->pushed + 2 * h->calendar->n;
	heap_refill(h);
}

/* The last event goes to the open top. */
static void heap_close(struct heap *h)
{
	const struct sim_event *last = &h->v[--h->n];

	if (h->n > 0)
		sift_down(h, last);
	h->top = 0;
}

/* Where it comes among those that are not in front. */
static void heap_add(struct heap *h, const struct sim_event *ev)
{
	if (h->calendar && h->calendar->n > 0 && calendar_keeps(h->calendar, ev->time)) {
		calendar_add(h->calendar, ev);
		return;
	}
	if (h->top > 0)
		sift_down(h, ev);
	else
		sift_up(h, ev);
	if (h->n > LATER_FROM && h->pushed >= h->patience)
		heap_sort_out(h);
}

void heap_push_sorted(struct heap *h, const struct sim_event *ev)
{
	if (!h->has_front || !heap_before(ev, &h->front)) {
		heap_add(h, ev);
		return;
	}
	heap_add(h, &h->front);
	heap_put(&h->front, ev);
}

int heap_pop_sorted(struct heap *h, struct sim_event *ev)
{
	if (h->top > 0)
		heap_close(h);
	if (h->n == 0)
		return 0;
	*ev = h->v[0];
	h->top = h->n > 1 ? first_child(h, 0) : 1;
	if (h->n == 1 && h->calendar) {
		heap_close(h);
		heap_refill(h);
	}
	return 1;
}

uint64_t heap_hash(const struct heap *h, uint64_t hash)
{
	for (size_t i = h->top > 0; i < h->n; i++)
		hash = sim_event_hash(&h->v[i], hash);
	return h->calendar ? calendar_hash(h->calendar, hash) : hash;
}

void heap_release(struct heap *h)
{
	free(h->lines);
	calendar_free(h->calendar);
	*h = (struct heap){ 0 };
}

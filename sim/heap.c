/* Pushes and pops events of a 4-ary heap, and grows it by whole cache lines. */
#include "sim/heap.h"

#include "core/base/mem.h"
#include "sim/calendar.h"

#include <stdlib.h>
#include <string.h>

enum { ARITY = 4, BEFORE = ARITY - 1, LINE = 64, FETCH_LINES = 3 };

/* Times are not negative, so their bits are in their order. No branch: none could be foreseen. */
static inline bool heap_before(const struct sim_event *a, const struct sim_event *b)
{
	uint64_t ta, tb;

	memcpy(&ta, &a->time, sizeof(ta));
	memcpy(&tb, &b->time, sizeof(tb));
	return (ta < tb) | ((ta == tb) & (a->order < b->order));
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

/* Field by field: a copy in wide words of what was just written in narrow ones has to wait. */
static inline void heap_put(struct sim_event *at, const struct sim_event *ev)
{
	at->time = ev->time;
	at->order = ev->order;
	at->ptr = ev->ptr;
	at->num = ev->num;
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

static bool is_first(const struct heap *h, const struct sim_event *ev)
{
	if (h->has_front)
		return heap_before(ev, &h->front);
	return h->n == 0 || heap_before(ev, &h->v[0]);
}

/* What an event points to was written long ago: it comes to the cache while others are handled. */
static inline void heap_fetch(const struct sim_event *ev)
{
	for (size_t i = 0; i < FETCH_LINES; i++)
		__builtin_prefetch((const char *)ev->ptr + i * LINE, 1);
}

/* With nothing in the heap, the next of those that come later go there. */
static void heap_refill(struct heap *h)
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
static void heap_sort_out(struct heap *h)
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

void heap_push(struct heap *h, double time, enum sim_kind kind, int node, void *ptr, int64_t num)
{
	const struct sim_event ev = {
		.time = time + 0.0,     /* no negative zero */
		.order = (uint64_t)kind << 60 | (uint64_t)node << 39 | h->pushed++,
		.ptr = ptr,
		.num = num,
	};

	if (h->calendar && h->calendar->n > 0 && calendar_keeps(h->calendar, ev.time)) {
		calendar_add(h->calendar, &ev);
		return;
	}
	if (is_first(h, &ev)) {
		if (h->has_front)
			sift_up(h, &h->front);
		heap_put(&h->front, &ev);
		h->has_front = true;
		return;
	}
	sift_up(h, &ev);
	if (h->n > LATER_FROM && h->pushed >= h->patience)
		heap_sort_out(h);
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

int heap_pop_sorted(struct heap *h, struct sim_event *ev)
{
	const struct sim_event *last;
	size_t i = 0, child;

	if (h->n == 0)
		return 0;
	*ev = h->v[0];
	last = &h->v[--h->n];
	while ((child = first_child(h, i)) < h->n && heap_before(&h->v[child], last)) {
		h->v[i] = h->v[child];
		i = child;
	}
	h->v[i] = *last;
	if (h->n == 0 && h->calendar)
		heap_refill(h);
	return 1;
}

uint64_t heap_hash(const struct heap *h, uint64_t hash)
{
	for (size_t i = 0; i < h->n; i++)
		hash = sim_event_hash(&h->v[i], hash);
	return h->calendar ? calendar_hash(h->calendar, hash) : hash;
}

void heap_release(struct heap *h)
{
	free(h->lines);
	calendar_free(h->calendar);
	*h = (struct heap){ 0 };
}

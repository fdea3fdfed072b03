/*
 * heap.c - the heap, and a calendar of later events, in buckets of equal spans of time.
 *
 * The events of a bucket are unordered: the heap sorts those of one bucket at a time. The last
 * bucket has all events after the others, which are filled again from it when they are used up.
 */
#include "sim/events/heap.h"

#include "core/base/apart.h"
#include "core/base/hash.h"
#include "core/base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Events in the heap without a calendar; in a bucket on average; in a bunch. */
enum { LATER_FROM = 2048, LATER_BUCKET = 128, LATER_BUNCH = 31 };

struct bunch {                  /* events of one bucket */
	struct bunch *next;
	size_t n;
	struct sim_event ev[LATER_BUNCH];
};

struct calendar {
	double from, scale;     /* bucket of a time: (time - from) * scale */
	size_t buckets;         /* number of buckets, without the last */
	size_t taken;           /* buckets that have been moved to the heap */
	struct bunch **bucket;  /* [buckets + 1] */
	struct bunch *spare;
	size_t n;               /* events */
};

/* Bucket of a time; monotonic, so that no event is before one of an earlier bucket. */
static inline size_t calendar_bucket(const struct calendar *l, double time)
{
	const double at = (time - l->from) * l->scale;

	if (!(at < (double)l->buckets))
		return l->buckets;
	return at > 0.0 ? (size_t)at : 0;
}

/* ---- the calendar: events in buckets of time ---- */

static struct calendar *calendar_new(void)
{
	struct calendar *l = xcalloc(1, sizeof(*l));

	l->bucket = xcalloc(1, sizeof(struct bunch *));
	return l;
}

static void bunches_free(struct bunch *b)
{
	for (struct bunch *next; b; b = next) {
		next = b->next;
		free(b);
	}
}

static void calendar_free(struct calendar *l)
{
	if (!l)
		return;
	for (size_t k = 0; k <= l->buckets; k++)
		bunches_free(l->bucket[k]);
	bunches_free(l->spare);
	free(l->bucket);
	free(l);
}

static struct bunch *bunch_before(struct calendar *l, struct bunch *next)
{
	struct bunch *b = l->spare;

	if (b)
		l->spare = b->next;
	else
		b = xcalloc(1, sizeof(*b));
	b->next = next;
	b->n = 0;
	return b;
}

static void calendar_add(struct calendar *l, const struct sim_event *ev)
{
	struct bunch **b = &l->bucket[calendar_bucket(l, ev->time)];

	if (!*b || (*b)->n == LATER_BUNCH)
		*b = bunch_before(l, *b);
	(*b)->ev[(*b)->n++] = *ev;
	l->n++;
}

/* The bunch after b, which is returned for reuse. */
static struct bunch *calendar_used(struct calendar *l, struct bunch *b)
{
	struct bunch *next = b->next;

	l->n -= b->n;
	b->next = l->spare;
	l->spare = b;
	return next;
}

struct calendar_times {
	double least, sum;
	size_t n;
};

/* Least, sum and number of the finite times. */
static struct calendar_times calendar_times_of(const struct calendar *l)
{
	struct calendar_times t = { .least = HUGE_VAL };

	for (size_t k = 0; k <= l->buckets; k++)
		for (const struct bunch *b = l->bucket[k]; b; b = b->next)
			for (size_t i = 0; i < b->n; i++)
				if (b->ev[i].time < HUGE_VAL) {
					t.least = fmin(t.least, b->ev[i].time);
					t.sum += b->ev[i].time;
					t.n++;
				}
	return t;
}

/*
 * Spreads the buckets from the least time to twice the distance of the mean: few much later events
 * matter little.
 */
static void calendar_spread(struct calendar *l)
{
	const struct calendar_times t = calendar_times_of(l);
	const double mean = t.sum / (double)t.n;
	struct bunch **old = l->bucket;
	const size_t n = l->buckets;

	l->buckets = l->n / LATER_BUCKET + 1;
	l->bucket = xcalloc(l->buckets + 1, sizeof(struct bunch *));
	l->taken = 0;
	l->from = t.least;
	l->scale = mean > t.least ? (double)l->buckets / (2.0 * (mean - t.least)) : 0.0;
	for (size_t k = 0; k <= n; k++)
		for (struct bunch *b = old[k]; b; b = calendar_used(l, b))
			for (size_t i = 0; i < b->n; i++)
				calendar_add(l, &b->ev[i]);
	free(old);
}

static bool calendar_seek(struct calendar *l)
{
	while (l->taken < l->buckets && !l->bucket[l->taken])
		l->taken++;
	return l->taken < l->buckets;
}

/*
 * All bunches of the first bucket that has any; at least one exists. Pass each to calendar_used().
 */
static struct bunch *calendar_next(struct calendar *l)
{
	struct bunch *b;

	if (!calendar_seek(l) && l->n > LATER_FROM) {
		calendar_spread(l);
		calendar_seek(l);
	}
	b = l->bucket[l->taken];
	l->bucket[l->taken++] = NULL;
	return b;
}

static uint64_t sim_event_hash(const struct sim_event *ev, uint64_t hash)
{
	hash = fnv(hash, &ev->time, sizeof(ev->time));
	hash = fnv(hash, &ev->order, sizeof(ev->order));
	return fnv(hash, &ev->num, sizeof(ev->num));
}

/* Continues a hash by all events. */
static uint64_t calendar_hash(const struct calendar *l, uint64_t hash)
{
	for (size_t k = 0; k <= l->buckets; k++)
		for (const struct bunch *b = l->bucket[k]; b; b = b->next)
			for (size_t i = 0; i < b->n; i++)
				hash = sim_event_hash(&b->ev[i], hash);
	return hash;
}

enum { ARITY = 4, BEFORE = ARITY - 1, SIM_LINE = 64, FETCH_LINES = 3 };

/*
 * Grows the heap. Children of an event fill whole cache lines: the first one is aligned to a line.
 */
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

/* The earliest child of i, or n if i is a leaf. */
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

/* Inserts an event at the open top or below, moving earlier events up. */
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

/* Prefetches the memory that an event points to: it was written long ago, and is needed soon. */
static inline void heap_fetch(const struct sim_event *ev)
{
	for (size_t i = 0; ev->ptr && i < FETCH_LINES; i++)
		__builtin_prefetch((const char *)ev->ptr + i * SIM_LINE, 1);
}

/* The heap is empty: fills it with the next events of the calendar. */
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

/* The heap has too many events: moves all but the next ones to the calendar. */
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

/* Closes the open top with the last event. */
static void heap_close(struct heap *h)
{
	const struct sim_event *last = &h->v[--h->n];

	if (h->n > 0)
		sift_down(h, last);
	h->top = 0;
}

/* Adds an event that is not the front. */
static void heap_add(struct heap *h, const struct sim_event *ev)
{
	if (h->calendar && h->calendar->n > 0 &&
	    calendar_bucket(h->calendar, ev->time) >= h->calendar->taken) {
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

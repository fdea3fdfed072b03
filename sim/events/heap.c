/*
 * heap.c - a 4-ary heap of the next events, and a calendar of later ones, in buckets of equal time.
 *
 * The events of a bucket are unordered: when the heap is empty, it takes those of the next bucket.
 * The last bucket has all events after the others. When these are used up, it is spread over new
 * buckets, unless it is small.
 */
#include "sim/events/heap.h"

#include "core/base/apart.h"
#include "core/base/hash.h"
#include "core/base/mem.h"

#include <math.h>
#include <stdlib.h>

enum {
	HEAP_MANY = 2048,       /* with more events than these, the heap makes a calendar */
	BUCKET_EVENTS = 128,    /* events in a bucket, on average */
	BUNCH_EVENTS = 31       /* most events in a bunch */
};

struct bunch {                  /* some events of one bucket, which is a list of bunches */
	struct sim_event ev[BUNCH_EVENTS];      /* first: none crosses a line of the cache */
	struct bunch *next;
	size_t n;
};

struct calendar {
	double from, scale;     /* bucket of a time: (time - from) * scale; seconds, 1 / seconds */
	size_t buckets;         /* number of buckets, without the last */
	size_t taken;           /* buckets that have been moved to the heap */
	struct bunch **bucket;  /* [buckets + 1] */
	struct bunch *spare;    /* for reuse */
	struct arena arena;     /* owns all bunches */
	size_t n;               /* events */
};

/* ---- the calendar: events in buckets of time ---- */

/* Bucket of a time. It grows with the time: no event is before one of an earlier bucket. */
static inline size_t calendar_bucket(const struct calendar *c, double time)
{
	const double at = (time - c->from) * c->scale;

	if (!(at < (double)c->buckets))
		return c->buckets;
	return at > 0.0 ? (size_t)at : 0;
}

static struct calendar *calendar_new(void)
{
	struct calendar *c = xcalloc(1, sizeof(*c));

	c->bucket = xcalloc(1, sizeof(struct bunch *));
	return c;
}

static void calendar_free(struct calendar *c)
{
	if (!c)
		return;
	arena_release(&c->arena);
	free(c->bucket);
	free(c);
}

/* An empty bunch in front of `next`. */
static struct bunch *bunch_new(struct calendar *c, struct bunch *next)
{
	struct bunch *b = c->spare;

	if (b)
		c->spare = b->next;
	else
		b = arena_alloc(&c->arena, 1, sizeof(*b));
	b->next = next;
	b->n = 0;
	return b;
}

static void calendar_add(struct calendar *c, const struct sim_event *ev)
{
	struct bunch **b = &c->bucket[calendar_bucket(c, ev->time)];

	if (!*b || (*b)->n == BUNCH_EVENTS)
		*b = bunch_new(c, *b);
	(*b)->ev[(*b)->n++] = *ev;
	c->n++;
}

/* Puts b, whose events have been taken, aside for reuse. Returns the bunch after it. */
static struct bunch *calendar_used(struct calendar *c, struct bunch *b)
{
	struct bunch *next = b->next;

	c->n -= b->n;
	b->next = c->spare;
	c->spare = b;
	return next;
}

struct calendar_times {
	double least, sum;
	size_t n;
};

/* Least, sum and number of the finite times. */
static struct calendar_times calendar_times_of(const struct calendar *c)
{
	struct calendar_times t = { .least = HUGE_VAL };

	for (size_t k = 0; k <= c->buckets; k++)
		for (const struct bunch *b = c->bucket[k]; b; b = b->next)
			for (size_t i = 0; i < b->n; i++)
				if (b->ev[i].time < HUGE_VAL) {
					t.least = fmin(t.least, b->ev[i].time);
					t.sum += b->ev[i].time;
					t.n++;
				}
	return t;
}

/*
 * Makes new buckets for all events. They begin at the least time, and the mean time is in their
 * middle, so that a few much later events matter little.
 */
static void calendar_spread(struct calendar *c)
{
	const struct calendar_times t = calendar_times_of(c);
	const double mean = t.sum / (double)t.n;
	scoped struct bunch **old = c->bucket;
	const size_t n = c->buckets;

	c->buckets = c->n / BUCKET_EVENTS + 1;
	c->bucket = xcalloc(c->buckets + 1, sizeof(struct bunch *));
	c->taken = 0;
	c->from = t.least;
	c->scale = mean > t.least ? (double)c->buckets / (2.0 * (mean - t.least)) : 0.0;
	for (size_t k = 0; k <= n; k++)
		for (struct bunch *b = old[k]; b; b = calendar_used(c, b))
			for (size_t i = 0; i < b->n; i++)
				calendar_add(c, &b->ev[i]);
}

/* Skips empty buckets; false when only the last bucket is left. */
static bool calendar_seek(struct calendar *c)
{
	while (c->taken < c->buckets && !c->bucket[c->taken])
		c->taken++;
	return c->taken < c->buckets;
}

/*
 * Takes the first bucket with events; there must be one. Pass each of its bunches to
 * calendar_used().
 */
static struct bunch *calendar_next(struct calendar *c)
{
	struct bunch *b;

	if (!calendar_seek(c) && c->n > HEAP_MANY) {
		calendar_spread(c);
		calendar_seek(c);
	}
	b = c->bucket[c->taken];
	c->bucket[c->taken++] = NULL;
	return b;
}

static uint64_t sim_event_hash(const struct sim_event *ev, uint64_t hash)
{
	hash = fnv(hash, &ev->time, sizeof(ev->time));
	hash = fnv(hash, &ev->order, sizeof(ev->order));
	return fnv(hash, &ev->num, sizeof(ev->num));
}

/* Continues a hash by all events. */
static uint64_t calendar_hash(const struct calendar *c, uint64_t hash)
{
	for (size_t k = 0; k <= c->buckets; k++)
		for (const struct bunch *b = c->bucket[k]; b; b = b->next)
			for (size_t i = 0; i < b->n; i++)
				hash = sim_event_hash(&b->ev[i], hash);
	return hash;
}

/* ---- the heap ---- */

enum { ARITY = 4, BEFORE = ARITY - 1 };         /* children of an event; unused events before v */
enum { LINE_BYTES = 64, POINTED_BYTES = 128 };   /* of the cache; of a packet */

/*
 * Grows the heap. Children of an event fill whole cache lines: the first one is aligned to a line.
 */
RARE static void heap_grow(struct heap *h)
{
	const size_t capacity = h->capacity ? 2 * h->capacity : 256;
	struct sim_event *lines = xlines_unset(capacity + BEFORE, sizeof(*lines));

	if (h->lines)
		memcpy(lines + BEFORE, h->v, h->capacity * sizeof(*h->v));
	free(h->lines);
	h->lines = lines;
	h->v = lines + BEFORE;
	h->capacity = capacity;
}

/* Appends an event, and moves it up past later ones. */
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

/* Fills the open top: moves earlier events up, and puts ev below them. */
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

/* Prefetches n bytes, a multiple of 8. GCC leaves out calls that do nothing else: thus WITHIN. */
static WITHIN void fetch(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i += LINE_BYTES)
		__builtin_prefetch(p + i, 1);
	__builtin_prefetch(p + n - 8, 1);
}

/* Fetches what an event points to, and what its node needs: used long ago, and needed soon. */
static WITHIN void heap_fetch(const struct heap *h, const struct sim_event *ev)
{
	const size_t node = (size_t)sim_event_node(ev);

	if (ev->ptr)
		fetch(ev->ptr, POINTED_BYTES);
	for (const struct heap_near *a = h->near; a < h->near + HEAP_NEAR; a++)
		if (node < a->n)
			fetch(a->base + node * a->size, a->used);
}

/*
 * The heap is empty: fills it with the next events of the calendar. Of very many at the same time,
 * what the later ones need would leave the caches before it is used.
 */
APART static void heap_refill(struct heap *h)
{
	struct calendar *c = h->calendar;

	while (h->n == 0 && c->n > 0)
		for (struct bunch *b = calendar_next(c); b; b = calendar_used(c, b))
			for (size_t i = 0; i < b->n; i++) {
				if (h->n < HEAP_MANY)
					heap_fetch(h, &b->ev[i]);
				sift_up(h, &b->ev[i]);
			}
}

/* The heap has too many events: moves all but those of the next bucket to the calendar. */
RARE static void heap_move_later(struct heap *h)
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

/* Fills the open top by the last event of the heap. */
static void heap_close_top(struct heap *h)
{
	const struct sim_event *last = &h->v[--h->n];

	if (h->n > 0)
		sift_down(h, last);
	h->top = 0;
}

/* Adds an event other than `front`: to the calendar, if its bucket is not in the heap yet. */
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
	if (h->n > HEAP_MANY && h->pushed >= h->patience)
		heap_move_later(h);
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
		heap_close_top(h);
	if (h->n == 0)
		return 0;
	*ev = h->v[0];
	h->top = h->n > 1 ? first_child(h, 0) : 1;
	if (h->n > HEAP_MANY)   /* heap_refill() has not fetched these */
		heap_fetch(h, &h->v[h->top]);
	if (h->n == 1 && h->calendar) {
		heap_close_top(h);
		heap_refill(h);
	}
	return 1;
}

int heap_take(struct heap *h, struct sim_event *ev)
{
	struct calendar *c = h->calendar;
	struct bunch *b;

	if (h->has_front)
		return heap_pop(h, ev);
	if (h->top > 0)
		heap_close_top(h);
	if (h->n > 0) {
		*ev = h->v[--h->n];
		return 1;
	}
	if (!c || c->n == 0)
		return 0;
	while (!c->bucket[c->taken])
		c->taken++;
	b = c->bucket[c->taken];
	*ev = b->ev[--b->n];
	c->n--;
	if (b->n == 0)
		c->bucket[c->taken] = b->next;
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

/* Keeps events in buckets of time, makes new ones, and hands them to the heap one by one. */
#include "sim/events/calendar.h"

#include "core/base/hash.h"
#include "core/base/mem.h"

#include <math.h>
#include <stdlib.h>

struct calendar *calendar_new(void)
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

void calendar_free(struct calendar *l)
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

void calendar_add(struct calendar *l, const struct sim_event *ev)
{
	struct bunch **b = &l->bucket[calendar_bucket(l, ev->time)];

	if (!*b || (*b)->n == LATER_BUNCH)
		*b = bunch_before(l, *b);
	(*b)->ev[(*b)->n++] = *ev;
	l->n++;
}

struct bunch *calendar_used(struct calendar *l, struct bunch *b)
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

/* Of times that are finite. */
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

/* From the least time to as far beyond the mean: a few that come much later do not matter. */
void calendar_spread(struct calendar *l)
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

struct bunch *calendar_next(struct calendar *l)
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

uint64_t sim_event_hash(const struct sim_event *ev, uint64_t hash)
{
	hash = fnv(hash, &ev->time, sizeof(ev->time));
	hash = fnv(hash, &ev->order, sizeof(ev->order));
	return fnv(hash, &ev->num, sizeof(ev->num));
}

uint64_t calendar_hash(const struct calendar *l, uint64_t hash)
{
	for (size_t k = 0; k <= l->buckets; k++)
		for (const struct bunch *b = l->bucket[k]; b; b = b->next)
			for (size_t i = 0; i < b->n; i++)
				hash = sim_event_hash(&b->ev[i], hash);
	return hash;
}

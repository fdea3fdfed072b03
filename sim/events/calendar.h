/*
 * calendar.h - events that are not among the next, in buckets of equal spans of time.
 *
 * A bucket's events have no order: the heap sorts those of one bucket at a time. The last bucket is
 * for all that is after the others, which are replaced when they are used up.
 */
#ifndef SIM_EVENTS_CALENDAR_H
#define SIM_EVENTS_CALENDAR_H

#include "sim/events/heap.h"

/* Fewer stay in the heap; of a bucket on average; of a bunch. */
enum { LATER_FROM = 2048, LATER_BUCKET = 128, LATER_BUNCH = 31 };

struct bunch {                  /* of events of one bucket */
	struct bunch *next;
	size_t n;
	struct sim_event ev[LATER_BUNCH];
};

struct calendar {
	double from, scale;     /* the bucket of a time is (time - from) * scale */
	size_t buckets;         /* before the last */
	size_t taken;           /* of them: what belongs there is in the heap */
	struct bunch **bucket;  /* [buckets + 1] */
	struct bunch *spare;
	size_t n;               /* events */
};

struct calendar *calendar_new(void);
void calendar_free(struct calendar *l);

/* It grows with time, so that no event of a bucket is before one of an earlier bucket. */
static inline size_t calendar_bucket(const struct calendar *l, double time)
{
	const double at = (time - l->from) * l->scale;

	if (!(at < (double)l->buckets))
		return l->buckets;
	return at > 0.0 ? (size_t)at : 0;
}

/* False: an event of that time belongs into the heap. */
static inline bool calendar_keeps(const struct calendar *l, double time)
{
	return calendar_bucket(l, time) >= l->taken;
}

void calendar_add(struct calendar *l, const struct sim_event *ev);

/* Makes buckets for the events that there are; none of these is taken. */
void calendar_spread(struct calendar *l);

/* The bunches of the first bucket that has any, of which there is one: calendar_used() each. */
struct bunch *calendar_next(struct calendar *l);

/* The next bunch after one of those, which goes back. */
struct bunch *calendar_used(struct calendar *l, struct bunch *b);

/* Continues a hash by all events. */
uint64_t calendar_hash(const struct calendar *l, uint64_t hash);
uint64_t sim_event_hash(const struct sim_event *ev, uint64_t hash);

#endif

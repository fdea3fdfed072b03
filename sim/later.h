/*
 * later.h - events that are not among the next, in buckets of equal spans of time.
 *
 * A bucket's events have no order: the heap sorts those of one bucket at a time. The last bucket is
 * for all that is after the others, which are replaced when they are used up.
 */
#ifndef SIM_LATER_H
#define SIM_LATER_H

#include "sim/heap.h"

/* Fewer stay in the heap; of a bucket on average; of a bunch. */
enum { LATER_FROM = 2048, LATER_BUCKET = 128, LATER_BUNCH = 31 };

struct bunch {                  /* of events of one bucket */
	struct bunch *next;
	size_t n;
	struct sim_event ev[LATER_BUNCH];
};

struct later {
	double from, scale;     /* the bucket of a time is (time - from) * scale */
	size_t buckets;         /* before the last */
	size_t taken;           /* of them: what belongs there is in the heap */
	struct bunch **bucket;  /* [buckets + 1] */
	struct bunch *spare;
	size_t n;               /* events */
};

struct later *later_new(void);
void later_free(struct later *l);

/* It grows with time, so that no event of a bucket is before one of an earlier bucket. */
static inline size_t later_bucket(const struct later *l, double time)
{
	const double at = (time - l->from) * l->scale;

	if (!(at < (double)l->buckets))
		return l->buckets;
	return at > 0.0 ? (size_t)at : 0;
}

/* False: an event of that time belongs into the heap. */
static inline bool later_keeps(const struct later *l, double time)
{
	return later_bucket(l, time) >= l->taken;
}

void later_add(struct later *l, const struct sim_event *ev);

/* Makes buckets for the events that there are; none of these is taken. */
void later_spread(struct later *l);

/* The bunches of the first bucket that has any, of which there is one: later_used() each. */
struct bunch *later_next(struct later *l);

/* The next bunch after one of those, which goes back. */
struct bunch *later_used(struct later *l, struct bunch *b);

/* Continues a hash by all events. */
uint64_t later_hash(const struct later *l, uint64_t hash);
uint64_t sim_event_hash(const struct sim_event *ev, uint64_t hash);

#endif

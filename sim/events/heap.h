/*
 * heap.h - the event list: a 4-ary heap whose ties break by a written rule.
 *
 * Earlier time first; at equal times the lower kind, then the lower node, then
 * the order of pushing. The three are packed into one word: kind in the top 4
 * bits, node in 21, sequence number in 39.
 */
#ifndef SIM_EVENTS_HEAP_H
#define SIM_EVENTS_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum sim_kind {                 /* in the order in which equal times are handled */
	SIM_FAULT,              /* one begins or ends, or a message that it held goes on */
	SIM_MSG,                /* a message would be across if the receiver's NIC were idle */
	SIM_RECEIVED,           /* a message is whole at the receiver */
	SIM_ALLREDUCE,          /* a group's all-reduce is done */
	SIM_TIMER,
	SIM_WRITE,              /* a block of a step goes into a shared model */
	SIM_READ,               /* a block of a shared model is read */
	SIM_BUCKET,             /* a bucket is final, and its all-reduce is a ring of messages */
	SIM_GRAD,               /* a gradient is ready */
	SIM_WAKE,               /* a busy node is free again */
	SIM_NET                 /* a message begins to share a fabric, or rates change */
};

enum { HEAP_NODE_MAX = (1 << 21) - 1 };

struct sim_event {
	double time;
	uint64_t order;
	void *ptr;
	int64_t num;
};

/*
 * What is pushed before everything that is there waits in front, outside the
 * heap: an event that follows at once from the one being handled costs no sifting.
 * The top of the heap stays open after a pop, for the event that is pushed next: a
 * node that goes on costs one way through the heap, not two.
 * Of many events, those that come later are kept apart (calendar.h), so that the heap stays small.
 */
struct heap {
	struct sim_event *lines;        /* owned; some before the first are not used */
	struct sim_event *v;            /* [n], in it */
	size_t n, capacity;
	size_t top;             /* of them: the first. 0, or v[0] is open; n: none is left */
	uint64_t pushed;
	struct sim_event front;
	bool has_front;
	struct calendar *calendar; /* all after those of v; owned, NULL: there were never many */
	uint64_t patience;      /* pushes before a heap that has become large is sorted out */
};

/* Times are not negative, so their bits are in their order. No branch: none could be foreseen. */
static inline bool heap_key_before(double time, uint64_t order, const struct sim_event *b)
{
	uint64_t ta, tb;

	memcpy(&ta, &time, sizeof(ta));
	memcpy(&tb, &b->time, sizeof(tb));
	return ta < tb + (order < b->order);
}

static inline bool heap_before(const struct sim_event *a, const struct sim_event *b)
{
	return heap_key_before(a->time, a->order, b);
}

/* Field by field: a copy in wide words of what was just written in narrow ones has to wait. */
static inline void heap_put(struct sim_event *at, const struct sim_event *ev)
{
	at->time = ev->time;
	at->order = ev->order;
	at->ptr = ev->ptr;
	at->num = ev->num;
}

/* Removes the first event that is not in front into *ev; 0 when there is none. */
int heap_pop_sorted(struct heap *h, struct sim_event *ev);

/* Removes the first event into *ev; 0 when there is none. */
static inline int heap_pop(struct heap *h, struct sim_event *ev)
{
	if (!h->has_front)
		return heap_pop_sorted(h, ev);
	heap_put(ev, &h->front);
	h->has_front = false;
	return 1;
}

/* The first of those that are not in front, borrowed; NULL when there is none. */
static inline const struct sim_event *heap_first(const struct heap *h)
{
	return h->top < h->n ? &h->v[h->top] : NULL;
}

/* The event that heap_pop() would remove, borrowed; NULL when there is none. */
static inline const struct sim_event *heap_next(const struct heap *h)
{
	return h->has_front ? &h->front : heap_first(h);
}

/* Adds an event that is not in front, or goes there instead of the one that is. */
void heap_push_sorted(struct heap *h, const struct sim_event *ev);

/* Adds an event; it goes before equals that are pushed later. node <= HEAP_NODE_MAX. */
static inline void heap_push(struct heap *h, double time, enum sim_kind kind, int node, void *ptr,
			     int64_t num)
{
	const struct sim_event *first = heap_first(h);
	const uint64_t order = (uint64_t)kind << 60 | (uint64_t)node << 39 | h->pushed++;

	time += 0.0;            /* no negative zero */
	if (h->has_front || (first && !heap_key_before(time, order, first))) {
		heap_push_sorted(h, &(struct sim_event){ time, order, ptr, num });
		return;
	}
	h->front = (struct sim_event){ time, order, ptr, num };
	h->has_front = true;
}

/* Continues a hash by the events that are not in front. */
uint64_t heap_hash(const struct heap *h, uint64_t hash);

void heap_release(struct heap *h);

static inline enum sim_kind sim_event_kind(const struct sim_event *ev)
{
	return (enum sim_kind)(ev->order >> 60);
}

static inline int sim_event_node(const struct sim_event *ev)
{
	return (int)(ev->order >> 39 & HEAP_NODE_MAX);
}

#endif

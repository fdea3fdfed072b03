/*
 * heap.h - the event list: a 4-ary heap with a written rule for equal times.
 *
 * Earlier time first; at equal times the lower kind, then the lower node, then the order of
 * pushing. The last three are packed into one word: kind in the top 4 bits, node in 21, sequence
 * number in 39.
 */
#ifndef SIM_EVENTS_HEAP_H
#define SIM_EVENTS_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum sim_kind {                 /* in the order in which events at equal times are handled */
	SIM_FAULT,              /* a fault begins or ends, or a message that it held continues */
	SIM_MSG,                /* a message has crossed the link, if the receiver's NIC is idle */
	SIM_RECEIVED,           /* a message is complete at the receiver */
	SIM_ALLREDUCE,          /* a group's all-reduce is done */
	SIM_TIMER,
	SIM_WRITE,              /* a block of a step is added to a shared model */
	SIM_READ,               /* a block of a shared model is read */
	SIM_BUCKET,             /* a bucket is final, and its all-reduce is a ring of messages */
	SIM_GRAD,               /* a gradient is ready */
	SIM_WAKE,               /* a busy node becomes free */
	SIM_NET                 /* a message begins to share a fabric, or rates change */
};

enum { HEAP_NODE_MAX = (1 << 21) - 1 };

struct sim_event {
	double time;
	uint64_t order;
	void *ptr;              /* what the event is about, borrowed; NULL: see num */
	int64_t num;            /* by kind: a token, a ticket, ... */
};

enum { HEAP_NEAR = 5 };         /* most arrays of what nodes need */

struct heap_near {              /* an array of what nodes need for their events, borrowed */
	const char *base;
	size_t n, size;         /* elements; bytes of one */
	size_t used;            /* bytes that most events use, from its start */
};

/*
 * An event that is earlier than all others waits in `front`, outside the heap: an event that
 * follows at once from the one being handled needs no sifting. After a pop the top of the heap
 * stays open for the event pushed next: a node that pops one event and pushes one costs one pass
 * through the heap, not two. If there are many events, later ones are kept in a calendar, so that
 * the heap stays small; what the nodes of the next ones need is prefetched when they leave it.
 */
struct heap {
	struct sim_event *lines;        /* owned; some before v are unused, for alignment */
	struct sim_event *v;            /* [n] the heap, within lines */
	size_t n, capacity;
	size_t top;             /* index of the first: 0, or least child if v[0] is open; n: none */
	uint64_t pushed;        /* events so far: the next one's sequence number */
	struct sim_event front;
	bool has_front;
	struct calendar *calendar; /* events after all of v; owned, NULL: there were never many */
	uint64_t patience;      /* value of pushed from which on a large heap is moved again */
	struct heap_near near[HEAP_NEAR];
};

/*
 * Times are not negative, so their bits have their order. No branch, which would be mispredicted.
 */
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

/* Copies field by field: reading in wide words what was just written in narrow ones would stall. */
static inline void heap_put(struct sim_event *at, const struct sim_event *ev)
{
	at->time = ev->time;
	at->order = ev->order;
	at->ptr = ev->ptr;
	at->num = ev->num;
}

/* heap_pop() for the events other than `front`. */
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

/* First event other than `front`, borrowed; NULL when there is none. */
static inline const struct sim_event *heap_first(const struct heap *h)
{
	return h->top < h->n ? &h->v[h->top] : NULL;
}

/* The event that heap_pop() would remove, borrowed; NULL when there is none. */
static inline const struct sim_event *heap_next(const struct heap *h)
{
	return h->has_front ? &h->front : heap_first(h);
}

/* heap_push() for an event that is not before all others, or replaces `front`. */
void heap_push_sorted(struct heap *h, const struct sim_event *ev);

/* Adds an event; of equal ones, those pushed first come first. node <= HEAP_NODE_MAX. */
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

/* Removes an event, in no order, into *ev; 0 when there is none. None may be added after that. */
int heap_take(struct heap *h, struct sim_event *ev);

/* Continues a hash by the events other than `front`. */
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

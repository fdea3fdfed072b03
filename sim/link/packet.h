/* Messages in flight; their memory is reused. */
#ifndef SIM_LINK_PACKET_H
#define SIM_LINK_PACKET_H

#include "core/base/mem.h"
#include "core/node.h"

enum errand {                   /* purpose of a message that the engine sends for itself */
	ERRAND_NONE,
	ERRAND_FETCH,           /* a worker that has returned asks for a model ... */
	ERRAND_MODEL,           /* ... and receives it */
	ERRAND_LOST,            /* sent over no link: reports that its sender is away ... */
	ERRAND_RETURNED         /* ... or returns a message that was not received */
};

struct packet {                 /* a message under way */
	struct packet *next;
	struct msg msg;
	double sent;            /* time at which its sender sent it */
	size_t bytes;           /* on the wire */
	struct packet *of;      /* message that a piece belongs to; NULL: an all-reduce */
	int missing;            /* pieces in flight */
	int from, location;     /* machine that sent it, machine that receives it */
	enum errand errand;
	int life;               /* of its receiver, when it was sent */
	bool piece;             /* no handler receives it, but `of`, with its last piece */
	uint64_t history;       /* of its sender, as it was sent (sim/history.c) */
	float *buf;             /* [capacity], allocated by its first sender's engine */
	size_t capacity;
};

struct packets {                /* where a run's packets come from */
	struct packet *spare;
	struct arena *arena;    /* the run's, which owns them all */
	double floats;          /* that all buffers have, or would have in a training run */
};

/*
 * Copy of a node's message *m as its receiver will see it, in a spare packet or a new one; its
 * bytes are those of the vector, or of its codes. codes[codec_bytes] is scratch.
 */
struct packet *packet_copy(struct packets *from, struct node *nd, const struct msg *m,
			   void *codes);

/* A piece of a message or of an all-reduce, of `bytes`. */
struct packet *packet_blank(struct packets *from, size_t bytes);

/* Returns a packet for reuse. */
static inline void packet_put(struct packets *to, struct packet *p)
{
	p->next = to->spare;
	to->spare = p;
}

/* packet_put() of a piece; returns the message of which it was the last, or NULL. */
struct packet *packet_join(struct packets *to, struct packet *p);

/* packet_put() of one that is lost, or a piece; true when a whole message is lost with it. */
bool packet_discard(struct packets *to, struct packet *p);

#endif

/* Messages in flight; their memory is reused. */
#ifndef SIM_LINK_PACKET_H
#define SIM_LINK_PACKET_H

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
	bool piece;             /* no handler receives it ... */
	struct packet *of;      /* ... but this message, with its last piece; NULL: all-reduce */
	int missing;            /* pieces in flight */
	int from, location;     /* machine that sent it, machine that receives it */
	enum errand errand;
	int life;               /* of its receiver, when it was sent */
	uint64_t history;       /* of its sender, as it was sent (sim/history.c) */
	float *buf;             /* [capacity], allocated by its first sender's engine */
	size_t capacity;
};

/*
 * Copy of a node's message *m as its receiver will see it, in a spare packet or a new one; its
 * bytes are those of the vector, or of its codes. codes[codec_bytes] is scratch.
 */
struct packet *packet_copy(struct packet **spare, struct node *nd, const struct msg *m,
			   void *codes);

/* A piece of a message or of an all-reduce, of `bytes`. */
struct packet *packet_blank(struct packet **spare, size_t bytes);

/* Frees a piece; returns the message of which it was the last, or NULL. */
struct packet *packet_join(struct packet **spare, struct packet *p);

/* Returns a packet for reuse. */
static inline void packet_put(struct packet **spare, struct packet *p)
{
	p->next = *spare;
	*spare = p;
}

/* Frees one that never arrived, or a piece; true when a whole message is gone with it. */
bool packet_discard(struct packet **spare, struct packet *p);
void packet_free_all(struct packet *p);                         /* p, and those after it */

#endif

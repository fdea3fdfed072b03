/* Copies of messages under way, used again. */
#ifndef SIM_LINK_PACKET_H
#define SIM_LINK_PACKET_H

#include "core/node.h"

enum errand {                   /* what a message is for, in addition to what an algorithm says */
	ERRAND_NONE,
	ERRAND_FETCH,           /* a worker that is back asks for a model ... */
	ERRAND_MODEL,           /* ... and is given one */
	ERRAND_LOST,            /* over no link: its sender is away ... */
	ERRAND_RETURNED         /* ... and did not receive this, which its sender has again */
};

struct packet {                 /* a message under way */
	struct packet *next;
	struct msg msg;
	double sent;            /* when its sender handed it over */
	size_t bytes;           /* on the wire */
	bool piece;             /* no handler receives it ... */
	struct packet *of;      /* ... but this, with its last piece; NULL: of an all-reduce */
	int missing;            /* pieces that are under way */
	int from, location;     /* where it comes from, where it goes: of machines */
	enum errand errand;
	int life;               /* of its receiver, as it was sent */
	float *buf;             /* [capacity], of the first sender's engine */
	size_t capacity;
};

/*
 * A copy of *m from a node, as its receiver will have it, in one of the spare packets or in a
 * new one; bytes are those of the vector, or of its codes. codes[codec_bytes] is scratch.
 */
struct packet *packet_copy(struct packet **spare, struct node *nd, const struct msg *m,
			   void *codes);

/* A piece of so many bytes. */
struct packet *packet_blank(struct packet **spare, size_t bytes);

/* Puts a piece back. The message that it was the last of, or NULL. */
struct packet *packet_join(struct packet **spare, struct packet *p);

/* Back to the spare ones. */
static inline void packet_put(struct packet **spare, struct packet *p)
{
	p->next = *spare;
	*spare = p;
}

void packet_discard(struct packet **spare, struct packet *p);   /* what never came, or a piece */
void packet_free_all(struct packet *p);                         /* it and those after it */

#endif

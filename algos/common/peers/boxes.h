/* Models received for a round, kept until the receiver begins it: senders may be a round ahead. */
#ifndef ALGOS_COMMON_PEERS_BOXES_H
#define ALGOS_COMMON_PEERS_BOXES_H

#include "core/node.h"

struct box {                    /* messages received for one round */
	struct box *next;
	int64_t round;
	int filled;             /* number of messages received */
	int owned;              /* vectors of x that the caller has allocated, where floats is 0 */
	bool *came;             /* [senders] true: its message has been received */
	float **x;              /* [vectors] of [floats]; not cleared */
};

struct boxes {                  /* in the state of a node */
	struct box *used, *spare;
	int senders, vectors;
	size_t floats;          /* of a vector; 0: the caller allocates them, box.x is NULL */
};

void boxes_open(struct boxes *b, int senders, int vectors, size_t floats);

/* The box of a round: boxes_find() returns NULL if there is none, boxes_at() then makes one. */
struct box *boxes_find(const struct boxes *b, int64_t round);
struct box *boxes_at(struct node *nd, struct boxes *b, int64_t round);

/* Releases a box, or all of them, for reuse. */
void boxes_empty(struct boxes *b, struct box *box);
void boxes_empty_all(struct boxes *b);

#endif

/* Models that come for a round, kept until that round: their senders may be ahead. */
#ifndef ALGOS_COMMON_PEERS_BOXES_H
#define ALGOS_COMMON_PEERS_BOXES_H

#include "core/node.h"

struct box {                    /* what came for one round */
	struct box *next;
	int64_t round;
	int filled;             /* messages */
	bool *came;             /* [senders] */
	float **x;              /* [vectors] of [floats]; not cleared */
};

struct boxes {                  /* in the state of a node */
	struct box *used, *spare;
	int senders, vectors;
	size_t floats;          /* of a vector */
};

void boxes_open(struct boxes *b, int senders, int vectors, size_t floats);

/* That of a round: NULL where nothing came for it; made where it is not there. */
struct box *boxes_find(const struct boxes *b, int64_t round);
struct box *boxes_at(struct node *nd, struct boxes *b, int64_t round);

/* A box, or all, may be used again. */
void boxes_empty(struct boxes *b, struct box *box);
void boxes_empty_all(struct boxes *b);

#endif

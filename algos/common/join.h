/*
 * join.h - what a worker that was away takes over from a member of the all-reduce.
 *
 * The simulator takes a group's next all-reduce as the moment at which a worker is back in the
 * group: after it a member sends what the worker needs to go on as one of them. That is one
 * message: vectors, one after the other, and the count of steps as its stamp. The optimiser's
 * state is the member's, because a worker that failed has lost its own.
 */
#ifndef ALGOS_COMMON_JOIN_H
#define ALGOS_COMMON_JOIN_H

#include "algos/common/rounds.h"

enum { JOIN_MOST = 5 };

struct join {                   /* the vectors of a node that are sent, or written */
	size_t count;
	struct {
		float *v;       /* NULL: timing-only */
		size_t n;
	} part[JOIN_MOST];
};

/* The node's model and the state of its optimiser; others are added after them. */
struct join join_of(const struct node *nd);
void join_add(struct join *j, float *v, size_t n);

/* What all have alike after an outer step: common model, its momentum, optimiser state. */
struct join join_outer(const struct node *nd, const struct outer *o);

/*
 * Sends them, and a number of the algorithm's. *buffer holds them meanwhile: NULL at first, in the
 * state of the node.
 */
void join_send(struct node *nd, int to, const struct join *j, int number, float **buffer);

/* The same vectors, and the node's count of steps, <- those of the message. */
void join_take(struct node *nd, const struct join *j, const struct msg *m);

/* For facts.tolerates of algorithms that do so. */
#define JOIN_TOLERATES "a worker that leaves: the others wait until they detect its absence, " \
		       "continue without it, and admit it again after an all-reduce"

#endif

/*
 * join.h - state that a returning worker receives from a member of the all-reduce.
 *
 * In the simulator, a worker that was away rejoins its group at the group's next all-reduce. After
 * it, a member sends one message with what the worker needs to continue: vectors, one after the
 * other, and the count of steps as its stamp. The optimiser's state is the member's, because a
 * worker that failed has lost its own.
 */
#ifndef ALGOS_COMMON_JOIN_H
#define ALGOS_COMMON_JOIN_H

#include "algos/common/outer.h"

enum { JOIN_MOST = 5 };

struct join {                   /* vectors of a node that are sent, or overwritten */
	size_t count;
	struct {
		float *v;       /* NULL: timing-only */
		size_t n;
	} part[JOIN_MOST];
};

/* A join with the node's model and its optimiser's state; join_add() appends a vector v[n]. */
struct join join_of(const struct node *nd);
void join_add(struct join *j, float *v, size_t n);

/*
 * A join with the state that is equal on all workers after an outer step: common model, its
 * momentum, optimiser state.
 */
struct join join_outer(const struct node *nd, const struct outer *o);

/* Sends the vectors to rank `to`, with the message tag `number`, of the algorithm's meaning. */
void join_send(struct node *nd, int to, struct join j, int number);

/* Overwrites vectors and the node's count of steps with those of the message; NULL: keeps them. */
void join_take(struct node *nd, struct join j, const struct msg *m);

/* Text for facts.tolerates of an algorithm that uses join.h. */
#define JOIN_TOLERATES "a worker that leaves: the others wait until they detect its absence, " \
		       "continue without it, and admit it again after an all-reduce"

#endif

/* rounds.h - rounds of local steps, each worker on its own model. */
#ifndef ALGOS_COMMON_ROUNDS_H
#define ALGOS_COMMON_ROUNDS_H

#include "core/node.h"

struct round {                  /* in a worker's state */
	int64_t left;           /* steps to go before the exchange */
};

/* Begins a round of `steps` local steps: requests the first gradient. */
void round_begin(struct node *nd, struct round *r, int64_t steps);

/*
 * Makes a step by *g with that optimiser state (NULL: the node's own), and requests the next
 * gradient; true after the last step of the round, where no gradient is requested.
 */
bool round_step(struct node *nd, struct round *r, float *optim, const struct grad *g);

/* d[dim] <- common[dim] - x of the node's model x. */
void round_delta(const struct node *nd, const float *common, float *d);

#endif

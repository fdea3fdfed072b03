/*
 * gather.h - servers that gather several gradients for one step.
 *
 *     pile <- pile + w g, for each that comes
 *     x <- optimiser(x, w pile);  pile <- 0, when there are enough
 *
 * A synchronous server keeps a slot for each worker of the round and adds the
 * slots in the order of ranks, so that a step does not depend on who came first
 * and has the bits of an all-reduce. An asynchronous one has a single slot, and
 * adds in the order of arrival.
 */
#ifndef ALGOS_COMMON_SERVER_GATHER_H
#define ALGOS_COMMON_SERVER_GATHER_H

#include "core/node.h"

struct pile {
	size_t dim;             /* floats of a gradient */
	int64_t n;              /* gradients in it */
	int slots;
	float **sum;            /* [slots] of [dim], of NULL in a timing-only run */
	int64_t *count;         /* [slots] gradients in each */
};

/* An empty pile: slots vectors of [dim], which live as long as the run. */
void pile_open(struct node *nd, struct pile *p, int slots);

/* start() of a server whose state is a struct pile: with one slot, or with one for each worker. */
void pile_start(struct node *nd);
void pile_start_round(struct node *nd);

/* pile_open() for gradients of a part of the model, of `dim` floats. */
void pile_open_part(struct node *nd, struct pile *p, int slots, size_t dim);

/*
 * Adds w g[dim] to a slot; when it is the k-th of the pile, steps: x <- optimiser(x, 1/k times the
 * sum of the slots), and the pile is empty. True when it stepped.
 */
bool pile_gather(struct node *nd, struct pile *p, int slot, float w, const float *g, int64_t k);

/*
 * pile_gather() without the step: if this gradient is the k-th, empties the pile, sets *sum to the
 * sum of its slots, and returns true.
 */
bool pile_add(struct node *nd, struct pile *p, int slot, float w, const float *g, int64_t k,
	      float **sum);

/* True when the pile has something in that slot. */
bool pile_has(const struct pile *p, int slot);

/* 0, or error() naming the option: there are fewer workers than `value` says. */
int gather_check(const struct run *run, const char *option, int64_t value);

#endif

/*
 * table.h - tables of gradients on a server, with a row for each worker.
 *
 *     mean_i <- mean of worker i's gradients;   sum = sum_i mean_i
 *
 * Where workers have unequal data, sum / n weighs each worker's data equally, however many
 * gradients it has sent. The sum is kept up to date with each gradient, so a step does not read
 * all rows.
 */
#ifndef ALGOS_COMMON_SERVER_TABLE_H
#define ALGOS_COMMON_SERVER_TABLE_H

#include "core/node.h"

struct table {
	float **mean;           /* [workers] of [dim], of NULL in a timing-only run */
	int64_t *count;         /* [workers] gradients in each mean */
	int filled;             /* workers with at least one */
	float *sum;             /* [dim] of the means */
	int64_t replaced;       /* calls of table_replace() */
};

/* Text for facts.tolerates where the server waits for a gradient of each worker. */
#define TABLE_TOLERATES "a worker that returns: until then the others compute, but the model " \
			"waits for its gradient"

/* An empty table: workers + 1 vectors of [dim], which live as long as the run. */
void table_open(struct node *nd, struct table *t);

/* count_i <- count_i + 1;  mean_i <- mean_i + (g - mean_i) / count_i;  adds the change to sum */
void table_add(const struct node *nd, struct table *t, int worker, const float *g);

/*
 * mean_i <- g, whatever it was; adds the change to sum. Every workers-th call adds up all rows
 * instead, so that rounding errors do not grow during the run.
 */
void table_replace(const struct node *nd, struct table *t, int worker, const float *g);

/* sum <- the means, added in the order of ranks: it does not depend on which came first. */
void table_add_up(const struct node *nd, struct table *t);

/* Empties all rows. */
void table_clear(const struct node *nd, struct table *t);

#endif

/*
 * failing.h - random times at which nodes fail.
 *
 * A node fails at the times of a Poisson process of its own: the k-th gap between two failures is
 * exponential, drawn at (seed, RNG_FAULT, first rank of the node, k). So failures do not depend on
 * the algorithm, nor on each other, and a node may fail again before it is back.
 */
#ifndef SIM_FAULTS_FAILING_H
#define SIM_FAULTS_FAILING_H

#include "core/fault.h"

#include <stdbool.h>
#include <stdint.h>

struct sim_conf;
struct run;

struct failing {                /* a worker that fails at random times */
	const struct fault *law;        /* NULL: it does not */
	int node;               /* the first rank of its node */
	int64_t count;          /* failures so far */
	struct fault now;       /* the latest, as one that leaves and is back */
};

/* The fault that makes the worker fail at random, or NULL. */
const struct fault *failing_law(const struct sim_conf *conf, int rank);

/* Seconds from the node's k-th failure, or the beginning, to the next. */
double failing_gap(const struct fault *law, uint64_t seed, int node, int64_t k);

/* Failures of all nodes of so many workers in a second, on average. */
double failing_rate(const struct sim_conf *conf, int workers);

/* True of the first of its node's ranks that fail so. */
bool failing_is_first(const struct sim_conf *conf, const struct fault *law, int rank);

/* The first rank of the worker's node: its own, unless the link's nodes have several workers. */
int failing_node(const struct sim_conf *conf, int rank);

#endif

/*
 * placements.h - a cluster fitted to step times of synchronous training on several placements.
 *
 * A step of data-parallel training on p GPUs of k nodes takes
 *
 *     C        seconds that one GPU takes for the batch: a table
 *     C' = C (1 + cv z_p)   of the slowest of p, whose times vary by cv; z_p: mean of the largest
 *              of p standard normal deviates
 *     b_i = max(r_i, b_{i-1} + 2 (p - 1) / p S_i / R_k)     end of the all-reduce of bucket i, a
 *              ring, where r_i is the end of its part of the backward pass
 *
 * R_1 is the rate between GPUs of a node, R_k that of the NIC that the GPUs of a node share, when k
 * nodes take part. cv and all R_k are fitted: the total of |ln(measured / predicted)| is least.
 */
#ifndef STUDY_CALIBRATE_PLACEMENTS_H
#define STUDY_CALIBRATE_PLACEMENTS_H

#include "plan/resolve/setup.h"

enum { PLACEMENT_COUNTS = 64 }; /* different numbers of nodes */

struct placement {
	int nodes, gpus;
	double batch;           /* samples of each GPU */
	double seconds;         /* of a step */
};

struct placement_rate {
	int nodes;
	double rate;            /* bytes a second */
	double low, high;       /* a 95 % interval, by 39 resamples of the rows */
	bool few;               /* too few rows for an interval */
	size_t rows;
};

struct placements {
	const char *path;       /* borrowed */
	struct placement *v;    /* [n], owned; those of one GPU first, by batch */
	size_t n, alone;        /* rows of one GPU */
	/* Fitted. */
	double cv;
	struct placement_rate rate[PLACEMENT_COUNTS];
	size_t rates;           /* numbers of nodes, ascending */
	double computing, network;      /* deviations of ln C and of ln R from row to row */
	double median, most;    /* errors of the fitted rows: median, 90th percentile */
	bool few;               /* not more rows than fitted numbers: cv is 0, no errors */
};

/*
 * Reads a CSV file with the columns nodes, gpus (of all nodes), batch and seconds; or placement
 * instead of nodes and gpus, a digit a node. 0 or error(); release in either case.
 */
int placements_read(struct placements *p, const char *path);
void placements_release(struct placements *p);

/*
 * error() where most rows of several GPUs are faster than one alone, which no step that ends with
 * an all-reduce is; a warning where some are. 0 or error().
 */
int placements_check(const struct placements *p);

/* Fits the rates to the rows, for the net of a resolved setup and buckets of `bucket` bytes. */
void placements_fit(struct placements *p, const struct setup *su, double bucket);

/* Warns of what the rows do not tell. */
void placements_warn(const struct placements *p);

/*
 * Rate for another number of nodes: linear between those that were measured, and the nearest
 * beyond them, where the interval also contains the change per node that was seen last. Some step
 * was measured on several nodes.
 */
struct placement_rate placements_rate(const struct placements *p, int nodes);

/* True when nodes have several GPUs, and no step was measured on one node. */
bool placements_lack_node(const struct placements *p);

/* True when no step was measured on several nodes. */
bool placements_lack_nic(const struct placements *p);

/* Writes the cluster file. 0 or error(). */
int placements_write(const struct placements *p, const struct setup *su, double bucket,
		     const char *path);

#endif

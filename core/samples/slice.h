/*
 * slice.h - how the samples of a round are cut among workers of unequal parts.
 *
 * A round is workers * batch samples. Worker w has part_w / sum of parts of them, in whole
 * samples: every worker has what lies below that, and the largest remainders have one more, those
 * of lower ranks first. So a slice is off by less than a sample. Its gradient, the mean over its
 * own samples, counts share_w / batch times: then the mean of all workers' gradients is the mean
 * over the round's samples, whatever the shares.
 *
 * Slices are one array, slice[workers + 1]: worker w has the samples slice[w] to slice[w + 1] of
 * every round. NULL: all have `batch` of them.
 */
#ifndef CORE_SAMPLES_SLICE_H
#define CORE_SAMPLES_SLICE_H

#include <stddef.h>
#include <stdint.h>

struct run;

/*
 * slice[workers + 1] <- a round of workers * batch samples, cut by part[workers], which are
 * positive. Returns the first rank that would have none, else -1.
 */
int slices_cut(const double *part, int workers, size_t batch, int64_t *slice);

/* 0, or error() for unequal slices under an algorithm whose workers do not go in lockstep. */
int slices_check(const struct run *run);

/* Samples of the largest slice. */
size_t slices_most(const int64_t *slice, int workers, size_t batch);

/* Where the worker's slice of a round begins. */
static inline int64_t slice_from(const int64_t *slice, size_t batch, int rank)
{
	return slice ? slice[rank] : (int64_t)batch * rank;
}

/* Samples of the worker's minibatch. */
static inline size_t slice_size(const int64_t *slice, size_t batch, int rank)
{
	return slice ? (size_t)(slice[rank + 1] - slice[rank]) : batch;
}

/* What a gradient of the worker counts, and costs: its samples over `batch`. */
static inline double slice_weight(const int64_t *slice, size_t batch, int rank)
{
	return slice ? (double)slice_size(slice, batch, rank) / (double)batch : 1.0;
}

#endif

/*
 * slice.h - cuts a round's samples into slices for workers, which may be unequal.
 *
 * A round is workers * batch samples. Worker w has part_w / (sum of parts) of them, rounded down to
 * whole samples; the samples left over go to the workers with the largest remainders, to lower
 * ranks first among equal ones. So a slice is off by less than a sample. A gradient, the mean over
 * the worker's own samples, is multiplied by share_w / batch; so the mean of all workers' gradients
 * is the mean over the round's samples, whatever the shares.
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
 * slice[workers + 1] <- slices of a round of workers * batch samples, in proportion to
 * part[workers], which are positive. Returns the first rank that would have no sample, else -1.
 */
int slices_cut(const double *part, int workers, size_t batch, int64_t *slice);

/* 0, or error() for unequal slices with an algorithm whose workers are not in lockstep. */
int slices_check(const struct run *run);

/* Samples of the largest slice. */
size_t slices_most(const int64_t *slice, int workers, size_t batch);

/* Offset of the worker's slice in a round, in samples. */
static inline int64_t slice_from(const int64_t *slice, size_t batch, int rank)
{
	return slice ? slice[rank] : (int64_t)batch * rank;
}

/* Samples of the worker's minibatch. */
static inline size_t slice_size(const int64_t *slice, size_t batch, int rank)
{
	return slice ? (size_t)(slice[rank + 1] - slice[rank]) : batch;
}

/* Weight of the worker's gradient, and its relative cost: its samples over `batch`. */
static inline double slice_weight(const int64_t *slice, size_t batch, int rank)
{
	return slice ? (double)slice_size(slice, batch, rank) / (double)batch : 1.0;
}

#endif

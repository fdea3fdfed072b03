/* largest.h - the floats of largest magnitude in a vector. */
#ifndef ALGOS_COMMON_LARGEST_H
#define ALGOS_COMMON_LARGEST_H

#include <stddef.h>
#include <stdint.h>

/*
 * index[k] <- the positions in v[n] of the k floats of largest magnitude, growing; of equal ones
 * the first. k is n at most. NaN counts as larger than infinity.
 */
void largest_select(size_t n, const float *v, size_t k, uint32_t *index);

#endif

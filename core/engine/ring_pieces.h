/* How a ring all-reduce cuts a vector: a piece for each member. */
#ifndef CORE_ENGINE_RING_PIECES_H
#define CORE_ENGINE_RING_PIECES_H

#include <stddef.h>

/* Where a piece of a vector of `size` floats begins; piece n is the end. */
static inline size_t ring_start(size_t size, int n, int piece)
{
	return size / (size_t)n * (size_t)piece + size % (size_t)n * (size_t)piece / (size_t)n;
}

static inline size_t ring_length(size_t size, int n, int piece)
{
	return ring_start(size, n, piece + 1) - ring_start(size, n, piece);
}

#endif

/*
 * pieces.h - the pieces in which a vector is added: buckets of a gradient, and members' shares.
 *
 * The backward pass comes to the last layers first, so bucket 0 is the vector's end.
 */
#ifndef CORE_ENGINE_PIECES_H
#define CORE_ENGINE_PIECES_H

#include <stddef.h>

/* Buckets of `size` floats that n floats make, the last one perhaps shorter; at least one. */
static inline int bucket_count(size_t n, size_t size)
{
	return n > size ? (int)((n - 1) / size) + 1 : 1;
}

/* Bucket k: begins `*from` floats from the vector's beginning. Returns its length. */
static inline size_t bucket_at(size_t n, size_t size, int k, size_t *from)
{
	const size_t end = n - (size_t)k * size;

	*from = end > size ? end - size : 0;
	return end - *from;
}

/* Where a member's piece of a vector of `size` floats begins; piece n is the end. */
static inline size_t ring_start(size_t size, int n, int piece)
{
	return size / (size_t)n * (size_t)piece + size % (size_t)n * (size_t)piece / (size_t)n;
}

static inline size_t ring_length(size_t size, int n, int piece)
{
	return ring_start(size, n, piece + 1) - ring_start(size, n, piece);
}

#endif

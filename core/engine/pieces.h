/*
 * pieces.h - pieces of a vector in an all-reduce: buckets of a gradient, and members' pieces of a
 * ring.
 *
 * The backward pass computes the last layers first, so bucket 0 is the end of the vector.
 */
#ifndef CORE_ENGINE_PIECES_H
#define CORE_ENGINE_PIECES_H

#include <stddef.h>

/* Number of buckets of `size` floats in n floats, at least one; the last one may be shorter. */
static inline int bucket_count(size_t n, size_t size)
{
	return n > size ? (int)((n - 1) / size) + 1 : 1;
}

/* *from <- offset of bucket k in the vector; returns its length. Both in floats. */
static inline size_t bucket_at(size_t n, size_t size, int k, size_t *from)
{
	const size_t end = n - (size_t)k * size;

	*from = end > size ? end - size : 0;
	return end - *from;
}

/* Offset of a member's piece in a vector of `size` floats; piece n is the vector's end. */
static inline size_t ring_start(size_t size, int n, int piece)
{
	return size / (size_t)n * (size_t)piece + size % (size_t)n * (size_t)piece / (size_t)n;
}

static inline size_t ring_length(size_t size, int n, int piece)
{
	return ring_start(size, n, piece + 1) - ring_start(size, n, piece);
}

#endif

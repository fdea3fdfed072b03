/*
 * bucket.h - the pieces in which a gradient is added while the rest of it is computed.
 *
 * The backward pass comes to the last layers first, so bucket 0 is the vector's end.
 */
#ifndef CORE_ENGINE_BUCKET_H
#define CORE_ENGINE_BUCKET_H

#include <stddef.h>

/* Pieces of `size` floats that n floats make, the last one perhaps shorter; at least one. */
int bucket_count(size_t n, size_t size);

/* Piece k: begins `*from` floats from the vector's beginning. Returns its length. */
size_t bucket_at(size_t n, size_t size, int k, size_t *from);

#endif

/* How many buckets a gradient has, and where each begins and ends. */
#include "core/engine/bucket.h"

int bucket_count(size_t n, size_t size)
{
	return n > size ? (int)((n - 1) / size) + 1 : 1;
}

size_t bucket_at(size_t n, size_t size, int k, size_t *from)
{
	const size_t end = n - (size_t)k * size;

	*from = end > size ? end - size : 0;
	return end - *from;
}

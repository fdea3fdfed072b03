/* 64-bit FNV-1a over bytes and over texts, which can be continued from an earlier hash. */
#include "core/base/hash.h"

#include <string.h>

uint64_t fnv(uint64_t h, const void *bytes, size_t n)
{
	const unsigned char *b = bytes;

	for (size_t i = 0; i < n; i++)
		h = fnv_step(h, b[i]);
	return h;
}

uint64_t fnv_text(uint64_t h, const char *text)
{
	return fnv(h, text, strlen(text));
}

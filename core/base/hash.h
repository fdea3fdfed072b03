/* 64-bit FNV-1a hash: names a run by its settings, and detects changed bytes. */
#ifndef CORE_BASE_HASH_H
#define CORE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define FNV_START UINT64_C(0xcbf29ce484222325)

/* Continues a hash h (FNV_START at first) by a byte, or by a wider word at once. */
static inline uint64_t fnv_step(uint64_t h, uint64_t word)
{
	return (h ^ word) * UINT64_C(0x100000001b3);
}

/* Continues the hash h by n bytes. */
uint64_t fnv(uint64_t h, const void *bytes, size_t n);

/* Continues the hash h by a string, without its NUL. */
uint64_t fnv_text(uint64_t h, const char *text);

#endif

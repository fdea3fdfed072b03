/*
 * hash.h - 64-bit FNV-1a: names a run by its settings, a file by its contents.
 */
#ifndef CMD_HASH_H
#define CMD_HASH_H

#include <stddef.h>
#include <stdint.h>

#define FNV_START UINT64_C(0xcbf29ce484222325)

/* Continues a hash h (FNV_START at first) over n bytes. */
uint64_t fnv(uint64_t h, const void *bytes, size_t n);

/* The same over a string, without its NUL. */
uint64_t fnv_text(uint64_t h, const char *text);

#endif

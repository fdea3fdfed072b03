/*
 * sha256.h - the checksum by which published files are known (FIPS 180-4).
 */
#ifndef DATA_SHA256_H
#define DATA_SHA256_H

#include <stddef.h>
#include <stdint.h>

struct sha256 {
	uint32_t h[8];
	uint64_t bytes;         /* taken so far */
	uint8_t block[64];      /* the last bytes % 64 of them */
};

enum { SHA256_TEXT = 65 };      /* 64 hexadecimal digits and the end */

void sha256_start(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *at, size_t n);

/* text <- the sum in lower case; *s is used up. */
void sha256_finish(struct sha256 *s, char text[SHA256_TEXT]);

#endif

/* SHA-256 (FIPS 180-4): the digest by which code of users is recognised. */
#ifndef CORE_BASE_SHA256_H
#define CORE_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

struct sha256 {
	uint32_t h[8];          /* hash of the whole blocks so far */
	unsigned char block[64];
	uint64_t bytes;
};

void sha256_start(struct sha256 *s);
void sha256_put(struct sha256 *s, const void *bytes, size_t n);

/* Writes the hash in hexadecimal, as sha256sum prints it. */
void sha256_end(struct sha256 *s, char text[65]);

#endif

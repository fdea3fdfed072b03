/* Files whose checksum is right, and whose content no run has written. */
#ifndef TESTS_SUPPORT_FORGED_H
#define TESTS_SUPPORT_FORGED_H

#include "core/math/rng.h"

#include <stddef.h>

/* Puts odd values in place of one to three numbers of 4 or 8 bytes among n. */
void forged_change(char *bytes, size_t n, struct rng *r);

/* How many forgeries of a file a test makes: $CONVOY_MUTATIONS, or `few`. */
int forged_times(int few);

/* Writes a copy of a sealed file, bytes[n], with odd values and the seal of these, to dir/name. */
void forged_sealed(const char *dir, const char *name, const char *bytes, size_t n, struct rng *r);

/* Writes n bytes and their checksum, by a key or without one (NULL), as a whole file. */
void forged_write(const char *path, const char *bytes, size_t n, const unsigned char *key);

#endif

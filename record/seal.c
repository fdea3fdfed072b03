/* "\nconvoy seal 1 " and 64 bits of FNV-1a in hexadecimal digits, "\n". */
#include "record/seal.h"

#include "core/base/hash.h"
#include "core/file/paths.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void seal_put(uint64_t hash, char out[SEAL_BYTES])
{
	char text[SEAL_BYTES + 1];

	snprintf(text, sizeof(text), "\nconvoy seal 1 %016" PRIx64 "\n", hash);
	memcpy(out, text, SEAL_BYTES);
}

void seal_write(const void *bytes, size_t n, char out[SEAL_BYTES])
{
	seal_put(fnv(FNV_START, bytes, n), out);
}

static const char not_ours[] = "is not a whole result of convoy: it is cut short, was changed by "
			       "another program, or is something else";

/* The checksum of all but the seal, which is read too. */
static const char *seal_check(FILE *in, long size)
{
	char block[16384], own[SEAL_BYTES], right[SEAL_BYTES];
	uint64_t hash = FNV_START;
	size_t left = (size_t)size - SEAL_BYTES;

	while (left) {
		size_t n = fread(block, 1, left < sizeof(block) ? left : sizeof(block), in);

		if (!n)
			return "cannot be read";
		hash = fnv(hash, block, n);
		left -= n;
	}
	if (fread(own, 1, SEAL_BYTES, in) != SEAL_BYTES)
		return "cannot be read";
	seal_put(hash, right);
	if (memcmp(own, right, SEAL_BYTES - 17) != 0)
		return not_ours;
	return memcmp(own, right, SEAL_BYTES) != 0 ? "is damaged: its checksum is wrong" : NULL;
}

const char *seal_fault(const char *path)
{
	FILE *in = file_open(path);
	const char *fault = not_ours;
	long size;

	if (!in)
		return errno == ENOENT ? "does not exist" : errno == ENXIO || errno == EISDIR ?
		       "is not a regular file" : "cannot be read";
	if (fseek(in, 0, SEEK_END) == 0 && (size = ftell(in)) > SEAL_BYTES && size < LONG_MAX &&
	    fseek(in, 0, SEEK_SET) == 0)
		fault = seal_check(in, size);
	fclose(in);
	return fault;
}

/* Results in HDF5: saved as a whole with a checksum at their end, which is checked. */
#include "record/h5.h"

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/mem.h"
#include "core/file/output.h"
#include "core/file/paths.h"
#include "record/tree.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int h5_save(hid_t file, const char *path, bool final)
{
	int (*write)(const char *, const void *, size_t) = final ? output_final : output_write;
	ssize_t size = H5Fflush(file, H5F_SCOPE_GLOBAL) < 0 ? -1 : H5Fget_file_image(file, NULL, 0);
	scoped char *image = size > 0 ? xcalloc((size_t)size + SEAL_BYTES, 1) : NULL;
	bool ok = image && H5Fget_file_image(file, image, (size_t)size) == size;

	H5Fclose(file);
	if (ok)
		seal_write(image, (size_t)size, image + size);
	return ok ? write(path, image, (size_t)size + SEAL_BYTES) :
		  error("cannot write '%s': HDF5 failed", path);
}

int h5_put_column(hid_t group, const struct column *c)
{
	const void *v = c->integer ? (const void *)c->v.whole : c->v.real;

	return h5_put_array(group, c->name, c->integer ? H5T_STD_I64LE : H5T_IEEE_F64LE,
			    c->integer ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE, c->n,
			    c->n ? v : NULL, NULL);
}

void seal_put(uint64_t hash, char out[SEAL_BYTES])
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

enum { SEAL_START = SEAL_BYTES - 17 };  /* bytes that all seals have */

/* Compares a seal with the right one. */
static const char *seal_compare(const char *own, uint64_t hash)
{
	char right[SEAL_BYTES];

	seal_put(hash, right);
	if (memcmp(own, right, SEAL_START) != 0)
		return not_ours;
	return memcmp(own, right, SEAL_BYTES) != 0 ? "is damaged: its checksum is wrong" : NULL;
}

static _Thread_local char unread[128]; /* the fault of a file that may be whole */

static const char *seal_unread(void)
{
	snprintf(unread, sizeof(unread), "cannot be read: %s", strerror(errno));
	return unread;
}

bool seal_is_unread(const char *fault)
{
	return fault == unread;
}

static const char *seal_check_bytes(const char *bytes, size_t size)
{
	const size_t n = size - SEAL_BYTES;

	return seal_compare(bytes + n, fnv(FNV_START, bytes, n));
}

/* The checksum of all but the seal, which is read too. */
static const char *seal_check(FILE *in, size_t size)
{
	char block[16384], own[SEAL_BYTES];
	uint64_t hash = FNV_START;
	size_t left = size - SEAL_BYTES;

	while (left) {
		size_t n = fread(block, 1, left < sizeof(block) ? left : sizeof(block), in);

		if (!n)
			return ferror(in) ? seal_unread() : not_ours;
		hash = fnv(hash, block, n);
		left -= n;
	}
	if (fread(own, 1, SEAL_BYTES, in) != SEAL_BYTES)
		return ferror(in) ? seal_unread() : not_ours;
	return seal_compare(own, hash);
}

/* The size of a file that may have a seal; or 0. */
static size_t seal_size(FILE *in)
{
	const long size = fseek(in, 0, SEEK_END) == 0 ? ftell(in) : 0;

	return size > SEAL_BYTES && size < LONG_MAX && fseek(in, 0, SEEK_SET) == 0 ? (size_t)size
										     : 0;
}

/* NULL, and *size of the open file; or what is wrong, and no open file. */
static const char *seal_open(const char *path, FILE **in, size_t *size)
{
	*in = file_open(path);
	if (!*in)
		return file_is_unread() ? seal_unread() : errno == ENXIO || errno == EISDIR ?
		       "is not a regular file" : "does not exist";
	*size = seal_size(*in);
	if (*size)
		return NULL;
	fclose(*in);
	*in = NULL;
	return not_ours;
}

const char *seal_fault(const char *path)
{
	FILE *in;
	size_t size;
	const char *fault = seal_open(path, &in, &size);

	if (!fault)
		fault = seal_check(in, size);
	if (in)
		fclose(in);
	return fault;
}

bool seal_ends(const char *path)
{
	FILE *in = file_open(path);
	char own[SEAL_BYTES], any[SEAL_BYTES];
	bool ends = in && fseek(in, -SEAL_BYTES, SEEK_END) == 0 &&
		    fread(own, 1, SEAL_BYTES, in) == SEAL_BYTES;

	seal_put(0, any);
	ends = ends && memcmp(own, any, SEAL_START) == 0;
	if (in)
		fclose(in);
	return ends;
}

const char *seal_read(const char *path, struct tree_source *source)
{
	enum { LARGE = 1 << 24 };       /* bytes; what is larger may have a model, which few want */
	size_t size;
	const char *fault = seal_open(path, &source->in, &size);

	if (fault || size > LARGE)
		return fault ? fault : seal_check(source->in, size);
	source->bytes = xrealloc(NULL, size, 1);
	if (fread(source->bytes, 1, size, source->in) != size)
		return ferror(source->in) ? seal_unread() : not_ours;
	return seal_check_bytes(source->bytes, size);
}

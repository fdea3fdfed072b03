/* Reads a result file, applies a change to it, and writes it with a new checksum. */
#include "record/seal.h"

#include "core/base/error.h"
#include "core/file/paths.h"
#include "record/h5.h"

#include <stdlib.h>

/* The bytes without their seal. */
static int change_bytes(const char *path, const char *bytes, size_t n, bool final,
			int (*change)(hid_t file, const void *ctx), const void *ctx)
{
	hid_t file = h5_from(bytes, n);
	const int changed = file < 0 ? -1 : change(file, ctx);

	if (changed > 0)
		return h5_save(file, path, final) < 0 ? -1 : 1;
	H5Fclose(file);
	return changed < 0 ? error("'%s' is not a result of convoy", path) : 0;
}

int result_change(const char *path, bool final, int (*change)(hid_t file, const void *ctx),
		  const void *ctx)
{
	const char *fault = seal_fault(path);
	size_t size;
	char *bytes;
	int changed;

	if (fault)
		return error("'%s' %s", path, fault);
	bytes = file_read(path, &size);
	if (!bytes)
		return -1;
	changed = change_bytes(path, bytes, size - SEAL_BYTES, final, change, ctx);
	free(bytes);
	return changed;
}

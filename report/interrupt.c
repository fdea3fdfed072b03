/*
 * interrupt.c - the file that a killed run left: its status becomes what happened.
 */
#include "report/report.h"

#include "core/error.h"
#include "core/paths.h"
#include "report/h5.h"
#include "report/layout.h"
#include "report/seal.h"

#include <stdlib.h>
#include <string.h>

/* Whether the open file says that its run goes on; it then says no more so. -1: it cannot. */
static int change(hid_t file)
{
	hid_t summary = H5Gopen2(file, "summary", H5P_DEFAULT);
	char *status = summary < 0 ? NULL : h5_get_text(summary, "status");
	int changed = status ? strcmp(status, STATUS_RUNNING) == 0 : -1;

	if (changed > 0 && h5_change_text(summary, "status", STATUS_INTERRUPTED) < 0)
		changed = -1;
	free(status);
	H5Gclose(summary);
	return changed;
}

/* The bytes without their seal. */
static int change_bytes(const char *path, const char *bytes, size_t n)
{
	hid_t file = h5_from(bytes, n);
	int changed = file < 0 ? -1 : change(file);

	if (changed > 0)
		return h5_save(file, path, true) < 0 ? -1 : 1;
	H5Fclose(file);
	return changed < 0 ? error("'%s' is not a result of convoy", path) : 0;
}

int result_interrupt(const char *path)
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
	changed = change_bytes(path, bytes, size - SEAL_BYTES);
	free(bytes);
	return changed;
}

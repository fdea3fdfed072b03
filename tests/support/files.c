/* Makes and removes a test's folder, and writes plain, .gz and .xz files into it. */
#include "tests/support/files.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/paths.h"

#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

char *folder_new(void)
{
	const char *tmp = getenv("TMPDIR");
	char *folder = xasprintf("%s/convoy-test-XXXXXX", tmp ? tmp : "/tmp");

	if (!mkdtemp(folder))
		die("%s: cannot make a folder", folder);
	return folder;
}

void folder_remove(char *folder)
{
	/* Again for 10 s where a process that is about to end still writes. */
	char *command = xasprintf("i=0; until rm -rf '%s' 2>/dev/null; do i=$((i + 1)); "
				  "[ $i -lt 100 ] || exit 1; sleep 0.1; done", folder);

	if (system(command))
		die("%s: cannot remove", folder);
	free(command);
	free(folder);
}

static void *pack_gz(const void *at, size_t n, size_t *packed)
{
	z_stream z = { 0 };
	size_t most = n + 1000;
	uint8_t *out = xcalloc(most, 1);

	if (deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		die("zlib cannot start");
	z.next_in = (Bytef *)(uintptr_t)at;
	z.avail_in = (uInt)n;
	z.next_out = out;
	z.avail_out = (uInt)most;
	if (deflate(&z, Z_FINISH) != Z_STREAM_END)
		die("zlib cannot pack");
	*packed = z.total_out;
	deflateEnd(&z);
	return out;
}

static void *pack_xz(const void *at, size_t n, size_t *packed)
{
	size_t most = lzma_stream_buffer_bound(n);
	uint8_t *out = xcalloc(most, 1);

	*packed = 0;
	if (lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, NULL, at, n, out, packed, most) != LZMA_OK)
		die("liblzma cannot pack");
	return out;
}

static char *make_path(const char *folder, const char *name, const char *suffix)
{
	char *path = xasprintf("%s/%s%s", folder, name, suffix);
	char *slash = strrchr(path, '/');

	*slash = 0;
	if (dir_make(path) < 0)
		die("%s: cannot make the folder", path);
	*slash = '/';
	return path;
}

void folder_write(const char *folder, const char *name, enum packing packing, const void *at,
		  size_t n)
{
	static const char *const suffix[] = { "", ".gz", ".xz" };
	char *path = make_path(folder, name, suffix[packing]);
	FILE *f = fopen(path, "wb");
	void *packed = NULL;

	if (packing == PACK_GZ)
		packed = pack_gz(at, n, &n);
	else if (packing == PACK_XZ)
		packed = pack_xz(at, n, &n);
	if (!f || fwrite(packed ? packed : at, 1, n, f) != n || fclose(f))
		die("%s: cannot write", path);
	free(packed);
	free(path);
}

void folder_truncate(const char *folder, const char *name, size_t n)
{
	char *path = xasprintf("%s/%s", folder, name);

	if (truncate(path, (off_t)n))
		die("%s: cannot cut", path);
	free(path);
}

void folder_unlink(const char *folder, const char *name)
{
	char *path = xasprintf("%s/%s", folder, name);

	if (unlink(path))
		die("%s: cannot remove", path);
	free(path);
}
